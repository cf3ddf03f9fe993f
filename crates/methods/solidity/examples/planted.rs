//! Counts the tickets that show each planted mistake: `planted SEED COUNT`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use forge::Method as _;
use solidity::Solidity;
use solidity::interpret::Planted;
use solidity::model::Version;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let seed = words.first().copied().unwrap_or(1);
    let count = words.get(1).copied().unwrap_or(2000);
    for version in [Version::Newest, Version::V7, Version::V5] {
        let method = Solidity::new(version);
        for planted in Planted::ALL {
            let shown = (0..count).filter(|it| method.shows(&method.ticket(seed, *it), planted));
            println!("{version:?} {planted:?} {} of {count}", shown.count());
        }
    }
}
