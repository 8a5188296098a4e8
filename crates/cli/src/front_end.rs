//! The hub of a front end: its permissions, its store, its agents.

use crate::checkpoints;
use crate::chosen_agent::ChosenAgent;
use crate::exit::Failure;
use crate::remote_agent::without_tokens;
use crate::run::{Piece, Prompt};
use attache_client::{Hub, HubOptions, Options, PermissionBroker, PermissionRequest, Rule};
use attache_protocol::v1::ProtocolVersion;
use attache_screen::composer;
use attache_session::Store;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The capacity of the queue of decisions that are to be shown. While the queue is full, agents
/// wait.
const BY_RULE: usize = 16;

/// A decision by a remembered rule, in any session of the hub.
pub(crate) type ByRule = (PermissionRequest, Rule);

/// Returns the options of a hub whose sessions a person watches, and the decisions by the person's
/// rules, so that they are shown.
pub(crate) fn hub_options(
    client: Options,
    rules: PermissionBroker,
    store: Option<Arc<dyn Store>>,
) -> (HubOptions, mpsc::Receiver<ByRule>) {
    let (sender, by_rule) = mpsc::channel(BY_RULE);
    let client = client.terminals().terminal_launches(without_tokens);
    let options = HubOptions::default().client(client).elicitations().decide_first(
        move |agent, cwd, person| {
            let sender = sender.clone();
            rules.permissions_telling(agent, cwd, person, move |request, rule| {
                let sender = sender.clone();
                // The send fails only after the conversation, when there is no receiver.
                async move { drop(sender.send((request, rule)).await) }
            })
        },
    );
    let options = checkpoints::kept(options);
    match store {
        Some(store) => (options.store(store), by_rule),
        None => (options, by_rule),
    }
}

/// Adds the agent with this name or command line to the hub, unless it is already there.
///
/// # Errors
/// Returns an error if there is no such agent.
pub(crate) fn add_agent(
    hub: &Hub,
    given: Option<&str>,
    variables: &[(String, String)],
    cwd: &Path,
    protocol: Option<ProtocolVersion>,
    token_file: Option<&Path>,
) -> Result<ChosenAgent, Failure> {
    let (agent, source) = ChosenAgent::source(given, variables, cwd, protocol, token_file)?;
    if hub.agent(&agent.name).is_none() {
        hub.add(agent.name.as_str(), source).map_err(Failure::usage)?;
    }
    Ok(agent)
}

/// Returns a prompt that the person wrote in a composer. Pasted text mentions no files.
pub(crate) fn prompt(pieces: &[composer::Piece]) -> Prompt {
    let piece = |piece: &composer::Piece| match piece {
        composer::Piece::Paste(text) => Piece::Piped(text.to_string()),
        composer::Piece::Image(image) => Piece::File(image.path().to_owned()),
        piece => Piece::Written(piece.text()),
    };
    pieces.iter().map(piece).collect()
}
