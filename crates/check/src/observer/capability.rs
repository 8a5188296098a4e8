//! Nobody sends what the other side did not advertise (INIT-16 and the rule of each thing).

use super::finding::Report;
use super::known::Known;
use super::seen::{Asked, Body, Seen, entries, has, is, text};
use attache_protocol::method::{
    ElicitationCreate, FIELDS, FsReadTextFile, FsWriteTextFile, Gate, Initialize, Logout, Method, Receiver,
    SessionClose, SessionDelete, SessionList, SessionLoad, SessionPrompt, SessionResume, Side,
    TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit, UPDATES,
};
use serde_json::Value;

/// The rules of single methods; those without one fall under the general rule.
static RULES: [(&str, &str); 16] = [
    (SessionLoad::ROW.name, "SESS-12"),
    (SessionResume::ROW.name, "SESS-18"),
    (SessionClose::ROW.name, "SESS-22"),
    (SessionList::ROW.name, "LIST-01"),
    (SessionDelete::ROW.name, "DEL-01"),
    (Logout::ROW.name, "AUTH-10"),
    (FsReadTextFile::ROW.name, "FS-01"),
    (FsWriteTextFile::ROW.name, "FS-01"),
    (TerminalCreate::ROW.name, "TERM-01"),
    (TerminalOutput::ROW.name, "TERM-01"),
    (TerminalWaitForExit::ROW.name, "TERM-01"),
    (TerminalKill::ROW.name, "TERM-01"),
    (TerminalRelease::ROW.name, "TERM-01"),
    (ElicitationCreate::ROW.name, "ELIC-01"),
    ("notice", "NOTE-01"),
    ("compaction_update", "COMP-01"),
];

/// Judges whether a message may be sent at all.
pub(super) fn judge(seen: &Seen<'_>, known: &Known, report: &mut Report) {
    if known.agent.is_none() {
        return authentication(seen, known, report);
    }
    match &seen.body {
        Body::Asked(asked) => {
            if let Some(row) = asked.row
                && row.receiver != Receiver::Both
                && !is_open(&row.gate, seen.from, known)
            {
                refuse(&asked.method, &row.gate, report);
            }
            match seen.from {
                Side::Agent => updates(seen, known, report),
                Side::Client => asked_for(asked, known, report),
            }
        }
        Body::Replied { to, outcome: Ok(result), .. } if seen.from == Side::Agent && to.row.is_some() => {
            options(result, known, report);
        }
        Body::Replied { .. } => {}
    }
}

/// The handshake's own gated field: its reply is judged with what the client offered, before that is settled.
fn authentication(seen: &Seen<'_>, known: &Known, report: &mut Report) {
    if let Some((_, result)) = seen.result::<Initialize>()
        && entries(result, "authMethods").iter().any(|method| text(method, "type") == Some("terminal"))
    {
        field("authMethods[].type \"terminal\"", Side::Agent, known, report);
    }
}

fn is_open(gate: &Gate, from: Side, known: &Known) -> bool {
    match from {
        Side::Client => known.agent.as_ref().is_none_or(|agent| gate.opened_by_agent(agent)),
        Side::Agent => known.client_offered().is_none_or(|client| gate.opened_by_client(client)),
    }
}

fn refuse(what: &str, gate: &Gate, report: &mut Report) {
    let rule = RULES.iter().find(|(name, _)| *name == what).map_or("INIT-16", |(_, rule)| rule);
    report.breaks(rule, format!("{what} is sent, but {} is not advertised", gate.path().unwrap_or_default()));
}

/// A field that is gated by itself.
fn field(name: &str, from: Side, known: &Known, report: &mut Report) {
    let Some(row) = FIELDS.iter().find(|row| row.name == name) else { return };
    if !is_open(&row.gate, from, known) {
        let path = row.gate.path().unwrap_or_default();
        report.breaks(row.rule, format!("{name} is sent, but {path} is not advertised"));
    }
}

fn updates(seen: &Seen<'_>, known: &Known, report: &mut Report) {
    let Some((_, update)) = seen.update() else { return };
    let kind = text(update, "sessionUpdate").unwrap_or_default();
    if let Some(row) = UPDATES.iter().find(|row| row.name == kind)
        && !is_open(&row.gate, Side::Agent, known)
    {
        let rule_of = if kind.starts_with("compaction") { "compaction_update" } else { kind };
        refuse(rule_of, &row.gate, report);
    }
    options(update, known, report);
}

fn options(holder: &Value, known: &Known, report: &mut Report) {
    if entries(holder, "configOptions").iter().any(|option| text(option, "type") == Some("boolean")) {
        field("configOptions[].type \"boolean\"", Side::Agent, known, report);
    }
}

fn asked_for(asked: &Asked<'_>, known: &Known, report: &mut Report) {
    let mut gated = |name: &str| field(name, Side::Client, known, report);
    if !entries(&asked.params, "additionalDirectories").is_empty() {
        gated("additionalDirectories");
    }
    if has(&asked.params, "systemPrompt") {
        gated("systemPrompt");
    }
    for kind in ["http", "sse", "acp"] {
        if entries(&asked.params, "mcpServers").iter().any(|server| text(server, "type") == Some(kind)) {
            gated(&format!("mcpServers[].type \"{kind}\""));
        }
    }
    for kind in ["image", "audio", "resource"] {
        if is::<SessionPrompt>(asked.row)
            && entries(&asked.params, "prompt").iter().any(|block| text(block, "type") == Some(kind))
        {
            gated(&format!("prompt[].type \"{kind}\""));
        }
    }
}
