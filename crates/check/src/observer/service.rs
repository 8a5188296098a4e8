//! Files and terminals of the client (FS, TERM).

use super::finding::Report;
use super::seen::{Body, OpenCall, Seen, entries, has, is, quoted, text};
use attache_protocol::method::{
    FsReadTextFile, SessionPrompt, TerminalCreate, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use serde_json::Value;
use std::collections::HashMap;

/// The terminals of all sessions.
#[derive(Debug, Default)]
pub(super) struct Judge {
    terminals: HashMap<Key, Terminal>,
    /// The number of running prompts per session.
    running: HashMap<String, usize>,
}

/// The session and the terminal.
type Key = (String, String);

#[derive(Debug)]
struct Terminal {
    /// The line that created the terminal.
    line: usize,
    /// The line of the request to release the terminal.
    releasing: Option<usize>,
    /// The line of the reply to that request.
    released: Option<usize>,
    /// The line that reported the exit of the command.
    exited: Option<usize>,
    limit: Option<u64>,
    /// Whether a tool call embeds the terminal.
    is_embedded: bool,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, result)) = seen.result::<TerminalCreate>()
            && let Some(key) = terminal(&call.params, result)
        {
            let limit = call.params.get("outputByteLimit").and_then(Value::as_u64);
            let line = report.line();
            let terminal = Terminal {
                line,
                releasing: None,
                released: None,
                exited: None,
                limit,
                is_embedded: false,
            };
            self.terminals.insert(key, terminal);
        }
        if let Some(asked) = seen.asked::<TerminalRelease>()
            && let Some(key) = terminal(&asked.params, &asked.params)
            && let Some(terminal) = self.terminals.get_mut(&key)
        {
            terminal.releasing.get_or_insert(report.line());
        }
        if let Body::Replied { to, outcome: Ok(result), .. } = &seen.body
            && has(&to.params, "terminalId")
        {
            self.reported(to, result, report);
        }
        if let Some((session, update)) = seen.update() {
            for content in entries(update, "content") {
                self.embedded(session, content, report);
            }
        }
        if let Some((call, result)) = seen.result::<FsReadTextFile>() {
            read(call, result, report);
        }
        if let Some(asked) = seen.asked::<SessionPrompt>() {
            *self
                .running
                .entry(text(&asked.params, "sessionId").unwrap_or_default().to_owned())
                .or_default() += 1;
        }
        if let Some((call, _)) = seen.reply::<SessionPrompt>()
            && let Some(running) =
                self.running.get_mut(text(&call.params, "sessionId").unwrap_or_default())
        {
            *running = running.saturating_sub(1);
        }
    }

    /// Judges the replies of a client about a terminal.
    fn reported(&mut self, call: &OpenCall, result: &Value, report: &mut Report) {
        let Some(key) = terminal(&call.params, &call.params) else { return };
        let shown = quoted(&key.1);
        let Some(terminal) = self.terminals.get_mut(&key) else {
            let other = self.terminals.iter().find(|((_, id), _)| *id == key.1);
            if let Some((_, other)) = other {
                let seen = format!("the terminal {shown} belongs to another session");
                report.contradicts("TERM-15", other.line, seen);
            }
            return;
        };
        if is::<TerminalRelease>(call.row) {
            // A second release may succeed: the specification makes the id invalid only for the
            // other methods.
            terminal.released.get_or_insert(report.line());
            return;
        }
        if let Some(released) = terminal.released.filter(|released| *released < call.line) {
            report.contradicts("TERM-11", released, format!("the terminal {shown} was released"));
        }
        if is::<TerminalOutput>(call.row) {
            terminal.output(call, result, report);
        } else if is::<TerminalWaitForExit>(call.row) {
            exit(result, report);
            if has(result, "exitCode") || has(result, "signal") {
                terminal.exited.get_or_insert(report.line());
            }
        }
    }

    fn embedded(&mut self, session: &str, content: &Value, report: &mut Report) {
        let Some(id) =
            text(content, "terminalId").filter(|_| text(content, "type") == Some("terminal"))
        else {
            return;
        };
        // A terminal that was embedded before its release may appear again, because updates repeat
        // all content.
        if let Some(terminal) = self.terminals.get_mut(&(session.to_owned(), id.to_owned()))
            && !std::mem::replace(&mut terminal.is_embedded, true)
        {
            report.agrees("TOOL-13", terminal.releasing, || {
                format!("the terminal {} is embedded after its release", quoted(id))
            });
        }
    }

    /// Reports terminals that were not released. It leaves out terminals of turns that still ran at
    /// the end.
    pub(super) fn end(&mut self, report: &mut Report) {
        let is_idle = |session: &str| self.running.get(session).is_none_or(|running| *running == 0);
        let left = self
            .terminals
            .iter()
            .filter(|((session, _), terminal)| terminal.releasing.is_none() && is_idle(session));
        let mut left: Vec<_> = left.map(|((_, id), terminal)| (terminal.line, id)).collect();
        left.sort();
        for (line, id) in left {
            report.contradicts(
                "TERM-10",
                line,
                format!("the terminal {} was never released", quoted(id)),
            );
        }
    }
}

impl Terminal {
    fn output(&mut self, call: &OpenCall, result: &Value, report: &mut Report) {
        let output = text(result, "output").unwrap_or_default();
        // U+FFFD may stand for an invalid byte, which is shorter, so the length is then unknown.
        if let Some(limit) = self.limit.filter(|_| !output.contains('\u{fffd}')) {
            let length = u64::try_from(output.len()).unwrap_or(u64::MAX);
            report.agrees("TERM-05", (length > limit).then_some(call.line), || {
                format!("the output has {length} bytes, but the limit is {limit}")
            });
        }
        match result.get("exitStatus").filter(|status| !status.is_null()) {
            Some(status) => {
                exit(status, report);
                self.exited.get_or_insert(report.line());
            }
            None => {
                let earlier = self.exited.filter(|exited| *exited < call.line);
                report.agrees("TERM-06", earlier, || {
                    "the exit status is missing, although it was reported before".to_owned()
                });
            }
        }
    }
}

fn exit(status: &Value, report: &mut Report) {
    if has(status, "exitCode") || has(status, "signal") {
        let is_one = !(has(status, "exitCode") && has(status, "signal"));
        report.keeps("TERM-08", is_one, || "there is both an exit code and a signal".to_owned());
    }
}

/// Judges the content of a file: it must not have more lines than requested.
fn read(call: &OpenCall, result: &Value, report: &mut Report) {
    let Some(limit) = call.params.get("limit").and_then(Value::as_u64) else { return };
    let lines = text(result, "content").unwrap_or_default().lines().count();
    let is_more = u64::try_from(lines).unwrap_or(u64::MAX) > limit;
    let rule = if limit == 0 { "FS-04" } else { "FS-03" };
    report.agrees(rule, is_more.then_some(call.line), || {
        format!("the reply has {lines} lines, but the limit is {limit}")
    });
}

fn terminal(asked: &Value, holder: &Value) -> Option<Key> {
    Some((text(asked, "sessionId")?.to_owned(), text(holder, "terminalId")?.to_owned()))
}
