//! One list of all sessions, from the agents and from the store.

use attache_protocol::v1::{SessionId, SessionInfo};
use attache_session::{
    ArchivedFilter, Labels, ListEntry, ListPage, Session, StoreError, Timestamp,
};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// A session in a hub's list, merged from what its agent and the store say about it. The newer
/// statement wins.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListedSession {
    /// The name of its agent in the hub.
    pub agent: String,
    /// The id of the session at its agent. [`crate::Hub::switch`] opens the session by this id.
    pub id: SessionId,
    /// The title of the session.
    pub title: Option<String>,
    /// The folder of the session; empty if unknown.
    pub cwd: String,
    /// When it last changed; `None` if unknown.
    pub updated_at: Option<Timestamp>,
    /// The tags and the status of the session.
    pub labels: Labels,
    /// Whether it is archived.
    pub archived: bool,
    /// Whether its agent lists it.
    pub at_agent: bool,
    /// Whether its history is in the store.
    pub stored: bool,
    /// Whether it is open in the hub.
    pub open: bool,
}

impl ListedSession {
    /// Returns a session of which only the agent and the id are known.
    pub fn new(agent: impl Into<String>, id: impl Into<SessionId>) -> Self {
        Self {
            agent: agent.into(),
            id: id.into(),
            title: None,
            cwd: String::new(),
            updated_at: None,
            labels: Labels::default(),
            archived: false,
            at_agent: false,
            stored: false,
            open: false,
        }
    }
}

/// Selects sessions to list. The default is all sessions that are not archived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions with this text in the title, folder, id, status or a tag. Case does not
    /// matter.
    pub text: Option<String>,
    /// Only sessions of the agent with this name.
    pub agent: Option<String>,
    /// Only sessions with exactly this folder.
    pub cwd: Option<String>,
    /// Only sessions with this tag.
    pub tag: Option<String>,
    /// Only sessions with this status.
    pub status: Option<String>,
    /// Whether to list archived sessions.
    pub archived: ArchivedFilter,
}

/// The progress of listing the sessions of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentListing {
    /// The agent does not run, so the hub did not ask it.
    NotRunning,
    /// The agent does not offer lists. Its listed sessions come from the store.
    NotOffered,
    /// The hub is asking the agent, which has listed this many sessions so far.
    Asking(usize),
    /// The agent has listed all its sessions: this many.
    Listed(usize),
    /// The agent did not list all sessions, for this reason.
    Failed(Arc<str>),
}

impl AgentListing {
    /// Whether more sessions may come.
    pub fn is_asking(&self) -> bool {
        matches!(self, Self::Asking(_))
    }

    /// Whether sessions may be missing.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl fmt::Display for AgentListing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("is not running, so it was not asked"),
            Self::NotOffered => f.write_str("offers no list"),
            Self::Asking(count) => write!(f, "has listed {count} so far"),
            Self::Listed(count) => write!(f, "has listed {count}"),
            Self::Failed(why) => write!(f, "could not list all sessions: {why}"),
        }
    }
}

/// The name under which a [`List`] has the store beside the agents.
pub(crate) const STORE: &str = "";

/// The known sessions, by agent and id.
#[derive(Debug, Default)]
pub(crate) struct List {
    known: HashMap<(Arc<str>, SessionId), Known>,
    /// The progress of each agent's list, by the agent's name, and of the store's.
    pub(crate) listings: BTreeMap<String, AgentListing>,
    /// Counts the rounds in which each agent and the store were asked. A session that is missing
    /// from the newest round is gone.
    rounds: HashMap<String, u64>,
}

/// The facts about one session.
#[derive(Debug, Default)]
struct Known {
    at_agent: Option<(u64, Facts)>,
    stored: Option<(u64, Facts)>,
}

#[derive(Debug, Default)]
struct Facts {
    title: Option<String>,
    cwd: String,
    updated_at: Option<Timestamp>,
    labels: Labels,
    archived: bool,
}

impl List {
    /// Starts a new round of asking an agent or the store. Returns its number.
    pub(crate) fn begin(&mut self, whom: &str) -> u64 {
        let round = self.rounds.entry(whom.to_owned()).or_default();
        *round += 1;
        *round
    }

    /// Adds a page of an agent's list.
    pub(crate) fn listed(&mut self, agent: &str, round: u64, page: Vec<SessionInfo>) {
        let agent: Arc<str> = agent.into();
        for info in page {
            let facts = Facts {
                title: info.title.as_deref().and_then(attache_session::title),
                cwd: info.cwd,
                updated_at: info.updated_at.as_deref().and_then(Timestamp::of_rfc3339),
                labels: info.meta.as_ref().map(Labels::of_meta).unwrap_or_default(),
                archived: info.archived.unwrap_or(false),
            };
            let known = self.known.entry((agent.clone(), info.session_id)).or_default();
            known.at_agent = Some((round, facts));
        }
    }

    fn stored(&mut self, round: u64, page: Vec<ListEntry>) {
        for ListEntry { key, summary } in page {
            let (began, updated) = (summary.began_at, summary.updated_at);
            let unused = summary.prompts == 0 && summary.info.title().is_none() && began == updated;
            if unused && began != Timestamp::default() {
                // This hub opened the session and never used it.
                continue;
            }
            let facts = Facts {
                title: summary.info.title().map(ToOwned::to_owned),
                updated_at: Some(summary.updated_at).filter(|at| *at != Timestamp::default()),
                labels: Labels::of(&summary.info),
                archived: summary.archived,
                cwd: summary.cwd,
            };
            let known = self.known.entry((key.agent.as_str().into(), key.session_id)).or_default();
            known.stored = Some((round, facts));
        }
    }

    /// Ends a round of an agent. The agent no longer has the sessions that it did not list.
    pub(crate) fn end(&mut self, agent: &str, round: u64) {
        self.known.retain(|(of, _), known| {
            if **of == *agent {
                known.at_agent.take_if(|(at, _)| *at != round);
            }
            known.at_agent.is_some() || known.stored.is_some()
        });
    }

    /// Adds a page of the store's list. Returns where the next page begins; `None` if no page is
    /// wanted, because this was the last one, the store failed, or a later round asks it again.
    pub(crate) fn store_answered(
        &mut self,
        round: u64,
        answer: Result<ListPage, StoreError>,
    ) -> Option<String> {
        if self.rounds.get(STORE) != Some(&round) {
            return None;
        }
        let page = match answer {
            Ok(page) => page,
            Err(error) => {
                let failed = AgentListing::Failed(error.to_string().into());
                self.listings.insert(STORE.to_owned(), failed);
                return None;
            }
        };
        self.stored(round, page.sessions);
        if page.next.is_none() {
            self.end_stored(round);
        }
        page.next
    }

    /// Ends a round of the store, which no longer has the sessions that it did not list.
    fn end_stored(&mut self, round: u64) {
        self.known.retain(|_, known| {
            known.stored.take_if(|(at, _)| *at != round);
            known.at_agent.is_some() || known.stored.is_some()
        });
        self.listings.remove(STORE);
    }

    /// The folder of a session.
    pub(crate) fn cwd(&self, agent: &str, id: &SessionId) -> Option<String> {
        let known = self.known.get(&(Arc::from(agent), id.clone()))?;
        let facts = known.at_agent.iter().chain(&known.stored).map(|(_, facts)| &facts.cwd);
        facts.into_iter().find(|cwd| !cwd.is_empty()).cloned()
    }

    /// The sessions that pass the filter, including open ones. The newest come first, and those
    /// without a time last.
    pub(crate) fn sessions(
        &self,
        open: &[(String, Session)],
        filter: &SessionFilter,
    ) -> Vec<ListedSession> {
        let mut all: HashMap<(&str, &SessionId), ListedSession> =
            HashMap::with_capacity(self.known.len());
        for ((agent, id), known) in &self.known {
            if filter.agent.as_deref().is_none_or(|wanted| wanted == &**agent) {
                all.insert((agent, id), known.taken_together(agent, id));
            }
        }
        for (agent, session) in open {
            if filter.agent.as_ref().is_some_and(|wanted| wanted != agent) {
                continue;
            }
            let listed = all
                .entry((agent, session.id()))
                .or_insert_with(|| Known::default().taken_together(agent, session.id()));
            listed.open = true;
            if !session.cwd().is_empty() {
                listed.cwd = session.cwd().to_owned();
            }
            listed.title = session.info().title().map(ToOwned::to_owned).or(listed.title.take());
            listed.updated_at = listed
                .updated_at
                .max(Some(session.last_activity()).filter(|at| *at != Timestamp::default()));
            if session.info().meta().is_some() {
                listed.labels = Labels::of(session.info());
            }
        }
        let text = filter.text.as_deref().map(str::to_lowercase);
        let mut sessions: Vec<_> =
            all.into_values().filter(|listed| filter.passes(listed, text.as_deref())).collect();
        sessions.sort_unstable_by(|one, other| {
            let by_time = other.updated_at.cmp(&one.updated_at);
            by_time
                .then_with(|| (&one.agent, one.id.as_str()).cmp(&(&other.agent, other.id.as_str())))
        });
        sessions
    }
}

impl Known {
    fn taken_together(&self, agent: &str, id: &SessionId) -> ListedSession {
        let (theirs, ours) =
            (self.at_agent.as_ref().map(|(_, it)| it), self.stored.as_ref().map(|(_, it)| it));
        let newer_ours = ours.map(|it| it.updated_at) > theirs.map(|it| it.updated_at);
        let (first, second) = if newer_ours { (ours, theirs) } else { (theirs, ours) };
        let facts = || first.into_iter().chain(second);
        ListedSession {
            agent: agent.to_owned(),
            id: id.clone(),
            title: facts().find_map(|facts| facts.title.clone()),
            cwd: facts()
                .map(|facts| &facts.cwd)
                .find(|cwd| !cwd.is_empty())
                .cloned()
                .unwrap_or_default(),
            updated_at: facts().filter_map(|facts| facts.updated_at).max(),
            labels: facts()
                .map(|facts| &facts.labels)
                .find(|it| **it != Labels::default())
                .cloned()
                .unwrap_or_default(),
            // If the agent lists the session, the agent decides.
            archived: theirs.or(ours).is_some_and(|facts| facts.archived),
            at_agent: theirs.is_some(),
            stored: ours.is_some(),
            open: false,
        }
    }
}

impl SessionFilter {
    /// Whether a session passes. `text` is in lower case.
    fn passes(&self, listed: &ListedSession, text: Option<&str>) -> bool {
        let archived = match self.archived {
            ArchivedFilter::Exclude => !listed.archived,
            ArchivedFilter::Include => true,
            ArchivedFilter::Only => listed.archived,
        };
        archived
            && self.cwd.as_ref().is_none_or(|cwd| *cwd == listed.cwd)
            && self.tag.as_ref().is_none_or(|tag| listed.labels.tags.contains(tag))
            && self
                .status
                .as_ref()
                .is_none_or(|status| listed.labels.status.as_ref() == Some(status))
            && text.is_none_or(|text| {
                let title = listed.title.as_deref().unwrap_or_default();
                let status = listed.labels.status.as_deref().unwrap_or_default();
                let tags = listed.labels.tags.iter().map(String::as_str);
                let mut places =
                    [title, &listed.cwd, listed.id.as_str(), status].into_iter().chain(tags);
                places.any(|place| place.to_lowercase().contains(text))
            })
    }
}
