//! Counts the tickets, each with a template of its own, that show each planted mistake: `planted SEED COUNT [MISTAKE [VERSION]]`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use forge::Method as _;
use solidity::Solidity;
use solidity::interpret::Planted;
use solidity::model::Version;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|it| it.parse::<u64>().ok());
    let (seed, count) = (number(0).unwrap_or(1), number(1).unwrap_or(2000));
    for version in Version::all() {
        if words.get(3).is_some_and(|it| *it != format!("{version:?}")) {
            continue;
        }
        let method = Solidity::new(version);
        for planted in Planted::ALL {
            if words.get(2).is_some_and(|it| *it != format!("{planted:?}")) {
                continue;
            }
            let shown = (0..count).filter(|it| method.shows(&method.ticket(seed, it * 8), planted));
            println!("{version:?} {planted:?} {} of {count}", shown.count());
        }
    }
}
