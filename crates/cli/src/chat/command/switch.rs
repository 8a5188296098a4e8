//! `/switch`: lists sessions, or continues the one that a number or words identify.

use crate::chat::Chat;
use crate::say::{println, say};
use crate::sessions::time::ago;
use crate::show::paint::{DIM, YELLOW};
use crate::show::width;
use crate::terminal;
use attache_client::{ListedSession, SessionFilter};
use attache_view::sanitize;
use std::time::Duration;

/// The number of sessions in a list.
const LISTED: usize = 20;

/// The time limit for agents to list their sessions.
const LISTING: Duration = Duration::from_secs(2);

impl Chat {
    /// Continues the session with this number in the latest list, or the only session that matches
    /// the words. Otherwise lists the candidates.
    pub(in crate::chat) async fn switch(&mut self, wanted: &str) {
        let number = wanted.parse::<usize>().ok().filter(|number| *number > 0);
        if let Some(chosen) = number.and_then(|number| self.listed.get(number - 1)).cloned() {
            return self.continue_session(chosen).await;
        }
        self.ask_for_lists().await;
        // A number that is not in the latest list can be part of a title.
        let found = self
            .hub
            .list(&SessionFilter { text: Some(wanted.to_owned()), ..SessionFilter::default() });
        if let (false, Some(chosen)) = (wanted.is_empty(), only_match(&found, wanted).cloned()) {
            self.listed.clear();
            return match chosen.id == *self.follow.session.id() {
                true => say(DIM, "You are already in this session."),
                false => self.continue_session(chosen).await,
            };
        }
        let nothing = found.is_empty();
        self.listed = if nothing { self.hub.list(&SessionFilter::default()) } else { found };
        let more = self.listed.len().saturating_sub(LISTED);
        self.listed.truncate(LISTED);
        self.list();
        say(DIM, &advice(wanted, nothing, self.listed.len(), more));
    }

    async fn continue_session(&mut self, chosen: ListedSession) {
        let opened = self.hub.switch(&chosen.agent, chosen.id, Some(chosen.cwd.as_ref())).await;
        self.open(opened);
    }

    /// Asks the agents and the store for their sessions, and waits briefly for the answers.
    async fn ask_for_lists(&self) {
        // The sessions of slower agents appear in the next list.
        let _ = tokio::time::timeout(LISTING, self.hub.refresh_list_and_wait()).await;
    }

    fn list(&self) {
        let now = jiff::Zoned::now();
        let columns = terminal::columns().unwrap_or(80);
        for (number, listed) in (1..).zip(&self.listed) {
            let title = listed.title.as_deref().unwrap_or("(no title)");
            let when = listed.updated_at.map(|at| ago(at, &now)).unwrap_or_default();
            let mark = if listed.id == *self.follow.session.id() { "*" } else { " " };
            // The title identifies a session, so the folder is shortened first.
            let line =
                format!("{mark} {number} {title} ({}, {when}, {})", listed.agent, listed.cwd);
            let line = sanitize::visible_line(&line);
            println(&width::cut(&line, columns));
        }
        for (agent, state) in self.hub.listings().iter().filter(|(_, state)| state.is_failed()) {
            // The store has no name.
            let whom = if agent.is_empty() { "the store" } else { agent };
            say(YELLOW, &format!("{whom} {state}"));
        }
    }
}

/// Returns the session that the words identify: the only match, or the only one with exactly this
/// title or id.
fn only_match<'l>(found: &'l [ListedSession], words: &str) -> Option<&'l ListedSession> {
    if let [one] = found {
        return Some(one);
    }
    let is_named = |listed: &&ListedSession| {
        listed.id.as_str() == words
            || listed
                .title
                .as_deref()
                .is_some_and(|title| title.to_lowercase() == words.to_lowercase())
    };
    let mut named = found.iter().filter(is_named);
    named.next().filter(|_| named.next().is_none())
}

fn advice(wanted: &str, nothing: bool, listed: usize, more: usize) -> String {
    let more =
        if more > 0 { format!(" ({more} older ones are not listed)") } else { String::new() };
    match (wanted.is_empty(), nothing, listed) {
        (_, _, 0) => "There are no sessions yet.".to_owned(),
        (true, ..) => format!("Continue a session with /switch NUMBER or /switch WORDS.{more}"),
        (false, true, _) => {
            format!(
                "No session matches “{wanted}”; these are all sessions. Continue one with /switch NUMBER.{more}"
            )
        }
        (false, false, listed) => {
            format!("{listed} sessions match “{wanted}”. Continue one with /switch NUMBER.{more}")
        }
    }
}
