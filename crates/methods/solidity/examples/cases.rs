//! Prints cases as JSON, one per line: `cases SEED FIRST COUNT [VERSION [invalid|smt]]`, where the version is `0.6.9` or `newest`.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and may fail")]

use solidity::model::Version;
use solidity::{Invalid, Solidity};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|it| it.parse().ok()).unwrap_or(0);
    let language = words.get(3).map_or_else(String::new, |it| format!("solidity-{it}"));
    let version = Version::all().find(|it| it.language() == language).unwrap_or(Version::Newest);
    let method = Solidity::new(version);
    let method: Box<dyn forge::Method> = match words.get(4).map(String::as_str) {
        Some("invalid") => Box::new(Invalid::new(version)),
        Some("smt") => Box::new(Solidity::for_smt(version)),
        _ => Box::new(method),
    };
    for index in number(1)..number(1) + number(2) {
        let Some(mut case) = method.make(&method.ticket(number(0), index)) else { continue };
        case.model = forge::Model::absent();
        println!("{}", serde_json::to_string(&case).unwrap());
    }
}
