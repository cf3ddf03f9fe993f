//! Shows the programs of tickets: `cargo run -p methods --example show -- expression-c 1 0 5`.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and may fail")]

use forge::Ticket;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let method = methods::named(&words[0]).unwrap();
    let number = |n: usize| words.get(n).map_or(0, |word| word.parse().unwrap());
    for index in number(2)..number(2) + number(3).max(1) {
        let case = method.make(&Ticket::new(words[0].clone(), number(1), index)).unwrap();
        for program in &case.programs {
            println!("=== {index} {}\n{}", program.name, program.source);
        }
        println!("--- {:?}\n--- {:?}\n--- {:#?}", case.inputs, case.promise, case.trail);
    }
}
