//! The subcommands, one file each.

pub(crate) mod corpus;
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

/// The command line, for the record.
fn command_line() -> String {
    // A path need not be UTF-8.
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| lab::triage::replay::quoted(&word.to_string_lossy()));
    std::iter::once("mistrust".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Prints to standard output. If the reader has closed it, the command ends without an error message.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
