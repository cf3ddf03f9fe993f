//! What is after the items of Rust programs: a `main` as in C.

use std::fmt::Write as _;

use crate::{Entry, Frame, Signature};

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
fn next(words: &mut std::str::SplitWhitespace<'_>) -> u128 {
    let word = words.next().unwrap_or(\"0\");
    match word.strip_prefix('-') {
        Some(rest) => rest.parse::<u128>().unwrap().wrapping_neg(),
        None => word.parse().unwrap(),
    }
}

fn answer(function: usize, words: &mut std::str::SplitWhitespace<'_>) {
    match function {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "        _ => {}
    }
}

pub fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if !given.is_empty() {
        return answer(0, &mut given.join(\" \").split_whitespace());
    }
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let mut words = line.split_whitespace();
        let function = next(&mut words) as usize;
        if std::panic::catch_unwind(move || answer(function, &mut words)).is_err() {
            println!(\"!exit 101\");
        }
    }
}
";

pub(super) fn frame(entries: &[Entry]) -> Frame {
    let mut after = NUMBERS.to_owned();
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let Signature { parameters, .. } = signature;
        let arguments: Vec<String> =
            parameters.iter().map(|kind| format!("next(words) as {kind}")).collect();
        let arguments = arguments.join(", ");
        let _ = writeln!(after, "        {index} => println!(\"{{}}\", {name}({arguments})),");
    }
    after.push_str(MAIN);
    Frame { before: String::new(), after }
}
