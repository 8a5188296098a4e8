//! `attache agent`: the built-in agent on stdin and stdout.

use crate::args;
use crate::exit::{Exit, Failure};
use attache_connection::{Direction, Tap};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

const AT_A_TERMINAL: &str = "\
attache agent speaks ACP on stdin and stdout, one JSON message a line; a client is meant to start it:
  attache run \"help\"                        this program's own client
  an editor                                 set its ACP agent to the command `attache agent`
It serves what you type all the same; Ctrl-D ends it.";

/// The longest line that is logged whole, in bytes.
const LOGGED: usize = 2000;

/// Serves until the client closes stdin.
pub(crate) async fn agent(arguments: &args::Agent) -> Result<Exit, Failure> {
    if io::stdin().is_terminal() {
        log(AT_A_TERMINAL);
    }
    let mut serving = attache_agent::serve(attache_coder::Coder::new());
    if arguments.verbose
        || std::env::var_os("ATTACHE_LOG").is_some_and(|value| !value.is_empty() && value != "0")
    {
        serving = serving.tap(traffic());
    }
    match serving.stdio().await {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            Err(Failure::new(Exit::OurFault, format!("the connection to the client ended: {error}")))
        }
    }
}

/// Logs every line to stderr. The agent has no keys of its own yet, so a line holds what the client sent and what files hold.
fn traffic() -> Tap {
    Arc::new(|direction, line: &[u8]| {
        let arrow = match direction {
            Direction::Sent => "->",
            Direction::Received => "<-",
        };
        let start = String::from_utf8_lossy(line.get(..LOGGED).unwrap_or(line));
        let more = line.len().saturating_sub(LOGGED);
        let rest = if more > 0 { format!(" … {more} bytes more") } else { String::new() };
        log(&format!("{arrow} {}{rest}", crate::show::sanitize::visible(&start)));
    })
}

fn log(text: &str) {
    // stdout is the protocol's; if stderr is closed there is no log.
    let _ = writeln!(io::stderr(), "{text}");
}
