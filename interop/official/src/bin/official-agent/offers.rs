//! The capabilities of the client; nothing else is requested or sent (INIT-16).

use agent_client_protocol::v1::schema::{ClientCapabilities, SessionUpdate};

/// Returns whether the client supports boolean options.
pub(crate) fn takes_booleans(client: &ClientCapabilities) -> bool {
    let options = client.session.as_ref().and_then(|session| session.config_options.as_ref());
    options.is_some_and(|options| options.boolean.is_some())
}

pub(crate) fn takes_notices(client: &ClientCapabilities) -> bool {
    client.session.as_ref().is_some_and(|session| session.notices.is_some())
}

pub(crate) fn takes_compaction(client: &ClientCapabilities) -> bool {
    client.session.as_ref().is_some_and(|session| session.compaction.is_some())
}

pub(crate) fn shows_forms(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(|elicitation| elicitation.supports_form())
}

pub(crate) fn opens_urls(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(|elicitation| elicitation.supports_url())
}

/// Returns whether an update of this kind may be sent.
pub(crate) fn takes(client: &ClientCapabilities, update: &SessionUpdate) -> bool {
    match update {
        SessionUpdate::Notice(_) => takes_notices(client),
        SessionUpdate::CompactionUpdate(_) | SessionUpdate::CompactionSummaryChunk(_) => {
            takes_compaction(client)
        }
        SessionUpdate::PlanUpdate(_) | SessionUpdate::PlanRemoved(_) => client.plan.is_some(),
        SessionUpdate::SubagentUpdate(_)
        | SessionUpdate::SessionMessage(_)
        | SessionUpdate::SessionMessageChunk(_) => client.subagents.is_some(),
        _ => true,
    }
}

/// Returns whether a method of the client may be called; `mode` is that of an elicitation.
pub(crate) fn offers(client: &ClientCapabilities, method: &str, mode: Option<&str>) -> bool {
    match (method, mode) {
        ("fs/read_text_file", _) => client.fs.read_text_file,
        ("fs/write_text_file", _) => client.fs.write_text_file,
        ("elicitation/create", Some("form")) => shows_forms(client),
        ("elicitation/create", Some("url")) => opens_urls(client),
        ("elicitation/create", _) => false,
        (method, _) if method.starts_with("terminal/") => client.terminal,
        _ => true,
    }
}
