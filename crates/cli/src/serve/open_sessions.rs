//! The list of the open sessions of a hub, which the next start reads if the hub was killed.

use super::services::CliHubServices;
use crate::exit::{Exit, Failure};
use crate::log;
use attache_serve::{HubServices as _, SharedHub};
use attache_view::sanitize;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::NamedTempFile;
use tokio::task::JoinSet;

/// The shortest time between two looks at the sessions. A session that was opened later than that
/// before the hub was killed may be missing.
const INTERVAL: Duration = Duration::from_millis(100);

/// The maximum size of the file, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A session that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenSession {
    /// The value of `--agent` that selects the agent.
    agent: String,
    /// The id of the session.
    id: String,
    /// Its folder.
    cwd: PathBuf,
}

/// The list of open sessions in a file.
#[derive(Debug)]
pub(super) struct OpenSessions {
    file: PathBuf,
    written: Vec<OpenSession>,
}

impl OpenSessions {
    /// Reads the list that a killed hub left. After an orderly end, the list is empty.
    ///
    /// # Errors
    /// Returns an error if the file exists and cannot be read. The hub must not start then: its
    /// list would replace the unread one.
    pub(super) fn read(file: PathBuf) -> Result<Self, Failure> {
        let text = match attache_host::read_plain_text(&file, LONGEST) {
            Err(error) if crate::folder::is_missing(&error) => "[]".to_owned(),
            text => text.map_err(|error| unreadable(&file, &error))?,
        };
        let written = serde_json::from_str(&text).map_err(|error| unreadable(&file, &error))?;
        Ok(Self { file, written })
    }

    /// Opens the sessions of the list in the hub. Reports those that cannot be opened.
    pub(super) async fn resume(&self, shared: &Arc<SharedHub>, services: &CliHubServices) {
        let mut opening = JoinSet::new();
        for session in &self.written {
            let (hub, shown) = (shared.clone(), sanitize::visible_line(&session.id));
            match services.add_agent(&shared.hub, &session.agent, true) {
                Ok(agent) => {
                    let session = session.clone();
                    opening.spawn(async move {
                        let cwd = Some(session.cwd.as_path());
                        let opened = hub.hub.switch(&agent, session.id.clone(), cwd);
                        match opened.show_stored_first().await {
                            Ok(_) => {
                                log::line(&format!("attache: opened the session {shown} again"))
                            }
                            Err(error) => not_opened(&shown, &error.to_string()),
                        }
                    });
                }
                Err(why) => not_opened(&shown, &why),
            }
        }
        while opening.join_next().await.is_some() {}
    }

    /// Keeps the file up to date until the hub is gone.
    pub(super) async fn follow(mut self, shared: Arc<SharedHub>, services: Arc<CliHubServices>) {
        let mut watch = shared.hub.watch();
        loop {
            let sessions = shared.hub.sessions().into_iter().map(|session| OpenSession {
                agent: services.given(session.agent().name()),
                id: session.id().to_string(),
                cwd: session.cwd().to_owned(),
            });
            let sessions: Vec<OpenSession> = sessions.collect();
            if sessions != self.written {
                match write(&self.file, &sessions) {
                    Ok(()) => self.written = sessions,
                    Err(error) => {
                        tracing::warn!(%error, "the list of open sessions is not stored");
                    }
                }
            }
            if watch.next_within(INTERVAL).await.is_none() {
                return;
            }
        }
    }
}

/// Removes the list after an orderly end.
///
/// # Errors
/// Returns an error if the file exists and cannot be removed.
pub(super) fn remove(file: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(file) {
        Err(error) if !crate::folder::is_missing(&error) => {
            let file = file.display();
            Err(Failure::new(Exit::Internal, format!("{file} cannot be removed: {error}")))
        }
        _ => Ok(()),
    }
}

/// Replaces the file. Only the user can read it.
fn write(file: &Path, sessions: &[OpenSession]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(&serde_json::to_vec(sessions)?)?;
    new.persist(file)?;
    Ok(())
}

fn not_opened(session: &str, why: &str) {
    let why = sanitize::visible_line(why);
    log::line(&format!("attache: the session {session} was not opened again: {why}"));
}

fn unreadable(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    let file = file.display();
    let advice = "remove the file to start without these sessions";
    Failure::usage(format!("the list of open sessions {file} cannot be read: {error}; {advice}"))
}
