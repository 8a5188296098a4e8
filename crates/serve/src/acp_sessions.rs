//! What the ACP clients of a hub share: the names of sessions, and who has each attached.

use crate::participant::Participant;
use attache_client::QuestionId;
use attache_protocol::v1::SessionId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many sessions that moved to another agent are remembered by their first name.
const MOVED: usize = 1024;

/// A session of a hub: the name of its agent in the hub, and its id at the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SessionName {
    pub(crate) agent: String,
    pub(crate) id: SessionId,
}

impl SessionName {
    /// Returns the id for clients, unique among the sessions of all agents: the agent's name, `/`,
    /// and the session's id. In the name, `%` and `/` are escaped.
    pub(crate) fn to_wire(&self) -> SessionId {
        let agent = self.agent.replace('%', "%25").replace('/', "%2F");
        format!("{agent}/{}", self.id.as_str()).into()
    }

    /// Reads an id that [`SessionName::to_wire`] returned; `None` if it has another form.
    pub(crate) fn from_wire(id: &SessionId) -> Option<Self> {
        let (agent, id) = id.as_str().split_once('/')?;
        let agent = agent.replace("%2F", "/").replace("%25", "%");
        Some(Self { agent, id: id.into() })
    }
}

/// What the ACP clients of a hub share.
#[derive(Debug, Default)]
pub(crate) struct AcpSessions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The connections that have each session attached.
    attached: HashMap<SessionName, Vec<Arc<Participant>>>,
    /// The sessions that moved to another agent before their first prompt, by their first id for
    /// clients, the latest at the end.
    moved: VecDeque<(SessionId, SessionName)>,
}

impl AcpSessions {
    /// Lists a connection that attaches a session, until the returned value is dropped.
    pub(crate) fn attach(
        self: &Arc<Self>,
        name: SessionName,
        participant: Arc<Participant>,
    ) -> Attachment {
        let mut state = self.state();
        state.attached.entry(name.clone()).or_default().push(Arc::clone(&participant));
        Attachment { sessions: Arc::clone(self), name, participant }
    }

    /// How many connections have the session attached.
    pub(crate) fn attached(&self, name: &SessionName) -> usize {
        self.state().attached.get(name).map(Vec::len).unwrap_or_default()
    }

    /// Whether a connection that has the session attached may still settle the question.
    pub(crate) fn may_be_settled(&self, name: &SessionName, question: QuestionId) -> bool {
        let state = self.state();
        let mut attached = state.attached.get(name).into_iter().flatten();
        attached.any(|participant| participant.may_settle(question))
    }

    /// Notes that clients which use this id mean another session from now on.
    pub(crate) fn note_move(&self, wire: &SessionId, name: SessionName) {
        let moved = &mut self.state().moved;
        moved.retain(|(known, _)| known != wire);
        if moved.len() >= MOVED {
            moved.pop_front();
        }
        moved.push_back((wire.clone(), name));
    }

    /// Returns the session that a client means by this id.
    pub(crate) fn find(&self, wire: &SessionId) -> Option<SessionName> {
        let state = self.state();
        let moved = state.moved.iter().find(|(known, _)| known == wire);
        moved.map(|(_, name)| name.clone()).or_else(|| SessionName::from_wire(wire))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that has a session attached.
#[derive(Debug)]
pub(crate) struct Attachment {
    sessions: Arc<AcpSessions>,
    name: SessionName,
    participant: Arc<Participant>,
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let mut state = self.sessions.state();
        if let Some(attached) = state.attached.get_mut(&self.name) {
            attached.retain(|other| !Arc::ptr_eq(other, &self.participant));
            if attached.is_empty() {
                state.attached.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attached_client::AttachedClients;
    use crate::{Place, Scope, Uses};
    use tokio::sync::watch;

    /// A connection that only watches a session, of a client with this scope.
    fn participant(scope: Scope) -> Arc<Participant> {
        let (_, scope) = watch::channel(Some(scope));
        let clients = Arc::new(AttachedClients::default());
        let client = clients.attach(Place::Socket, "x".to_owned(), scope, Uses::Any(None));
        Participant::new(client, false)
    }

    fn name(agent: &str, id: &str) -> SessionName {
        SessionName { agent: agent.to_owned(), id: id.into() }
    }

    #[test]
    fn an_id_for_clients_names_the_agent_and_the_session() {
        let agents = ["a", "my/agent", "100%", "%2F", "%25", "", "a%2"];
        let ids = ["s1", "a/b", "%2F", "", "x y"];
        for (agent, id) in agents.iter().flat_map(|agent| ids.iter().map(move |id| (agent, id))) {
            let name = name(agent, id);
            assert_eq!(SessionName::from_wire(&name.to_wire()), Some(name));
        }
        assert_ne!(name("a", "b/c").to_wire(), name("a/b", "c").to_wire());
        assert_eq!(SessionName::from_wire(&"plain".into()), None);
    }

    #[test]
    fn a_session_counts_as_attached_until_the_last_connection_ends() {
        let sessions = Arc::new(AcpSessions::default());
        let (participant, other) = (participant(Scope::Watch), participant(Scope::Watch));
        let first = sessions.attach(name("a", "s"), participant);
        let second = sessions.attach(name("a", "s"), other);
        drop(first);
        assert_eq!(sessions.attached(&name("a", "s")), 1);
        drop(second);
        assert_eq!(sessions.attached(&name("a", "s")), 0);
    }

    #[test]
    fn a_question_may_be_settled_by_a_participant_that_may_answer_and_has_not_failed() {
        let sessions = Arc::new(AcpSessions::default());
        let (able, watcher) = (participant(Scope::Answer), participant(Scope::Watch));
        let _watching = sessions.attach(name("a", "s"), watcher.clone());
        let attachment = sessions.attach(name("a", "s"), able.clone());
        let may = |question| sessions.may_be_settled(&name("a", "s"), QuestionId(question));
        watcher.activate();
        assert!(!may(1), "nobody that may answer takes part");
        able.activate();
        assert!(may(1));
        assert!(!sessions.may_be_settled(&name("a", "t"), QuestionId(1)));
        able.note_unsettled(QuestionId(1));
        assert!(!may(1) && may(2));
        drop(attachment);
        assert!(!may(2));
    }

    #[test]
    fn a_session_that_moved_is_found_by_its_first_id() {
        let sessions = AcpSessions::default();
        let wire = name("a", "s").to_wire();
        sessions.note_move(&wire, name("b", "t"));
        assert_eq!(sessions.find(&wire), Some(name("b", "t")));
        sessions.note_move(&wire, name("a", "s"));
        assert_eq!(sessions.find(&wire), Some(name("a", "s")));
    }
}
