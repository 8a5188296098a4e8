//! A client that a person operates. The judge prints what to configure and the steps to take.

use super::peer::tasks::relay;
use crate::exit::{Exit, Failure};
use attache_check::{ClientTask, Operator, RelayListener, StartedClient};
use attache_connection::stdio::input;
use attache_host::Launch;
use attache_view::sanitize;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// A person at a terminal who follows the steps on stderr.
#[derive(Clone)]
pub(super) struct ManualClient {
    person: Operator,
    /// The task that waits for Enter on stdin.
    _reading: Arc<JoinSet<()>>,
}

impl ManualClient {
    /// Prints what to configure. `patience` is the time limit of each step.
    ///
    /// # Errors
    /// Returns an error if no port is available.
    pub(super) fn begin(patience: Duration) -> Result<Self, Failure> {
        let listener =
            RelayListener::open().map_err(|error| Failure::new(Exit::Internal, error))?;
        let mut words = relay()?;
        words.extend([listener.address().to_string(), listener.token().to_owned()]);
        let line: Vec<String> = words.iter().map(|word| Launch::quoted(word)).collect();
        say(&format!(
            "Configure this as the command of an agent in your client:\n\n  {}\n\nThen follow each step. Enter skips a step; a step is also skipped after {} s.",
            line.join(" "),
            patience.as_secs()
        ));
        let passes = Arc::new(Notify::new());
        let mut reading = JoinSet::new();
        reading.spawn(read(passes.clone()));
        Ok(Self {
            person: Operator { listener: Arc::new(listener), patience, passes },
            _reading: Arc::new(reading),
        })
    }

    /// Prints the step for a task, and returns the client that the person runs.
    pub(super) fn ask(&self, task: &ClientTask) -> StartedClient {
        let how = match task.goes_on() {
            true => "in the same session, ",
            false => "restart the agent in your client, then ",
        };
        say(&format!("\n> {how}{}", sanitize::text(&task.fill(task.description()))));
        StartedClient::by_hand(self.person.clone())
    }
}

/// Skips a step for each line from stdin.
async fn read(passes: Arc<Notify>) {
    let Ok(input) = input() else { return };
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(_)) = lines.next_line().await {
        passes.notify_waiters();
    }
}

fn say(text: &str) {
    // Clears the line of progress that the terminal may show. A closed stderr is not an error.
    let start = if io::stderr().is_terminal() { "\r\u{1b}[K" } else { "" };
    let _unseen = writeln!(io::stderr(), "{start}{text}");
}
