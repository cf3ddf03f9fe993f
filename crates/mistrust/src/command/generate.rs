//! `mistrust gen`: generates the case of a ticket and prints it.

use std::fmt::Write as _;

use forge::{Method, Ticket};
use methods::NoMethod;

use crate::cli::{CaseFormat, Gen};
use crate::exit::{Exit, Usage};

pub(crate) fn run(arguments: &Gen) -> anyhow::Result<Exit> {
    let parsed = |text: &str| text.parse::<Ticket>().map_err(|error| Usage(error.to_string()));
    let ticket = match arguments.method.split_once(':') {
        // The name of a method may end like a revision: `solidity-0.7`.
        Some((name, place)) if methods::named(name).is_ok() => {
            Ticket { method: name.to_owned(), ..parsed(&format!("it:{place}"))? }
        }
        Some(_) => parsed(&arguments.method)?,
        None => Ticket::new(&arguments.method, arguments.seed, arguments.index),
    };
    let method = methods::named(&ticket.method).map_err(|error| match error {
        NoMethod::Unknown(_) => {
            let mut message = format!("{error}; the methods are:");
            for method in methods::all() {
                let _ = write!(message, "\n  {:<12} {}", method.name(), method.summary());
            }
            Usage(message)
        }
        other => Usage(other.to_string()),
    })?;
    if ticket.revision != 0 && ticket.revision != method.revision() {
        return Err(Usage(format!(
            "{ticket} needs revision {} of {}, but this Mistrust has revision {}",
            ticket.revision,
            method.name(),
            method.revision()
        ))
        .into());
    }
    let ticket = ticket.at(method.revision());
    if arguments.template || arguments.solution.is_some() {
        let text = template(method.as_ref(), &ticket, arguments.solution)?;
        super::print(&text)?;
        return Ok(Exit::Clean);
    }
    let Some(case) = method.make(&ticket) else {
        let message = match method.space() {
            Some(space) => format!("{ticket} is outside the {space} cases of {}", method.name()),
            None => format!("{ticket} has no case: choose another index"),
        };
        return Err(Usage(message).into());
    };
    let text = match arguments.format {
        CaseFormat::Json => serde_json::to_string_pretty(&case)? + "\n",
        CaseFormat::Source => match case.programs.as_slice() {
            [only] => only.source.clone(),
            several => several
                .iter()
                .map(|program| format!("==> {} <==\n{}", program.file_name(), program.source))
                .collect::<Vec<_>>()
                .join("\n"),
        },
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}

/// The template of a ticket, or one of its solutions.
fn template(method: &dyn Method, ticket: &Ticket, solution: Option<u128>) -> Result<String, Usage> {
    let template = method.template(ticket, None).ok_or_else(|| {
        Usage(format!(
            "{} has no templates: those for Solidity do, such as solidity",
            method.name()
        ))
    })?;
    match solution {
        None => Ok(template),
        Some(number) => method.template(ticket, solution).ok_or_else(|| {
            let total = template.lines().next().unwrap_or_default().trim_start_matches("// ");
            Usage(format!("there is no solution {number}, they are counted from 0: {total}"))
        }),
    }
}
