//! `mistrust completions` and `mistrust man`, generated from the command-line definition.

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::Exit;

pub(crate) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut bytes = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "mistrust", &mut bytes);
    super::print(&String::from_utf8_lossy(&bytes))?;
    Ok(Exit::Clean)
}

pub(crate) fn pages(dir: Option<&Path>) -> anyhow::Result<Exit> {
    match dir {
        Some(dir) => {
            let cannot = || format!("cannot write manual pages to {}", dir.display());
            std::fs::create_dir_all(dir).with_context(cannot)?;
            clap_mangen::generate_to(Cli::command(), dir).with_context(cannot)?;
        }
        None => {
            let mut page = vec![];
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            super::print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Clean)
}
