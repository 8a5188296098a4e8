//! What a client prints during a turn. The judge sends marks, which are unique texts for the client
//! to print, before and after the updates that it judges.

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::verdict::{Probed, not_tested};
use serde_json::Value;
use std::time::Duration;

/// How much longer than the agent's text the client may take to show a tool call.
const SOON: Duration = Duration::from_secs(1);

/// The reason why a client's output cannot be judged.
const UNREADABLE: &str = "the client prints none of the agent's text while the turn runs, so its output cannot be judged";

/// A turn of a client, and how much of the client's output has been read.
pub(crate) struct Screen<'r> {
    pub(crate) talk: &'r mut ClientTalk,
    pub(crate) turn: ClientTurn,
    /// The prefix of every mark in this turn.
    mark: String,
    marks: usize,
    /// Whether the client shows tool calls.
    pub(crate) shows_tool_calls: bool,
    /// The number of bytes read so far from stdout and from stderr.
    read: (usize, usize),
}

impl ClientRun {
    /// Starts a turn with the first of these tasks that the client supports, and reads its output
    /// up to the first mark.
    ///
    /// # Errors
    /// The rule is not tested if the client prints none of the agent's text while the turn runs. In
    /// that case, the run does not try again.
    pub(crate) fn screen<'a>(
        &'a mut self,
        tasks: &'a [&'static str],
    ) -> Boxed<'a, Probed<Screen<'a>>> {
        Box::pin(async move {
            if self.is_unreadable {
                return not_tested(UNREADABLE);
            }
            let mark = self.nonce();
            let (text, tool) = (format!("{mark}text0"), format!("{mark}tool0"));
            let (talk, turn) = self.turn(tasks).await?;
            talk.update(&turn, tool_call(&tool));
            talk.say(&turn, &format!("{text}\n"));
            let is_readable = talk.shows(&text).await;
            let shows_tool_calls = is_readable && talk.client.prints(&tool, SOON).await;
            self.is_unreadable = !is_readable;
            match self.now().filter(|_| is_readable) {
                Some(talk) => {
                    let mut screen =
                        Screen { talk, turn, mark, marks: 0, shows_tool_calls, read: (0, 0) };
                    screen.read_on();
                    Ok(screen)
                }
                None => not_tested(UNREADABLE),
            }
        })
    }
}

/// Returns a completed tool call with this id and title.
fn tool_call(title: &str) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": title, "title": title, "kind": "other", "status": "completed"})
}

impl Screen<'_> {
    /// Sends these updates, and returns what the client prints in response.
    ///
    /// # Errors
    /// The rule is not tested if the client does not print the mark after these updates in time.
    pub(crate) async fn shows(
        &mut self,
        updates: impl IntoIterator<Item = Value>,
    ) -> Probed<String> {
        for update in updates {
            self.talk.update(&self.turn, update);
        }
        self.settles().await
    }

    /// Waits until the client has printed everything that was sent, and returns what it printed
    /// since the last call.
    pub(crate) fn settles<'a>(&'a mut self) -> Boxed<'a, Probed<String>> {
        Box::pin(async move {
            self.marks += 1;
            let (tool, text) = (
                format!("{}tool{}", self.mark, self.marks),
                format!("{}text{}", self.mark, self.marks),
            );
            self.talk.update(&self.turn, tool_call(&tool));
            self.talk.say(&self.turn, &format!("{text}\n"));
            let is_shown = self.talk.shows(&text).await
                && (!self.shows_tool_calls || self.talk.shows(&tool).await);
            if !is_shown {
                return not_tested("the client no longer shows the agent's text");
            }
            let seen = self.read_on();
            // The marks themselves are not part of the result.
            Ok(seen.replace(&tool, "").replace(&text, ""))
        })
    }

    /// Returns what the client has printed since the last call.
    fn read_on(&mut self) -> String {
        let left = self.talk.client.printed();
        let after = |stream: &str, from: usize| stream.get(from..).unwrap_or_default().to_owned();
        let seen = after(&left.stdout, self.read.0) + "\n" + &after(&left.stderr, self.read.1);
        self.read = (left.stdout.len(), left.stderr.len());
        seen
    }
}
