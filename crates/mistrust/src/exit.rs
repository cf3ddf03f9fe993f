//! Exit codes and error messages.

use std::process::ExitCode;

use lab::campaign::CampaignError;
use lab::exec::ExecError;
use lab::store::StoreError;
use lab::target::Unusable;
use lab::toolchain::ToolchainError;
use lab::triage::known::KnownBugsError;

use crate::display::printable::printable;

/// The exit codes in `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0   nothing new was found
  1   there are new findings
  2   the command line or the configuration is wrong
  3   a compiler, a folder or a file is missing or unusable, or fewer than half of the cases of a
      hunt could be observed
  70  a bug in Mistrust itself";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Clean,
    Findings,
    Usage,
    Environment,
    OwnBug,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Environment => 3,
            Exit::OwnBug => 70,
        })
    }
}

/// The command line or the configuration is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Something required is missing on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Environment(pub(crate) String);

/// Prints the error and returns the exit code.
pub(crate) fn explain(error: &anyhow::Error) -> Exit {
    // The reader of standard output has closed it, as `head` does. That is not an error.
    let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(broken_pipe) {
        return Exit::Clean;
    }
    anstream::eprintln!("error: {}", printable(&causes(error)));
    code(error)
}

/// The error and its causes. Some errors of libraries name their cause in their own text; then it is not said again.
fn causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn code(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if cause.is::<Usage>() || cause.is::<KnownBugsError>() {
            return Exit::Usage;
        }
        if let Some(StoreError::NoFinding { .. } | StoreError::Ambiguous { .. }) =
            cause.downcast_ref()
        {
            return Exit::Usage;
        }
        if let Some(
            ToolchainError::UnknownFamily { .. }
            | ToolchainError::NotExact { .. }
            | ToolchainError::NoVersion { .. },
        ) = cause.downcast_ref()
        {
            return Exit::Usage;
        }
        let environment = cause.is::<Environment>()
            || cause.is::<ToolchainError>()
            || cause.is::<StoreError>()
            || cause.is::<ExecError>()
            || cause.is::<CampaignError>()
            || cause.is::<Unusable>()
            || cause.is::<std::io::Error>();
        if environment {
            return Exit::Environment;
        }
    }
    Exit::OwnBug
}

/// Adds to the message of a panic that it is a bug in Mistrust.
pub(crate) fn report_own_bugs() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default(panic);
        anstream::eprintln!(
            "This is a bug in Mistrust {}, not in what it tests. Please report it with the lines above.",
            env!("CARGO_PKG_VERSION")
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn a_cause_is_said_once() {
        let denied = || std::io::Error::from_raw_os_error(13);
        let says = format!("cannot read x: {}", denied());
        let own = anyhow::Error::from(denied()).context(says.clone());
        assert_eq!(causes(&own), says);
        assert_eq!(causes(&anyhow::Error::from(denied()).context("cannot read x")), says);
    }

    #[test]
    fn the_cause_determines_the_exit_code() {
        let wrapped = |cause: anyhow::Error| code(&cause.context("while doing something"));
        assert_eq!(wrapped(Usage("x".to_owned()).into()), Exit::Usage);
        assert_eq!(wrapped(Environment("x".to_owned()).into()), Exit::Environment);
        assert_eq!(wrapped(std::io::Error::other("x").into()), Exit::Environment);
        let missing = StoreError::NoFinding { id: "x".to_owned(), path: "y".into() };
        assert_eq!(wrapped(missing.into()), Exit::Usage);
        assert_eq!(wrapped(StoreError::Full { path: "y".into() }.into()), Exit::Environment);
        // Any other error is a bug in Mistrust.
        assert_eq!(wrapped(anyhow::anyhow!("x")), Exit::OwnBug);
        let unexpected: anyhow::Result<()> = Err(anyhow::anyhow!("x")).context("y");
        assert_eq!(unexpected.map_err(|error| code(&error)), Err(Exit::OwnBug));
    }
}
