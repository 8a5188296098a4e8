//! What may stand behind `attache login` and `attache logout`.

use crate::agents::arguments::variable;
use clap::Args;

const LOGIN: &str = "\
A login that runs in a terminal runs in this one; any other is the agent's own, which may open a page. Then a session is opened in an empty
folder to see whether it helped. Exit codes are those of `attache run --help`: 0 if the agent is logged in, 5 if it is not.

Examples:
  attache login kimi
  attache login gemini oauth-personal";

const LOGOUT: &str = "Example:\n  attache logout kimi";

#[derive(Debug, Args)]
#[command(after_help = LOGIN)]
pub(crate) struct Login {
    /// Which agent
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: String,
    /// The id of one of its logins; without it the only one, if a login is needed
    #[arg(value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Start the agent with this environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
}

#[derive(Debug, Args)]
#[command(after_help = LOGOUT)]
pub(crate) struct Logout {
    /// Which agent
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: String,
    /// Start the agent with this environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
}
