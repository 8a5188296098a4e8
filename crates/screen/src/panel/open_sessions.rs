//! What happens in the open sessions, in a few words.

use super::Facts;
use super::attention::since;
use attache_client::ListedSession;
use attache_protocol::v1::SessionId;
use attache_view::{OpenSession, SessionItem, SessionList};
use std::collections::HashMap;

/// Returns what happens in those of the listed sessions that are open, by agent and session: what
/// they wait for and since when, or what they do, and what they cost.
pub(crate) fn open_sessions(
    facts: &Facts<'_>,
    listed: &[ListedSession],
) -> HashMap<(String, SessionId), String> {
    let open: Vec<OpenSession> = facts.hub.sessions().iter().map(OpenSession::from).collect();
    let listed: Vec<ListedSession> = listed.iter().filter(|it| it.open).cloned().collect();
    let view = SessionList::default().view(&listed, &open, &[]);
    let words = |item: &SessionItem| {
        let waits = view
            .attention
            .iter()
            .find(|waits| waits.agent == item.agent && waits.session.as_ref() == Some(&item.id));
        let does = match (waits, &item.activity) {
            (Some(waits), _) => Some((waits.line.text(), waits.since)),
            (None, Some(does)) => Some((does.line.text(), does.since)),
            (None, None) => None,
        };
        let does = does.filter(|(text, _)| !text.is_empty()).map(|(text, at)| match at {
            Some(at) => format!("{text}, {}", since(at, facts.now)),
            None => text,
        });
        let cost = item.cost.as_ref().map(|cost| cost.text());
        does.into_iter().chain(cost).collect::<Vec<_>>().join("  ")
    };
    let words: Vec<String> = view.sessions.iter().map(words).collect();
    let keys = listed.into_iter().map(|it| (it.agent, it.id));
    keys.zip(words).collect()
}
