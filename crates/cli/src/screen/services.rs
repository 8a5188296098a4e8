//! What the screen needs from this program.

use super::session_changes;
use super::shared::SharedHub;
use crate::agent_choices::{GivenAgents, agent_choices};
use crate::chosen_agent::{BUILT_IN_NAME, built_in, not_opened};
use crate::front_end::{self, add_agent};
use crate::run::attach;
use crate::settings;
use attache_client::{Hub, HubError, KnownAgent};
use attache_host::Launch;
use attache_protocol::v1::{PromptCapabilities, SessionConfigOptionValue, SessionId};
use attache_screen::composer;
use attache_screen::{AgentChoice, FoundText, PreparedPrompt, Served, Services, SessionChange};
use attache_session::{Session, Store};
use attache_view::sanitize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// What the screen needs from this program.
pub(super) struct CliServices {
    store: Option<Arc<dyn Store>>,
    cwd: PathBuf,
    given: GivenAgents,
    /// The shared hub, if it keeps the sessions.
    shared: Option<SharedHub>,
}

impl CliServices {
    /// `first` is the name of the first agent, and the value of `--agent` that selects it.
    pub(super) fn new(
        store: Option<Arc<dyn Store>>,
        cwd: PathBuf,
        first: (String, Option<String>),
        shared: Option<SharedHub>,
    ) -> Self {
        let given = GivenAgents::default();
        if let (name, Some(word)) = first {
            given.add(&name, &word);
        }
        Self { store, cwd, given, shared }
    }

    /// Says what an agent costs.
    fn cost(&self, agent: &str, is_offline: bool) -> Vec<String> {
        match (agent, is_offline) {
            (BUILT_IN_NAME, true) => vec![
                "This model needs no network and costs nothing, but it only knows a few tasks: send \"help\".".to_owned(),
                "For a real model, add a key with `attache config key PROVIDER`, or set a variable such as OPENAI_API_KEY.".to_owned(),
            ],
            (BUILT_IN_NAME, false) => {
                vec!["The provider of this model charges for its use; the cost is shown below.".to_owned()]
            }
            _ => match KnownAgent::named(agent) {
                Some(known) => vec![format!(
                    "It uses {}: whether that costs money depends on your account.",
                    known.login
                )],
                None => vec![
                    "It has its own account or key: whether it costs money depends on that."
                        .to_owned(),
                ],
            },
        }
    }

    fn stored<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<dyn Store>) -> Result<T, String> + Send + 'static,
    ) -> Served<Result<T, String>> {
        let Some(store) = self.store.clone() else {
            return Box::pin(async { Err("sessions are not stored".to_owned()) });
        };
        let done = tokio::task::spawn_blocking(move || work(store));
        Box::pin(
            async move { done.await.unwrap_or_else(|_| Err("this program is ending".to_owned())) },
        )
    }
}

/// Returns the command that continues a session. The command opens the picker if a terminal cannot
/// show the identifier of the session exactly.
fn resume_command(agent: &str, id: &str) -> String {
    let is_shown_exactly = |text: &str| sanitize::visible_line(text) == text;
    let id = match is_shown_exactly(id) {
        true => format!(" {}", Launch::quoted(id)),
        false => String::new(),
    };
    match agent {
        agent if agent == BUILT_IN_NAME || !is_shown_exactly(agent) => {
            format!("attache --resume{id}")
        }
        agent => format!("attache --agent {} --resume{id}", Launch::quoted(agent)),
    }
}

impl Services for CliServices {
    fn agents(&self) -> Vec<AgentChoice> {
        agent_choices()
    }

    fn add_agent(&self, hub: &Hub, agent: &str) -> Result<String, String> {
        if hub.agent(agent).is_some() {
            return Ok(agent.to_owned());
        }
        let added = match &self.shared {
            Some(shared) => shared.add_agent(hub, Some(agent)),
            None => add_agent(hub, Some(agent), &[], &self.cwd, None, None),
        };
        let name = added.map_err(|failure| failure.message)?.name;
        self.given.add(&name, agent);
        Ok(name)
    }

    fn prompt(
        &self,
        pieces: &[composer::Piece],
        cwd: &Path,
        takes: &PromptCapabilities,
    ) -> PreparedPrompt {
        let attached = attach(&front_end::prompt(pieces), cwd, takes);
        PreparedPrompt { blocks: attached.blocks, warnings: attached.warnings }
    }

    fn hints(&self, agent: &str, session: &Session) -> Vec<String> {
        let model = match session.config().value("model") {
            Some(SessionConfigOptionValue::ValueId(model)) => model.to_string(),
            _ => String::new(),
        };
        let mut hints = self.cost(agent, model.contains("offline"));
        if self.shared.is_some() {
            let shared = "The shared hub keeps this session: editors, the page and other screens can use it too.";
            hints.push(shared.to_owned());
        }
        hints
    }

    fn not_opened(&self, agent: &str, error: &HubError) -> String {
        not_opened(error, KnownAgent::named(agent)).message
    }

    fn resume_command(&self, agent: &str, id: &SessionId) -> String {
        resume_command(&self.given.of(agent), id.as_str())
    }

    fn login(&self, agent: &str) -> Command {
        let program = built_in().map(|launch| launch.program().to_owned());
        let mut command = Command::new(program.unwrap_or_else(|_| "attache".into()));
        match agent {
            BUILT_IN_NAME => command.args(["agent", "--add-key"]),
            agent => command.args(["login", &self.given.of(agent)]),
        };
        command
    }

    fn change(
        &self,
        session: attache_client::ListedSession,
        change: SessionChange,
    ) -> Served<Result<(), String>> {
        if let Some(shared) = self.shared.clone() {
            return Box::pin(shared.change(session, change));
        }
        let Some(store) = self.store.clone() else {
            return Box::pin(async { Err("sessions are not stored".to_owned()) });
        };
        Box::pin(async move {
            session_changes::change(&*store, &session, &change).await.map_err(|it| it.message)
        })
    }

    fn store_setting(&self, key: &str, value: &str) -> Result<(), String> {
        settings::screen::store(key, value).map_err(|failure| failure.message)
    }

    fn search(&self, text: String) -> Served<Result<Vec<FoundText>, String>> {
        self.stored(move |store| {
            session_changes::search(&*store, &text).map_err(|failure| failure.message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILT_IN_NAME, resume_command};

    #[test]
    fn a_resume_command_has_no_control_characters() {
        assert_eq!(resume_command(BUILT_IN_NAME, "one"), "attache --resume one");
        assert_eq!(resume_command("mine", "a b"), "attache --agent mine --resume 'a b'");
        for id in ["\x1b]0;x\x07", "a\nb", "a\u{202e}b", "\u{9b}2J"] {
            assert_eq!(resume_command("mine", id), "attache --agent mine --resume");
        }
        assert_eq!(resume_command("m\x1b[2J", "one"), "attache --resume one");
    }
}
