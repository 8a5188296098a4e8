//! The ways to give the agent a provider's key (AUTH-05, AUTH-09).

use attache_protocol::v1::{AuthMethodAgent, AuthMethodTerminal};

/// The ways to give the agent a provider's key: an environment variable, or a terminal.
pub(crate) fn logins() -> (AuthMethodAgent, AuthMethodTerminal) {
    let mut by_variable = AuthMethodAgent::new("provider-key", "Key of a model provider");
    by_variable.description = Some(
        "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or the variable of another provider for the agent, or run \"attache config key PROVIDER\" \
         in a terminal. Then start the agent again."
            .to_owned(),
    );
    let mut in_terminal = AuthMethodTerminal::new("add-key", "Add the key of a model provider");
    in_terminal.description = Some(
        "Asks for the provider and its key, and stores the key so that only you can read it."
            .to_owned(),
    );
    in_terminal.args = vec!["--add-key".to_owned()];
    (by_variable, in_terminal)
}
