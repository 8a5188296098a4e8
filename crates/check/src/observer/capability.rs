//! Messages that need a capability that the other side did not advertise (INIT-16 and the rule of
//! each capability).

use super::finding::Report;
use super::known::Known;
use super::seen::{Asked, Body, Seen, entries, is, text};
use attache_protocol::method::{
    ElicitationCreate, FIELDS, Gate, Initialize, Receiver, Row, SessionPrompt, Side, UPDATES,
};
use serde_json::Value;

/// Content types that are optional for agents.
const GATED_CONTENT: [&str; 3] = ["image", "audio", "resource"];

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
                refuse(&asked.method, &row.gate, row.gate_rule, report);
            }
            match seen.from {
                Side::Agent => {
                    mode(asked, known, report);
                    updates(seen, known, report);
                }
                Side::Client => asked_for(asked, known, report),
            }
        }
        Body::Replied { to, outcome: Ok(result), .. }
            if seen.from == Side::Agent && to.row.is_some() =>
        {
            options(result, known, report);
        }
        Body::Replied { .. } => {}
    }
}

/// Judges the gated field in the reply to `initialize`. The client's capabilities apply to it,
/// although `known` does not contain them yet.
fn authentication(seen: &Seen<'_>, known: &Known, report: &mut Report) {
    if let Some((_, result)) = seen.result::<Initialize>()
        && entries(result, "authMethods")
            .iter()
            .any(|method| text(method, "type") == Some("terminal"))
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

/// Returns the path of the capability that this method needs, if it is missing.
pub(super) fn closed(row: &Row, from: Side, known: &Known) -> Option<&'static str> {
    (row.receiver != Receiver::Both && !is_open(&row.gate, from, known)).then(|| row.gate.path())?
}

/// Returns the first content type in a prompt that the agent does not accept.
pub(super) fn refused_content(params: &Value, known: &Known) -> Option<&'static str> {
    GATED_CONTENT.into_iter().find(|kind| {
        let is_there =
            entries(params, "prompt").iter().any(|block| text(block, "type") == Some(*kind));
        let name = format!("prompt[].type \"{kind}\"");
        is_there
            && FIELDS.iter().any(|row| row.name == name && !is_open(&row.gate, Side::Client, known))
    })
}

/// Returns the mode of an elicitation, if the client does not offer it.
pub(super) fn refused_mode<'p>(params: &'p Value, known: &Known) -> Option<&'p str> {
    let offered = known.client_offered()?.elicitation.as_ref();
    let mode = text(params, "mode")?;
    let is_offered = match mode {
        "form" => offered.is_some_and(|modes| modes.form.is_some()),
        "url" => offered.is_some_and(|modes| modes.url.is_some()),
        _ => return None,
    };
    (!is_offered).then_some(mode)
}

fn refuse(what: &str, gate: &Gate, rule: &'static str, report: &mut Report) {
    report.breaks(
        rule,
        format!("{what} is sent, but {} is not advertised", gate.path().unwrap_or_default()),
    );
}

/// Reports an elicitation whose mode the client does not offer, if the client offers elicitations
/// at all.
fn mode(asked: &Asked<'_>, known: &Known, report: &mut Report) {
    if is::<ElicitationCreate>(asked.row)
        && asked.row.is_some_and(|row| is_open(&row.gate, Side::Agent, known))
        && let Some(mode) = refused_mode(&asked.params, known)
    {
        report.breaks(
            "ELIC-01",
            format!("the mode {mode} is sent, but clientCapabilities.elicitation.{mode} is not advertised"),
        );
    }
}

/// Judges a field that has a gate of its own.
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
        refuse(kind, &row.gate, row.gate_rule, report);
    }
    options(update, known, report);
}

fn options(holder: &Value, known: &Known, report: &mut Report) {
    if entries(holder, "configOptions").iter().any(|option| text(option, "type") == Some("boolean"))
    {
        field("configOptions[].type \"boolean\"", Side::Agent, known, report);
    }
}

fn asked_for(asked: &Asked<'_>, known: &Known, report: &mut Report) {
    let mut gated = |name: &str| field(name, Side::Client, known, report);
    if !entries(&asked.params, "additionalDirectories").is_empty() {
        gated("additionalDirectories");
    }
    if let Some(prompt) = asked.params.get("systemPrompt").filter(|prompt| !prompt.is_null()) {
        gated("systemPrompt");
        system_prompt(prompt, known, report);
    }
    let mut gated = |name: &str| field(name, Side::Client, known, report);
    for kind in ["http", "sse", "acp"] {
        if entries(&asked.params, "mcpServers")
            .iter()
            .any(|server| text(server, "type") == Some(kind))
        {
            gated(&format!("mcpServers[].type \"{kind}\""));
        }
    }
    for kind in GATED_CONTENT {
        if is::<SessionPrompt>(asked.row)
            && entries(&asked.params, "prompt")
                .iter()
                .any(|block| text(block, "type") == Some(kind))
        {
            gated(&format!("prompt[].type \"{kind}\""));
        }
    }
}

/// Judges a system prompt. It must be text and not empty, and may replace the agent's own prompt
/// only if the agent supports that (SYSP-01).
fn system_prompt(prompt: &Value, known: &Known, report: &mut Report) {
    let offered =
        known.agent.as_ref().and_then(|agent| agent.session_capabilities.system_prompt.as_ref());
    let overrides = offered
        .and_then(|offered| offered.mode.as_ref())
        .is_some_and(|mode| mode.override_mode.is_some());
    let content = entries(prompt, "content");
    let said = |block: &Value| text(block, "text").is_some_and(|text| !text.trim().is_empty());
    if offered.is_some() && text(prompt, "mode") == Some("override") && !overrides {
        report.breaks(
            "SYSP-01",
            "an override is sent, but systemPrompt.mode.override is not advertised",
        );
    } else if content.iter().any(|block| text(block, "type") != Some("text"))
        || !content.iter().any(said)
    {
        report.breaks("SYSP-01", "the system prompt is empty or not a text");
    } else {
        report.tests(&["SYSP-01"]);
    }
}
