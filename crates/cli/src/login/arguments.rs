//! The arguments of `attache login` and `attache logout`.

use crate::args::value::variable;
use clap::Args;

const LOGIN: &str = "\
A login that needs a terminal runs in this one. Any other login is run by the agent, which may \
open a page. Afterwards a session is opened in an empty folder to check the login. Exit codes: \
0 if the agent is logged in, 5 if not; see also `attache run --help`.

Examples:
  attache login kimi
  attache login gemini oauth-personal";

const LOGOUT: &str = "Example:\n  attache logout kimi";

#[derive(Debug, Args)]
#[command(after_help = LOGIN)]
pub(crate) struct Login {
    /// The agent: a name that `attache agents` lists, or a command line
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: String,
    /// The id of a login method; needed only if the agent offers several
    #[arg(value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
}

#[derive(Debug, Args)]
#[command(after_help = LOGOUT)]
pub(crate) struct Logout {
    /// The agent: a name that `attache agents` lists, or a command line
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: String,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
}
