//! The arguments of `attache uninstall`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Uninstall {
    /// Remove the listed files, after a question
    #[arg(long)]
    pub(crate) purge: bool,
    /// Remove them without the question
    #[arg(long, short, requires = "purge")]
    pub(crate) yes: bool,
}

const HELP: &str = "\
The list has every file in the folders for configuration, data, state and sockets, and the files \
that ATTACHE_STORE and ATTACHE_PERMISSIONS name. Files in your projects, such as .attache/, are not \
listed and stay.

This command does not remove the program itself, and says where it is. Sessions that run \
meanwhile lose what they store; end a shared hub with `attache serve stop` first.

Examples:
  attache uninstall            show what is stored, and remove nothing
  attache uninstall --purge    remove all of it, after a question";
