//! The subcommands, one file each.

pub(crate) mod doctor;
pub(crate) mod findings;
pub(crate) mod generate;
pub(crate) mod hunt;
pub(crate) mod manual;
pub(crate) mod reduce;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod toolchain;

/// What the user typed, for the record.
fn typed() -> String {
    let words = std::env::args().skip(1).map(|word| lab::triage::replay::quoted(&word));
    std::iter::once("mistrust".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Prints to standard output. A reader that has gone away ends the command without a complaint.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
