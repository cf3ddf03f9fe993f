//! `mistrust rules`: the library of identities, and tools for a user's own rules.

mod check;
mod export;
mod filter;
mod list;
mod prove;
mod synth;

use anyhow::Context as _;
use identity::Library;

use crate::cli::{Common, Rules, RulesAction};
use crate::exit::Exit;

pub(crate) fn run(common: &Common, arguments: &Rules) -> anyhow::Result<Exit> {
    match &arguments.action {
        RulesAction::List { filter, format } => list::list(filter, *format),
        RulesAction::Show { name, format } => list::show(name, *format),
        RulesAction::Prove { filter, rules, write, jobs } => {
            prove::run(common, filter, rules.as_deref(), *write, *jobs)
        }
        RulesAction::Check { file, format, jobs } => check::run(common, file, *format, *jobs),
        RulesAction::Synth(synth) => synth::run(common, synth),
        RulesAction::Export { filter, lean, smt2, lrat } => {
            export::run(filter, lean.as_deref(), smt2.as_deref(), lrat.as_deref())
        }
    }
}

fn library() -> anyhow::Result<Library> {
    Library::shipped().context("cannot parse the built-in library")
}
