//! `attache completions` and `attache man-pages`: completions for shells, and manual pages.

pub(crate) mod arguments;

use crate::args::Command;
use crate::exit::{Exit, Failure};
use arguments::{Completions, ManPages};
use clap::CommandFactory;
use std::fs;
use std::io::{self, Write};

/// Runs `attache completions`.
pub(crate) fn completions(arguments: &Completions) -> Result<Exit, Failure> {
    // The generator panics if its output cannot be written.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Command::command(), "attache", &mut script);
    io::stdout().lock().write_all(&script).map_err(|error| Failure::output(&error))?;
    Ok(Exit::Done)
}

/// Runs `attache man-pages`.
pub(crate) fn man_pages(arguments: &ManPages) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Command::command(), folder));
    written.map(|()| Exit::Done).map_err(|error| {
        Failure::usage(format!(
            "the manual pages cannot be written to {}: {error}; name another folder",
            folder.display()
        ))
    })
}
