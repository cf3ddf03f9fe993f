//! `alive-tv`, where a user names one: a third opinion about a refinement failure. What it says is a note in the report,
//! and neither makes a finding nor suppresses one: it models less than the interpreter, and is a program of others.

use std::path::{Path, PathBuf};

use crate::exec::Order;
use crate::finding::{Exhibit, Opinion};
use crate::target::Bench;

/// The file that it is asked about, with `@src` and `@tgt`.
const INPUT: &str = "alive2.ll";

/// An executable `alive-tv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliveTv(PathBuf);

impl AliveTv {
    pub fn new(executable: &Path) -> Self {
        Self(executable.to_owned())
    }

    /// Asks about a failure. None if it is not one of refinement.
    pub fn ask(&self, exhibit: &Exhibit, bench: &Bench) -> Option<Opinion> {
        let text = super::module(exhibit)?;
        Some(self.asked(&text, bench).unwrap_or_else(Opinion::Error))
    }

    fn asked(&self, text: &str, bench: &Bench) -> Result<Opinion, String> {
        let scratch = bench.runner.scratch().map_err(|error| error.to_string())?;
        scratch.write(INPUT, text).map_err(|error| error.to_string())?;
        let line = [self.0.display().to_string(), INPUT.to_owned()];
        let order = Order::new(line).limits(bench.compile.clone());
        let run = bench.runner.run(&order, &scratch).map_err(|error| error.to_string())?;
        Ok(read(&run.stdout.text(), &run.stderr.text()))
    }
}

/// The numbers of its summary decide, because its exit code does not tell an error from a refutation.
fn read(stdout: &str, stderr: &str) -> Opinion {
    let is_counted = |what: &str| {
        stdout
            .lines()
            .filter_map(|line| line.trim().strip_suffix(what))
            .any(|number| number.trim().parse::<u32>().is_ok_and(|number| number > 0))
    };
    let mut lines = stdout.lines().chain(stderr.lines());
    let reason = lines.find_map(|line| line.trim().strip_prefix("ERROR: ")).map(str::to_owned);
    if is_counted(" incorrect transformations") {
        return Opinion::Incorrect(reason.unwrap_or_default());
    }
    if is_counted(" failed-to-prove transformations") {
        return Opinion::NotProven(reason.unwrap_or_default());
    }
    if is_counted(" correct transformations") {
        return Opinion::Correct;
    }
    let first = || stderr.lines().chain(stdout.lines()).find(|line| !line.trim().is_empty());
    let said = reason.or_else(|| first().map(str::to_owned));
    Opinion::Error(said.unwrap_or_else(|| "it says nothing".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(correct: u32, incorrect: u32, unproven: u32, errors: u32) -> String {
        format!(
            "Summary:\n  {correct} correct transformations\n  {incorrect} incorrect transformations\n  \
             {unproven} failed-to-prove transformations\n  {errors} Alive2 errors\n"
        )
    }

    #[test]
    fn the_summary_says_what_the_opinion_is() {
        let correct = "Transformation seems to be correct!\n\n".to_owned() + &summary(1, 0, 0, 0);
        assert_eq!(read(&correct, ""), Opinion::Correct);
        let wrong =
            "Transformation doesn't verify!\n\nERROR: Target is more poisonous than source\n\n";
        let wrong = read(&(wrong.to_owned() + &summary(0, 1, 0, 0)), "");
        assert_eq!(wrong, Opinion::Incorrect("Target is more poisonous than source".to_owned()));
        assert_eq!(wrong.to_string(), "incorrect: Target is more poisonous than source");
        let timeout = "ERROR: Timeout\n".to_owned() + &summary(0, 0, 1, 0);
        assert_eq!(read(&timeout, ""), Opinion::NotProven("Timeout".to_owned()));
        let unsupported = "ERROR: Unsupported instruction: callbr\n".to_owned();
        let unsupported = read(&(unsupported + &summary(0, 0, 0, 1)), "");
        assert_eq!(unsupported, Opinion::Error("Unsupported instruction: callbr".to_owned()));
        let other = read("", "cannot open file\n");
        assert_eq!(other, Opinion::Error("cannot open file".to_owned()));
        assert_eq!(read("", "").to_string(), "an error: it says nothing");
    }
}
