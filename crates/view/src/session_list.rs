//! The list of sessions over all agents.

mod attention;
mod open_session;

pub use attention::{AttentionItem, AttentionReason};
pub use open_session::OpenSession;

use crate::id;
use crate::money;
use crate::sanitize;
use crate::span::{Line, Role};
use crate::status::{Activity, StatusLine, StatusParts};
use attache_client::{Hub, ListedSession, Question, SessionFilter};
use attache_protocol::v1::SessionId;
use attache_session::{EntryContent, MessageAuthor, Session};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

/// The number of the latest entries that are searched for unread answers.
const LATEST: usize = 500;

/// The sessions of a hub, and who waits for the person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SessionListView {
    /// The sessions, the newest first.
    pub sessions: Vec<SessionItem>,
    /// What needs the person, the most urgent first: questions, the oldest first; then problems;
    /// then answers that the person has not seen.
    pub attention: Vec<AttentionItem>,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SessionItem {
    /// The name of the agent in the hub.
    pub agent: String,
    /// The id of the session.
    pub id: String,
    /// The title; empty if the session has none.
    pub title: Line,
    /// The folder.
    pub folder: Line,
    /// What happens in the session; `None` if it is not open.
    pub activity: Option<Activity>,
    /// When it last changed, in milliseconds since 1970; `None` if unknown.
    pub updated_at: Option<i64>,
    /// The number of answers that the person has not seen.
    pub unread: usize,
    /// The number of prompts that wait for their turn.
    pub queued: usize,
    /// The cost, if the agent says it. Only open sessions have one.
    pub cost: Option<Line>,
    /// All tags.
    pub tags: Vec<String>,
    /// The tags to show: see [`shown_tags`].
    pub shown_tags: Vec<String>,
    /// The status that the person or the agent gave the session.
    pub status: Option<Line>,
    /// Whether the session is archived.
    pub archived: bool,
    /// Whether its history can be read without its agent.
    pub stored: bool,
}

/// Makes the list of sessions. Remembers what the person has seen of each session.
#[derive(Debug, Default)]
pub struct SessionList {
    /// The number of entries that the person has seen, by agent and id.
    seen: HashMap<(String, SessionId), usize>,
}

impl SessionList {
    /// Returns the sessions of a hub that pass the filter, and what needs the person in any open
    /// session.
    pub fn of(&mut self, hub: &Hub, filter: &SessionFilter) -> SessionListView {
        let open: Vec<OpenSession> = hub.sessions().iter().map(OpenSession::from).collect();
        let agents = hub.agents();
        let questions = agents.iter().map(|agent| (agent.name().to_owned(), agent.questions()));
        self.view(&hub.list(filter), &open, &questions.collect::<Vec<_>>())
    }

    /// Returns the list for these sessions. `questions` are those of agents, by their names, that
    /// belong to no session.
    ///
    /// The answers of a session that was not open at the last call count as seen.
    pub fn view(
        &mut self,
        listed: &[ListedSession],
        open: &[OpenSession],
        questions: &[(String, Vec<Question>)],
    ) -> SessionListView {
        self.seen.retain(|(agent, id), _| {
            open.iter().any(|open| open.agent == *agent && open.session.id() == id)
        });
        let mut by_key: HashMap<(&str, &SessionId), (&OpenSession, StatusLine, usize)> =
            HashMap::with_capacity(open.len());
        for open in open {
            let (key, unread) = ((open.agent.as_str(), open.session.id()), self.unread(open));
            by_key.insert(key, (open, status(open), unread));
        }
        let item = |listed: &ListedSession| {
            let open = by_key.get(&(listed.agent.as_str(), &listed.id));
            item(listed, open.map(|(open, status, unread)| (*open, status, *unread)))
        };
        let opened =
            open.iter().filter_map(|open| by_key.get(&(open.agent.as_str(), open.session.id())));
        let opened = opened.map(|(open, status, unread)| (*open, status, *unread));
        SessionListView {
            sessions: listed.iter().map(item).collect(),
            attention: attention::of(opened, questions),
        }
    }

    /// Records that the person has seen this state of a session of an agent.
    pub fn mark_seen(&mut self, agent: &str, session: &Session) {
        let key = (agent.to_owned(), session.id().clone());
        self.seen.insert(key, session.entries().len());
    }

    /// The number of answers that the person has not seen.
    fn unread(&mut self, open: &OpenSession) -> usize {
        let entries = open.session.entries();
        let key = (open.agent.clone(), open.session.id().clone());
        let seen = (*self.seen.entry(key).or_insert(entries.len())).min(entries.len());
        let new = entries.iter().rev().take((entries.len() - seen).min(LATEST));
        let is_answer = |content: &EntryContent| {
            matches!(content, EntryContent::Message { author: MessageAuthor::Agent, .. })
        };
        new.filter(|entry| is_answer(&entry.content)).count()
    }
}

/// Returns the tags of a session that say more than its folder does: the built-in agent tags each
/// session with its project, which usually has the name of the folder.
pub fn shown_tags(session: &ListedSession) -> impl Iterator<Item = String> {
    let folder = Path::new(&session.cwd).file_name();
    let says_more = move |tag: &&String| {
        let project = tag.strip_prefix("project:").map(OsStr::new);
        project.is_none() || project != folder
    };
    session.labels.tags.iter().filter(says_more).map(|tag| sanitize::line(tag))
}

fn status(open: &OpenSession) -> StatusLine {
    StatusLine::new(&StatusParts {
        agent: &open.agent,
        session: &open.session,
        state: &open.state,
        questions: &open.questions,
        queued: open.queued,
        held: open.held.as_ref(),
        not_stored: None,
    })
}

fn item(listed: &ListedSession, open: Option<(&OpenSession, &StatusLine, usize)>) -> SessionItem {
    let line = |text: &str| Line::of(sanitize::line(text), Role::Text);
    SessionItem {
        agent: sanitize::line(&listed.agent),
        id: id::shown(listed.id.as_str()),
        title: line(listed.title.as_deref().unwrap_or_default()),
        folder: Line::of(sanitize::visible_line(&listed.cwd), Role::Path),
        activity: open.map(|(_, status, _)| status.activity.clone()),
        updated_at: listed.updated_at.map(|at| at.0),
        unread: open.map_or(0, |(_, _, unread)| unread),
        queued: open.map_or(0, |(open, ..)| open.queued),
        cost: open.and_then(|(open, ..)| open.session.usage().cost().map(money::cost)),
        tags: listed.labels.tags.iter().map(|tag| sanitize::line(tag)).collect(),
        shown_tags: shown_tags(listed).collect(),
        status: listed.labels.status.as_deref().map(line),
        archived: listed.archived,
        stored: listed.stored,
    }
}

#[cfg(test)]
mod tests;
