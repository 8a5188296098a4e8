//! `attache serve stop` and `attache serve restart`.

use super::VERSION;
use super::place::HubPlace;
use super::status::{none_runs, refused, status};
use crate::exit::{Exit, Failure};
use crate::say::counted;
use attache_serve::socket::{ConnectError, HubConnection, Reply, Wants};
use serde_json::json;
use std::io::{self, Write as _};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a hub may take to end its agents and to store everything, and then to start again.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait before a socket is tried again.
const AGAIN: Duration = Duration::from_millis(50);

/// Ends a hub. A hub that does not run is not an error.
pub(super) async fn stop(place: &HubPlace, wait: bool, json: bool) -> Result<Exit, Failure> {
    let was_running = match status(place).await? {
        Some(_) => {
            end(place, Wants::Stop { after_turns: wait }).await?;
            true
        }
        None => false,
    };
    let name = &place.name;
    let text = match (json, was_running) {
        (true, was_running) => json!({ "name": name.as_str(), "stopped": was_running }).to_string(),
        (false, true) => format!("The hub {name} has ended."),
        (false, false) => format!("The hub {name} does not run."),
    };
    print(&text)
}

/// Ends a hub and waits until it has started again.
pub(super) async fn restart(place: &HubPlace, wait: bool, json: bool) -> Result<Exit, Failure> {
    if status(place).await?.is_none() {
        return Err(none_runs(place));
    }
    end(place, Wants::Restart { after_turns: wait }).await?;
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match status(place).await {
            Ok(Some(status)) => break status,
            Ok(None) | Err(Failure { exit: Exit::Busy, .. }) if Instant::now() < deadline => {
                sleep(AGAIN).await;
            }
            Ok(None) | Err(Failure { exit: Exit::Busy, .. }) => {
                let seconds = PATIENCE.as_secs();
                let why = format!("the hub did not start again within {seconds} s");
                return Err(Failure::new(Exit::Timeout, why));
            }
            Err(failure) => return Err(failure),
        }
    };
    let (name, version) = (&status.name, &status.attache);
    print(&match json {
        true => json!({ "name": name, "pid": status.pid, "version": version }).to_string(),
        false => format!("The hub {name} runs again, with version {version}."),
    })
}

/// Asks a hub to end, and waits until it has ended. Shows on stderr for which turns it waits.
async fn end(place: &HubPlace, wants: Wants) -> Result<(), Failure> {
    let hub = HubConnection::begin(&place.socket(), VERSION, wants).await;
    let mut hub = hub.map_err(|error| refused(place, &error))?;
    loop {
        match hub.reply().await {
            Ok(Reply::Waiting { running, waiting }) => tell(running, waiting),
            Ok(Reply::Ending) => break,
            Ok(_) => return Err(refused(place, &ConnectError::NotAHub)),
            Err(error) => return Err(refused(place, &error)),
        }
    }
    match timeout(PATIENCE, hub.reply()).await {
        Ok(Err(ConnectError::Ended)) => Ok(()),
        Ok(Err(error)) => Err(refused(place, &error)),
        Ok(Ok(_)) => Err(refused(place, &ConnectError::NotAHub)),
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            Err(Failure::new(Exit::Timeout, format!("the hub did not end within {seconds} s")))
        }
    }
}

/// Says for what the hub waits.
fn tell(running: usize, waiting: usize) {
    let turns = |count: usize| counted(count, "turn");
    let what = match (running, waiting) {
        (0, waiting) => format!("{} that a person must answer", turns(waiting)),
        (running, 0) => turns(running),
        (running, waiting) => {
            format!("{}, and {} that a person must answer", turns(running), turns(waiting))
        }
    };
    // A closed stderr is not an error.
    let _ = writeln!(io::stderr(), "Waiting for {what} … Ctrl-C stops waiting; the hub goes on.");
}

fn print(text: &str) -> Result<Exit, Failure> {
    let written = writeln!(io::stdout().lock(), "{text}");
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}
