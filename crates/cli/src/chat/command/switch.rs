//! `/switch`: lists sessions, or goes on with the one that a number or words name.

use crate::chat::Chat;
use crate::follow::{println, say};
use crate::sessions::when::ago;
use crate::show::paint::{DIM, YELLOW};
use crate::show::{sanitize, width};
use crate::terminal;
use attache_client::{ListedSession, SessionFilter};
use std::time::Duration;

/// How many sessions are listed at once.
const LISTED: usize = 20;

/// How long agents are waited for when sessions are listed.
const LISTING: Duration = Duration::from_secs(2);

impl Chat {
    /// Goes on with the session of this number in the last list, else with the one session that
    /// these words name. Lists what could be meant where that is not one.
    pub(super) async fn switch(&mut self, wanted: &str) {
        let number = wanted.parse::<usize>().ok().filter(|number| *number > 0);
        if let Some(chosen) = number.and_then(|number| self.listed.get(number - 1)).cloned() {
            return self.go_on(chosen).await;
        }
        self.ask_for_lists().await;
        // A number that the last list does not have may stand in a title.
        let found = self
            .hub
            .list(&SessionFilter { text: Some(wanted.to_owned()), ..SessionFilter::default() });
        if let (false, Some(chosen)) = (wanted.is_empty(), the_one(&found, wanted).cloned()) {
            self.listed.clear();
            return match chosen.id == *self.follow.session.id() {
                true => say(DIM, "This is the session you are in."),
                false => self.go_on(chosen).await,
            };
        }
        let nothing = found.is_empty();
        self.listed = if nothing { self.hub.list(&SessionFilter::default()) } else { found };
        let more = self.listed.len().saturating_sub(LISTED);
        self.listed.truncate(LISTED);
        self.list();
        say(DIM, &advice(wanted, nothing, self.listed.len(), more));
    }

    async fn go_on(&mut self, chosen: ListedSession) {
        let opened = self.hub.switch(&chosen.agent, chosen.id, Some(chosen.cwd.as_ref())).await;
        self.open(opened);
    }

    /// Asks agents and store which sessions they have, and waits a little for their answers.
    async fn ask_for_lists(&self) {
        self.hub.refresh_list();
        let mut watch = self.hub.watch();
        let asked = async {
            while self.hub.listings().iter().any(|(_, state)| state.is_asking())
                && watch.next().await.is_some()
            {}
        };
        // Agents that take longer are listed the next time.
        let _ = tokio::time::timeout(LISTING, asked).await;
    }

    fn list(&self) {
        let now = jiff::Zoned::now();
        let columns = terminal::columns().unwrap_or(80);
        for (number, listed) in (1..).zip(&self.listed) {
            let title = listed.title.as_deref().unwrap_or("(no title)");
            let when = listed.updated_at.map(|at| ago(at, &now)).unwrap_or_default();
            let mark = if listed.id == *self.follow.session.id() { "*" } else { " " };
            // The title is what tells sessions apart: the folder gives way first.
            let line =
                format!("{mark} {number} {title} ({}, {when}, {})", listed.agent, listed.cwd);
            let line = sanitize::visible_line(&line);
            println(&width::cut(&line, columns));
        }
        for (agent, state) in self.hub.listings().iter().filter(|(_, state)| state.is_failed()) {
            say(YELLOW, &format!("{agent} {state}"));
        }
    }
}

/// The session that the words name: the only one found, else the only one with just this title or
/// id.
fn the_one<'l>(found: &'l [ListedSession], words: &str) -> Option<&'l ListedSession> {
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
