//! The life cycle of sessions (SESS, LIST, DEL, PROMPT-01, INFO-04).

pub(super) mod list;

use super::finding::Report;
use super::known::Known;
use super::seen::{Asked, Body, Seen, is, quoted, text};
use attache_protocol::method::{
    SessionClose, SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew, SessionPrompt,
    SessionResume, SessionSetTitle, Side,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The sessions of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The open sessions, with the line that opened each.
    open: HashMap<String, usize>,
    /// All ids that the agent assigned to new sessions.
    given: HashMap<String, usize>,
    closed: HashMap<String, usize>,
    deleted: HashMap<String, usize>,
    /// Calls without a reply that open a session, by line, each with the session if it names one.
    opening: BTreeMap<usize, Option<String>>,
    /// Prompts of sessions that one of these calls may have opened.
    early: Vec<EarlyPrompt>,
    /// The sessions of subagents.
    children: HashSet<String>,
    /// Sessions that received a prompt although they are not open. Each is reported once.
    reported: HashSet<String>,
    /// The number of list calls without a reply.
    listing: usize,
    /// Sessions that are being resumed, by the line of the call.
    resuming: HashMap<String, usize>,
    loading: HashSet<String>,
    /// The cursors that were returned.
    cursors: HashSet<String>,
    /// Whether the last page was the end of a list.
    is_at_end: bool,
    /// Whether a session was deleted after the last cursor was returned.
    is_disturbed: bool,
    /// The line of the last load's reply, until the next prompt.
    loaded: HashMap<String, usize>,
    /// The notices of each session, as they were sent.
    notices: HashMap<String, HashSet<String>>,
    /// The last reported values by session and member, each with the rule about the value and the
    /// line that reported it.
    info: HashMap<(String, &'static str), (Value, &'static str, usize)>,
    /// Titles that a list contains but no update has reported, each with the line of the list.
    untold: HashMap<String, (Value, usize)>,
    /// The titles of each session so far.
    titles: HashMap<String, Vec<Value>>,
    /// Whether a call that the recording lacks may have opened a session.
    pub(super) misses_calls: bool,
}

/// A prompt for a session that is not known to be open.
#[derive(Debug)]
struct EarlyPrompt {
    session: String,
    /// The line of the prompt.
    line: usize,
    /// The lines of the calls that may have opened the session.
    by: Vec<usize>,
}

/// How many early prompts are remembered.
const EARLY: usize = 256;
/// How many notices are remembered per session.
const NOTICES: usize = 64;
/// How many titles are remembered per session.
const TITLES: usize = 16;
/// The length in bytes up to which a list must contain a title unchanged. Longer titles may be
/// truncated (INFO-11).
const TITLE: usize = 200;

/// Updates about the conversation.
const SAID: [&str; 6] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        match &seen.body {
            Body::Asked(asked) if seen.from == Side::Client => self.asked(asked, known, report),
            Body::Asked(_) => self.update(seen, known, report),
            Body::Replied { .. } => self.replied(seen, report),
        }
    }

    fn asked(&mut self, asked: &Asked<'_>, known: &Known, report: &mut Report) {
        let session = text(&asked.params, "sessionId").unwrap_or_default();
        if is::<SessionPrompt>(asked.row) && known.agent.is_some() {
            self.prompted(session, report);
        }
        if is::<SessionNew>(asked.row) || is::<SessionFork>(asked.row) {
            self.opening.insert(report.line(), None);
        }
        if is::<SessionLoad>(asked.row) || is::<SessionResume>(asked.row) {
            self.opening.insert(report.line(), Some(session.to_owned()));
        }
        if is::<SessionResume>(asked.row) {
            self.resuming.insert(session.to_owned(), report.line());
        }
        if is::<SessionLoad>(asked.row) {
            self.loading.insert(session.to_owned());
        }
        if is::<SessionLoad>(asked.row) || is::<SessionPrompt>(asked.row) {
            self.loaded.remove(session);
        }
        if is::<SessionList>(asked.row)
            && let Some(cursor) = text(&asked.params, "cursor")
        {
            // A page that the recording lacks may have returned the cursor.
            let is_given = self.cursors.contains(cursor) || self.listing > 0;
            if self.is_at_end {
                report.keeps("LIST-06", is_given, || {
                    format!("the list has ended, but the page {} is requested", quoted(cursor))
                });
            }
            report.keeps("LIST-07", is_given, || {
                format!("the agent never returned the cursor {}", quoted(cursor))
            });
        }
        if is::<SessionList>(asked.row) {
            self.listing += 1;
        }
    }

    /// Judges a prompt, whose session must be open. If the recording lacks the reply to a call that
    /// opens the session, the session may be open.
    fn prompted(&mut self, session: &str, report: &mut Report) {
        report.tests(&["PROMPT-01"]);
        if self.open.contains_key(session) || self.misses_calls {
            return;
        }
        let may_open = self
            .opening
            .iter()
            .filter(|(_, named)| named.as_deref().is_none_or(|named| named == session));
        let by: Vec<usize> = may_open.map(|(line, _)| *line).collect();
        if !by.is_empty() && self.early.len() < EARLY {
            return self.early.push(EarlyPrompt {
                session: session.to_owned(),
                line: report.line(),
                by,
            });
        }
        // Report this once per session, because such a client usually repeats the fault.
        if self.reported.len() < EARLY && self.reported.insert(session.to_owned()) {
            report.breaks("PROMPT-01", format!("no session {} is open", quoted(session)));
        }
    }

    /// Records the reply to the call on this line. Prompts before this reply came too early, unless
    /// another call opened their session.
    fn open_call_answered(&mut self, call: usize, opened: Option<&str>, report: &mut Report) {
        self.opening.remove(&call);
        for mut early in std::mem::take(&mut self.early) {
            let is_meant = early.by.contains(&call);
            early.by.retain(|line| *line != call);
            if !is_meant || (!early.by.is_empty() && opened != Some(early.session.as_str())) {
                self.early.push(early);
            } else if self.reported.len() < EARLY && self.reported.insert(early.session.clone()) {
                let seen = format!(
                    "the session {} was prompted before it was open",
                    quoted(&early.session)
                );
                report.other_contradicts("PROMPT-01", early.line, seen);
            }
        }
    }

    fn update(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        let Some((session, update)) = seen.update() else { return };
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        let opens_again = self.resuming.contains_key(session) || self.loading.contains(session);
        if kind == "subagent_update" {
            self.children.extend(text(update, "sessionId").map(str::to_owned));
        }
        if SAID.contains(&kind)
            && known.agent.is_some()
            && self.opening.is_empty()
            && !self.misses_calls
        {
            let is_known = self.given.contains_key(session)
                || self.open.contains_key(session)
                || self.closed.contains_key(session)
                || self.deleted.contains_key(session)
                || self.children.contains(session);
            report.keeps("SESS-06", is_known, || {
                format!("{kind} for {}, which is not a session of this connection", quoted(session))
            });
        }
        if let Some(line) = self.closed.get(session).filter(|_| !opens_again) {
            report.contradicts("SESS-25", *line, format!("{kind} for a session that is closed"));
        }
        if let Some(line) = self.resuming.get(session)
            && !self.open.contains_key(session)
        {
            let is_said = SAID.contains(&kind).then_some(*line);
            report.agrees("SESS-19", is_said, || format!("{kind} while the session is resumed"));
        }
        if kind == "user_message_chunk"
            && let Some(line) = self.loaded.get(session)
        {
            report.contradicts(
                "SESS-14",
                *line,
                "the history continues after the reply to the load",
            );
        }
        if kind == "notice" {
            self.noticed(session, update, report);
        }
        if kind != "subagent_update" {
            report.keeps("SESS-04", update.get("cwd").is_none(), || {
                "the update has a cwd".to_owned()
            });
        }
        if kind == "session_info_update" {
            report.tests(&["INFO-04"]);
            for key in ["sessionId", "cwd", "additionalDirectories"] {
                if update.get(key).is_some() {
                    report.breaks("INFO-04", format!("the update has {key}"));
                }
            }
            self.judge_session_info(session, update, report);
        }
    }

    /// Judges a notice. A load must not repeat notices, because they do not belong to the history.
    /// It may send new notices.
    fn noticed(&mut self, session: &str, update: &Value, report: &mut Report) {
        let notices = self.notices.entry(session.to_owned()).or_default();
        let is_known = notices.contains(&update.to_string());
        if self.loading.contains(session) {
            for rule in ["SESS-16", "NOTE-03"] {
                report.keeps(rule, !is_known, || "the load sends a notice again".to_owned());
            }
        } else if notices.len() < NOTICES {
            notices.insert(update.to_string());
        }
    }

    fn titled(&mut self, session: &str, title: &Value) {
        let titles = self.titles.entry(session.to_owned()).or_default();
        if titles.len() < TITLES && !titles.contains(title) {
            titles.push(title.clone());
        }
    }

    /// Judges whether an update of the session's info reports only changes.
    fn judge_session_info(&mut self, session: &str, update: &Value, report: &mut Report) {
        for key in ["title", "updatedAt"] {
            let Some(value) = update.get(key) else { continue };
            if key == "title" {
                self.titled(session, value);
            }
            let reported = (value.clone(), "INFO-05", report.line());
            if let Some((before, rule, line)) =
                self.info.insert((session.to_owned(), key), reported)
                && rule == "INFO-05"
            {
                report.agrees("INFO-02", (before == *value).then_some(line), || {
                    format!("{key} has not changed")
                });
            }
        }
    }

    fn replied(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let new = seen.result::<SessionNew>().or_else(|| seen.result::<SessionFork>());
        if let Some(id) = new.and_then(|(_, result)| text(result, "sessionId")) {
            let earlier = self.given.insert(id.to_owned(), report.line());
            report.agrees("SESS-01", earlier, || {
                format!("{} is the id of another session", quoted(id))
            });
        }
        if let Some((call, result)) = seen.result::<SessionSetTitle>()
            && let Some(session) = text(&call.params, "sessionId")
        {
            let title = result.get("title").cloned().unwrap_or_default();
            self.titled(session, &title);
            self.info.insert((session.to_owned(), "title"), (title, "TITLE-01", report.line()));
        }
        if let Body::Replied { to, .. } = &seen.body
            && self.opening.contains_key(&to.line)
        {
            let opened = seen.opened().map(|(session, _)| session);
            self.open_call_answered(to.line, opened.as_deref(), report);
        }
        if let Some((session, _)) = seen.opened() {
            self.reported.remove(&session);
            self.info.retain(|(of, _), _| *of != session);
            self.closed.remove(&session);
            self.deleted.remove(&session);
            self.open.insert(session, report.line());
        }
        if let Some((call, _)) = seen.reply::<SessionResume>() {
            self.resuming.remove(text(&call.params, "sessionId").unwrap_or_default());
        }
        if let Some((call, outcome)) = seen.reply::<SessionLoad>() {
            let session = text(&call.params, "sessionId").unwrap_or_default();
            self.loading.remove(session);
            if outcome.is_ok() {
                report.tests(&["SESS-14"]);
                self.loaded.insert(session.to_owned(), report.line());
            }
        }
        if let Some((call, _)) = seen.result::<SessionClose>()
            && let Some(session) = text(&call.params, "sessionId")
        {
            self.open.remove(session);
            self.closed.insert(session.to_owned(), report.line());
        }
        if let Some((call, outcome)) = seen.reply::<SessionDelete>()
            && let Some(session) = text(&call.params, "sessionId")
        {
            self.is_disturbed = true;
            if let Some(earlier) = self.deleted.get(session) {
                report.agrees("DEL-03", outcome.is_err().then_some(*earlier), || {
                    format!("{} is already deleted, but deleting it again fails", quoted(session))
                });
            }
            if outcome.is_ok() {
                self.deleted.insert(session.to_owned(), report.line());
            }
        }
        if seen.reply::<SessionList>().is_some() {
            self.listing = self.listing.saturating_sub(1);
        }
        if let Some((call, result)) = seen.result::<SessionList>() {
            self.paged(call, result, report);
            self.listed(call, result, report);
        }
    }
}
