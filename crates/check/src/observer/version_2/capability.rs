//! What a message may hold: announced capabilities, and values that an agent must refuse (V2-11 to
//! V2-18, V2-67).

use super::super::finding::Report;
use super::super::seen::{Asked, Body, OpenCall, Seen, entries, is_named, quoted, text};
use super::handshake;
use attache_protocol::method::v2::{
    self, ElicitationCreate, SessionList, SessionPrompt, SessionResume, SessionSetConfigOption,
};
use attache_protocol::method::{Kind, Receiver, Side};
use attache_protocol::v2::{ElicitationCapabilities, SessionCapabilities};
use serde_json::Value;
use std::collections::HashMap;

/// The error code for an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// The content types, MCP transports, replay cursors and value types of version 2.
const CONTENT: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];
const TRANSPORTS: [&str; 3] = ["stdio", "http", "acp"];
const CURSORS: [&str; 1] = ["start"];
const VALUES: [&str; 2] = ["id", "boolean"];

/// The calls without a reply that an agent must refuse.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The rule and the unknown value, by the line of the call.
    unknown: HashMap<usize, (&'static str, String)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &handshake::Judge, report: &mut Report) {
        match &seen.body {
            Body::Asked(asked) => {
                method(seen.from, asked, known, report);
                match seen.from {
                    Side::Client => {
                        fields(asked, known, report);
                        if let Some(unknown) = unknown(asked).filter(|_| asked.is_call) {
                            self.unknown.insert(report.line(), unknown);
                        }
                    }
                    Side::Agent => elicitation(asked, known, report),
                }
            }
            Body::Replied { to, outcome, .. } => {
                if seen.from == Side::Agent {
                    served(to, outcome.as_ref(), known, report);
                }
                if let Some((rule, value)) = self.unknown.remove(&to.line) {
                    report.agrees(rule, outcome.is_ok().then_some(to.line), || {
                        format!("the unknown type {} is accepted", quoted(&value))
                    });
                }
            }
        }
    }
}

/// Judges whether a method may be called at all.
fn method(from: Side, asked: &Asked<'_>, known: &handshake::Judge, report: &mut Report) {
    let kind = if asked.is_call { Kind::Call } else { Kind::Notification };
    let Some(row) = v2::received_by(from.other(), &asked.method, kind) else { return };
    let Some(path) = row.gate.path().filter(|_| row.receiver != Receiver::Both) else { return };
    let is_open = match from {
        Side::Client => known.agent.as_ref().is_none_or(|agent| row.gate.opened_by_v2_agent(agent)),
        Side::Agent => {
            known.client.as_ref().is_none_or(|client| row.gate.opened_by_v2_client(client))
        }
    };
    report.keeps("V2-11", is_open, || {
        format!("{} is sent, but {path} is not advertised", quoted(&asked.method))
    });
}

/// Judges whether an agent knows the methods that it advertises.
fn served(
    to: &OpenCall,
    outcome: Result<&Value, &Value>,
    known: &handshake::Judge,
    report: &mut Report,
) {
    let Some(row) = v2::received_by(Side::Agent, &to.method, Kind::Call) else { return };
    let Some(agent) = known.agent.as_ref() else { return };
    if row.gate.path().is_some() && row.gate.opened_by_v2_agent(agent) {
        let is_unknown = outcome.is_err_and(|error| error["code"] == UNKNOWN_METHOD);
        report.agrees("V2-67", is_unknown.then_some(to.line), || {
            format!("{} is advertised, but unknown", quoted(&to.method))
        });
    }
}

/// Judges the parts of a call that need a capability of their own. Without `capabilities.session`,
/// the call itself is the fault.
fn fields(asked: &Asked<'_>, known: &handshake::Judge, report: &mut Report) {
    let Some(session) = known.agent.as_ref().and_then(|agent| agent.session.as_ref()) else {
        return;
    };
    for block in
        entries(&asked.params, "prompt").iter().filter(|_| is_named::<SessionPrompt>(&asked.method))
    {
        let kind = text(block, "type").unwrap_or_default();
        report.keeps("V2-12", accepts(session, kind), || {
            format!("the prompt holds {}, which the agent does not accept", quoted(kind))
        });
    }
    for server in entries(&asked.params, "mcpServers") {
        let kind = text(server, "type").unwrap_or_default();
        report.keeps("V2-13", reaches(session, kind), || {
            format!("an MCP server has the transport {}, which is not advertised", quoted(kind))
        });
    }
    if !entries(&asked.params, "additionalDirectories").is_empty()
        && !is_named::<SessionList>(&asked.method)
    {
        report.keeps("V2-13", session.additional_directories.is_some(), || {
            "additionalDirectories is sent, but is not advertised".to_owned()
        });
    }
}

/// Whether a prompt may hold this type of content.
fn accepts(session: &SessionCapabilities, kind: &str) -> bool {
    let prompt = session.prompt.as_ref();
    match kind {
        "image" => prompt.is_some_and(|prompt| prompt.image.is_some()),
        "audio" => prompt.is_some_and(|prompt| prompt.audio.is_some()),
        "resource" => prompt.is_some_and(|prompt| prompt.embedded_context.is_some()),
        _ => true,
    }
}

/// Whether the agent reaches MCP servers in this way.
fn reaches(session: &SessionCapabilities, kind: &str) -> bool {
    let mcp = session.mcp.as_ref();
    match kind {
        "stdio" => mcp.is_some_and(|mcp| mcp.stdio.is_some()),
        "http" => mcp.is_some_and(|mcp| mcp.http.is_some()),
        "acp" => mcp.is_some_and(|mcp| mcp.acp.is_some()),
        _ => true,
    }
}

/// Judges the mode of an elicitation, if the client offers elicitations at all.
fn elicitation(asked: &Asked<'_>, known: &handshake::Judge, report: &mut Report) {
    let offered = known.client.as_ref().and_then(|client| client.elicitation.as_ref());
    let Some(offered) = offered.filter(|_| is_named::<ElicitationCreate>(&asked.method)) else {
        return;
    };
    let mode = text(&asked.params, "mode").unwrap_or_default();
    report.keeps("V2-14", offers(offered, mode), || {
        format!("the mode {} is not advertised", quoted(mode))
    });
}

fn offers(offered: &ElicitationCapabilities, mode: &str) -> bool {
    match mode {
        "form" => offered.form.is_some(),
        "url" => offered.url.is_some(),
        _ => true,
    }
}

/// Returns the first value in a call that only a later version of the protocol can define, with the
/// rule that it must be refused.
fn unknown(asked: &Asked<'_>) -> Option<(&'static str, String)> {
    let params = &asked.params;
    let cursor = params.get("replayFrom").map_or(&[][..], std::slice::from_ref);
    let (rule, known, holders): (_, &[&str], &[Value]) = match asked.method.as_str() {
        method if is_named::<SessionPrompt>(method) => {
            ("V2-15", &CONTENT, entries(params, "prompt"))
        }
        method if is_named::<SessionSetConfigOption>(method) => {
            ("V2-18", &VALUES, std::slice::from_ref(params))
        }
        method
            if is_named::<SessionResume>(method)
                && cursor.iter().any(|cursor| is_unknown(cursor, &CURSORS)) =>
        {
            ("V2-17", &CURSORS, cursor)
        }
        _ => ("V2-16", &TRANSPORTS, entries(params, "mcpServers")),
    };
    let holder = holders.iter().find(|holder| is_unknown(holder, known))?;
    Some((rule, text(holder, "type")?.to_owned()))
}

/// Whether the type of a value is neither known nor an extension.
fn is_unknown(holder: &Value, known: &[&str]) -> bool {
    text(holder, "type").is_some_and(|kind| !kind.starts_with('_') && !known.contains(&kind))
}
