//! The config option with which a client chooses the agent of a session.

use super::context::{Attached, Context};
use attache_connection::Peer;
use attache_protocol::Meta;
use attache_protocol::v1::{
    ProtocolVersion, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
};
use attache_session::options_for;
use serde_json::Value;

/// The id of the option.
pub(super) const ID: &str = "attache.agent";

/// The category of the option. Categories of programs begin with `_`.
const CATEGORY: &str = "_attache_agent";

/// Returns the option for a session of the agent with this name; `None` if the client uses only
/// this agent.
pub(super) fn offered(context: &Context, agent: &str) -> Option<SessionConfigOption> {
    context.client.only_agent().is_none().then(|| option(context, agent))
}

/// Returns the option for a session of the agent with this name.
pub(super) fn option(context: &Context, agent: &str) -> SessionConfigOption {
    let mut agents = context.shared.services.agents();
    agents.retain(|choice| choice.installed || choice.name == agent);
    let mut values: Vec<_> = agents
        .into_iter()
        .map(|choice| {
            let title = if choice.title.is_empty() { choice.name.clone() } else { choice.title };
            SessionConfigSelectOption::new(choice.name, title)
        })
        .collect();
    if !values.iter().any(|value| value.value.as_str() == agent) {
        values.push(SessionConfigSelectOption::new(agent, agent));
    }
    let mut option = SessionConfigOption::select(ID, "Agent", agent, values);
    option.description = Some("The agent of the session, until the first prompt".to_owned());
    option.category = Some(SessionConfigOptionCategory::from(CATEGORY));
    option
}

/// Returns all options of a session, in the form that the client understands.
pub(super) fn options(
    context: &Context,
    attached: &Attached,
    peer: &Peer,
) -> Vec<SessionConfigOption> {
    let snapshot = attached.session.snapshot();
    let own = match peer.version() {
        ProtocolVersion::V2 => snapshot.config().options_without_modes(),
        _ => snapshot.config().options().to_vec(),
    };
    let client = peer.client_capabilities().unwrap_or_default();
    let agent = offered(context, attached.session.agent().name());
    agent.into_iter().chain(options_for(&own, &client)).collect()
}

/// The member `attache` of the metadata of a request.
pub(super) fn request_meta(meta: Option<&Meta>) -> Value {
    let meta = meta.and_then(|meta| meta.raw().parse::<Value>().ok()).unwrap_or_default();
    meta.get("attache").cloned().unwrap_or_default()
}
