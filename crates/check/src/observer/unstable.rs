//! Unstable parts of the protocol: archives, titles, providers, MCP over ACP, subagents (ARCH,
//! STAT, TITLE, PROV, MCPA, SUB).

mod archive;
mod provider;

use super::finding::Report;
use super::seen::{Body, Seen, entries, has, quoted, text};
use attache_protocol::RequestId;
use attache_protocol::method::{
    McpMessage, McpMessageToAgent, SessionCancel, SessionFork, SessionLoad, SessionPrompt,
    SessionResume, SessionSetTitle, SessionStatusQuery, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The state of the unstable parts of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    archive: archive::Judge,
    provider: provider::Judge,
    /// The open MCP calls by line, each with its server and its inner id.
    inner: HashMap<usize, (String, String)>,
    /// The servers of clients by id, each with its name and the line that offered it.
    servers: HashMap<String, (String, usize)>,
    /// Sessions that the agent named, each with the first line that names it.
    heard: HashMap<String, usize>,
    /// Sessions that the client opened.
    opened: HashSet<String>,
    /// Sessions with a reported status, each with the line of the report.
    reported: HashMap<String, usize>,
    /// The subagents, and whether each can be cancelled.
    children: HashMap<String, bool>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.archive.judge(seen, report);
        self.provider.judge(seen, report);
        self.sessions(seen, report);
        self.subagents(seen, report);
        self.servers(seen, report);
        self.inner(seen, report);
    }

    fn sessions(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, result)) = seen.result::<SessionFork>() {
            let is_same = text(result, "sessionId") == text(&call.params, "sessionId");
            report.agrees("FORK-02", is_same.then_some(call.line), || {
                "the fork has the id of its source".to_owned()
            });
        }
        // A load or resume counts from its call on, because the recording may lack the reply.
        if let Some(asked) = seen.asked::<SessionLoad>().or_else(|| seen.asked::<SessionResume>()) {
            self.reported.remove(text(&asked.params, "sessionId").unwrap_or_default());
        }
        if let Some((session, _)) = seen.opened() {
            self.opened.insert(session);
        }
        if let Some((call, _)) = seen.result::<SessionStatusQuery>() {
            let session = text(&call.params, "sessionId").unwrap_or_default();
            if !self.opened.contains(session) {
                self.reported.insert(session.to_owned(), report.line());
            }
        }
        if let Some(asked) = seen.asked::<SessionPrompt>()
            && let Some(line) =
                self.reported.get(text(&asked.params, "sessionId").unwrap_or_default())
        {
            report.contradicts(
                "STAT-03",
                *line,
                "the session was neither loaded nor resumed, but its status was reported",
            );
        }
        if let Some((call, result)) = seen.result::<SessionSetTitle>() {
            let is_empty = |holder: &Value| text(holder, "title").is_none_or(str::is_empty);
            let is_wrong = is_empty(&call.params) || is_empty(result);
            report.agrees("TITLE-02", is_wrong.then_some(call.line), || {
                "an empty title is stored".to_owned()
            });
        }
    }

    fn subagents(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((_, update)) = seen.update_of("subagent_update")
            && let Some(child) = text(update, "sessionId")
        {
            let is_new = !self.children.contains_key(child);
            let early = self.heard.get(child).filter(|_| is_new && !self.opened.contains(child));
            report.agrees("SUB-01", early.copied(), || {
                format!("{} sent an update before it was announced", quoted(child))
            });
            let cancels = self.children.entry(child.to_owned()).or_default();
            if let Some(capabilities) = update.get("capabilities") {
                *cancels = has(capabilities, "cancel");
            }
        }
        if let Some((session, _)) = seen.update() {
            self.heard.entry(session.to_owned()).or_insert(report.line());
        }
        if let Some(asked) = seen.asked::<SessionCancel>()
            && let Some(child) = text(&asked.params, "sessionId")
            && let Some(cancels) = self.children.get(child).filter(|_| !self.opened.contains(child))
        {
            report.keeps("SUB-02", *cancels, || {
                format!("the subagent {} cannot be cancelled", quoted(child))
            });
        }
    }

    /// Records the servers that a client offers over ACP.
    fn servers(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let Body::Asked(asked) = &seen.body else { return };
        let mut here = HashSet::new();
        let servers = entries(&asked.params, "mcpServers").iter();
        for server in servers.filter(|server| text(server, "type") == Some("acp")) {
            let id = text(server, "serverId").unwrap_or_default();
            let name = text(server, "name").unwrap_or_default();
            let line = report.line();
            let (known, earlier) =
                self.servers.entry(id.to_owned()).or_insert_with(|| (name.to_owned(), line));
            let is_another = !here.insert(id) || known != name;
            report.agrees("MCPA-01", is_another.then_some(*earlier), || {
                format!("another server has the id {}", quoted(id))
            });
        }
    }

    /// Judges messages between an agent and the servers of its client.
    fn inner(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<McpMessage>() {
            let part = |key| text(&asked.params, key).unwrap_or_default().to_owned();
            let outer = match &asked.id {
                Some(RequestId::String(id)) => Some(&**id),
                _ => None,
            };
            let is_outer =
                has(&asked.params, "requestId") && outer == text(&asked.params, "requestId");
            report.keeps("MCPA-02", !is_outer, || {
                "the inner id equals the id of the call".to_owned()
            });
            self.inner.insert(report.line(), (part("serverId"), part("requestId")));
        }
        if seen.from == Side::Client
            && let Some(asked) = seen.asked::<McpMessageToAgent>()
        {
            let part = |key| text(&asked.params, key).unwrap_or_default().to_owned();
            let about = (part("serverId"), part("requestId"));
            let is_open = self.inner.values().any(|open| *open == about);
            report.keeps("MCPA-04", is_open, || {
                format!("no MCP call with the id {} is open", quoted(&about.1))
            });
        }
        if let Some((call, outcome)) = seen.reply::<McpMessage>() {
            self.inner.remove(&call.line);
            if let Ok(result) = outcome {
                let is_one = result.get("result").is_some() != has(result, "error");
                report.agrees("MCPA-03", (!is_one).then_some(call.line), || {
                    "the reply has both a result and an error, or neither".to_owned()
                });
            }
        }
    }
}
