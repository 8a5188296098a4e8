//! `attache serve status`, and what other commands say about a hub.

use super::VERSION;
use super::place::HubPlace;
use crate::exit::{Exit, Failure};
use attache_serve::socket::{
    ConnectError, HubConnection, HubName, HubSocket, Reply, Status, Wants,
};
use attache_view::sanitize;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

/// How long a hub may take to describe itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows the status of a hub.
pub(super) async fn show(place: &HubPlace, json: bool) -> Result<Exit, Failure> {
    let status = status(place).await?;
    let text = match (&status, json) {
        (Some(status), true) => {
            let mut value = serde_json::to_value(status).unwrap_or_default();
            if let Some(members) = value.as_object_mut() {
                members.insert("running".to_owned(), json!(true));
            }
            value.to_string()
        }
        (None, true) => json!({ "name": place.name.as_str(), "running": false }).to_string(),
        (Some(status), false) => in_lines(status),
        (None, false) => return Err(none_runs(place)),
    };
    writeln!(io::stdout().lock(), "{text}").map_err(|error| Failure::output(&error))?;
    Ok(if status.is_some() { Exit::Done } else { Exit::Usage })
}

/// Returns the status of a hub; `None` if it does not run.
///
/// # Errors
/// Returns an error if the hub does not answer, or refuses this program.
pub(crate) async fn status(place: &HubPlace) -> Result<Option<Status>, Failure> {
    let Some(folder) = place.sockets()? else { return Ok(None) };
    let asking = async {
        let mut hub = HubConnection::begin(&place.socket(), VERSION, Wants::Status).await?;
        match hub.reply().await? {
            Reply::Status(status) => Ok(status),
            _ => Err(ConnectError::NotAHub),
        }
    };
    match tokio::time::timeout(PATIENCE, asking).await.unwrap_or(Err(ConnectError::Silent)) {
        Ok(status) => Ok(Some(status)),
        Err(ConnectError::NotRunning | ConnectError::Ended)
            if !HubSocket::is_taken(&folder, &place.name) =>
        {
            Ok(None)
        }
        Err(ConnectError::NotRunning | ConnectError::Ended) => {
            let name = &place.name;
            Err(Failure::new(Exit::Busy, format!("the hub {name} starts or ends: try again")))
        }
        Err(error) => Err(refused(place, &error)),
    }
}

/// Returns the failure of a hub that does not serve this program.
pub(crate) fn refused(place: &HubPlace, error: &ConnectError) -> Failure {
    let name = &place.name;
    match error {
        ConnectError::NotRunning => none_runs(place),
        ConnectError::Version { hub } => Failure::new(
            Exit::CannotStart,
            format!(
                "the hub {name} has version {}, and this program has version {VERSION}: run `{}`",
                sanitize::visible_line(hub),
                command("attache serve restart", name)
            ),
        ),
        ConnectError::Silent => {
            Failure::new(Exit::Timeout, format!("{error}: run `{}`", stop_command(name)))
        }
        error => Failure::new(Exit::CannotStart, error),
    }
}

/// Returns the failure for a hub that does not run.
pub(super) fn none_runs(place: &HubPlace) -> Failure {
    let (name, start) = (&place.name, command("attache serve", &place.name));
    Failure::usage(format!("the hub {name} does not run: start it with `{start}`"))
}

/// Returns the command that connects to a hub.
pub(crate) fn attach_command(name: &HubName) -> String {
    command("attache attach", name)
}

/// Returns the command that shows a hub.
pub(super) fn status_command(name: &HubName) -> String {
    command("attache serve status", name)
}

fn stop_command(name: &HubName) -> String {
    command("attache serve stop", name)
}

fn command(words: &str, name: &HubName) -> String {
    match *name == HubName::default() {
        true => words.to_owned(),
        false => format!("{words} --name {name}"),
    }
}

fn in_lines(status: &Status) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<10}{}", sanitize::visible_line(value));
    };
    line("hub", &status.name);
    line("version", &status.attache);
    line("process", &status.pid.to_string());
    line("socket", &status.socket.to_string_lossy());
    if let Some(page) = &status.page {
        line("page", page);
    }
    line("runs for", &duration(status.uptime));
    line("clients", &status.clients.to_string());
    let mut sessions = status.sessions.to_string();
    for (count, what) in [(status.running, "running"), (status.waiting, "waiting for an answer")] {
        if count > 0 {
            sessions.push_str(&format!(", {count} {what}"));
        }
    }
    line("sessions", &sessions);
    for (index, agent) in status.agents.iter().enumerate() {
        let name = if index == 0 { "agents" } else { "" };
        line(name, &format!("{}: {}", agent.name, agent.state));
    }
    text.trim_end().to_owned()
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, in_lines};
    use attache_serve::socket::{AgentStatus, Status};

    #[test]
    fn a_status_names_what_runs_and_waits() {
        let agent = |name: &str| AgentStatus { name: name.to_owned(), state: "running".to_owned() };
        let status = Status {
            name: "default".to_owned(),
            sessions: 3,
            running: 1,
            waiting: 1,
            agents: vec![agent("attache"), agent("evil\x1b[2J")],
            ..Status::default()
        };
        let text = in_lines(&status);
        assert!(text.contains("sessions  3, 1 running, 1 waiting for an answer"), "{text}");
        assert!(text.contains("agents    attache: running\n          evil"), "{text}");
        assert!(!text.contains('\x1b'), "{text}");
        assert_eq!([59, 60, 3599, 7260].map(duration), ["59 s", "1 min", "59 min", "2 h 1 min"]);
    }
}
