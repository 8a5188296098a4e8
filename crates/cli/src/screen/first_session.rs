//! `--resume`: the stored session with which the screen begins.

use crate::chosen_agent::ChosenAgent;
use crate::exit::Failure;
use crate::sessions::session_id;
use attache_protocol::v1::SessionId;
use attache_session::{ListQuery, Store};
use std::path::PathBuf;

/// The session with which the screen begins.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    /// The name of its agent.
    pub(crate) agent: Option<String>,
    /// Its id; `None` for a new session.
    pub(crate) id: Option<SessionId>,
    /// Its folder.
    pub(crate) cwd: Option<PathBuf>,
    /// The words to search for, if the person chooses the session.
    pub(crate) pick: Option<String>,
}

/// Finds the session that `--resume` selects.
///
/// # Errors
/// Returns an error if the store cannot be read, or if there is no last session.
pub(crate) fn find(
    wanted: Option<&str>,
    agent: Option<&str>,
    store: Option<&dyn Store>,
) -> Result<Stored, Failure> {
    let Some(wanted) = wanted else { return Ok(Stored::default()) };
    let choose = Stored { pick: Some(wanted.to_owned()), ..Stored::default() };
    let Some(store) = store.filter(|_| !wanted.is_empty()) else { return Ok(choose) };
    // The store has the name of the agent, which is not its whole command line.
    let agent = agent.map(|agent| ChosenAgent::of(Some(agent))).transpose()?.map(|it| it.name);
    let found = match session_id::find(store, wanted, agent.as_deref()) {
        Ok(found) => found,
        Err(failure) if wanted == "last" => return Err(failure),
        Err(_) => {
            let text = Some(wanted.to_owned());
            let query = ListQuery { text, used: true, limit: 2, ..ListQuery::default() };
            let mut titled = store.list(&query)?.sessions;
            titled.dedup_by(|one, other| one.key.session_id == other.key.session_id);
            match titled.as_slice() {
                [one] => one.clone(),
                _ => return Ok(choose),
            }
        }
    };
    Ok(Stored {
        agent: Some(found.key.agent),
        id: Some(found.key.session_id),
        cwd: Some(PathBuf::from(found.summary.cwd)),
        pick: None,
    })
}
