//! Messages that a client must not send to an agent that does not offer them (INIT-16 and the rules
//! of each method).
//!
//! Each probe starts the client with the same task twice. With an agent that offers the capability,
//! the client must send the message, which shows that the task makes it do so; otherwise the rule
//! is not tested. With an agent that lacks the capability, the client must not send it.

use crate::ClientTask;
use crate::client::run::ClientRun;
use crate::client::scenario::{SESSION, Scenario};
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::{
    Logout, Method, SessionClose, SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew,
    SessionPrompt, SessionResume,
};
use serde_json::Value;

probes! { ClientRun:
    "AUTH-10" logout_is_called_only_if_offered;
    "SESS-09" http_servers_are_sent_only_if_offered;
    "SESS-12" load_is_called_only_if_offered;
    "SESS-18" resume_is_called_only_if_offered;
    "SESS-22" close_is_called_only_if_offered;
    "DIR-01" directories_are_sent_only_if_offered;
    "LIST-01" list_is_called_only_if_offered;
    "DEL-01" delete_is_called_only_if_offered;
    "PROMPT-02" images_are_sent_only_if_offered;
    "FORK-01" fork_is_called_only_if_offered;
    "SYSP-01" system_prompts_are_sent_only_if_offered;
}

/// A function that returns whether a line is the message that needs the capability.
type Gated<'a> = &'a (dyn Fn(&Line) -> bool + Send + Sync);

/// A task that runs twice: with an agent that offers `capability`, and with an agent that lacks it
/// but is otherwise the same.
pub(super) struct Gate {
    task: ClientTask,
    /// The JSON pointer of the capability, below `agentCapabilities`.
    capability: &'static str,
    offered: Value,
    /// The other capabilities, which both agents offer.
    beside: Value,
}

impl Gate {
    /// Creates a gate for this task, whose placeholder `session` is the id of a session that the
    /// agent lists.
    pub(super) fn new(run: &ClientRun, task: &'static str, capability: &'static str) -> Self {
        let task = run.task(task).with("session", SESSION);
        Self { task, capability, offered: json!({}), beside: json!({}) }
    }

    fn offered(mut self, offered: Value) -> Self {
        self.offered = offered;
        self
    }

    pub(super) fn with_other(mut self, beside: Value) -> Self {
        self.beside = beside;
        self
    }

    /// Runs the task with an agent that offers the capability, or lacks it if `is_offered` is
    /// false. Returns the message that needs the capability, if the client sends it.
    async fn sent(
        &self,
        run: &mut ClientRun,
        is_offered: bool,
        gated: Gated<'_>,
    ) -> Probed<Option<Line>> {
        let (capability, cwd) =
            (format!("/agentCapabilities{}", self.capability), run.folder().to_owned());
        let (offered, beside) = (self.offered.clone(), self.beside.clone());
        let scenario = move |_| {
            let scenario = Scenario::offering(beside.clone()).listing(&cwd);
            if is_offered { scenario.with(&capability, offered.clone()) } else { scenario }
        };
        let talk = run.start_with(self.task.clone(), scenario).await?;
        match talk.awaits(|line| gated(line) || line.asks::<SessionPrompt>()).await {
            Ok(line) if gated(&line) => return Ok(Some(line)),
            // Some messages, such as `session/close`, come only after the turn.
            Ok(_) => {
                let turn = talk.set_up().await?;
                talk.end_turn(&turn, "end_turn");
            }
            Err(_) => {}
        }
        talk.ended().await;
        Ok(talk.lines().find(|line| line.is_theirs && gated(line)).cloned())
    }

    /// Checks that the client sends the message only to an agent that offers the capability. `what`
    /// describes the message.
    async fn holds(self, run: &mut ClientRun, what: &str, gated: Gated<'_>) -> Probed {
        if self.sent(run, true, gated).await?.is_none() {
            return not_tested(format!(
                "for the task {:?}, the client did not send {what} to an agent that offers it",
                self.task.name()
            ));
        }
        match self.sent(run, false, gated).await? {
            Some(line) => fail(
                format!(
                    "no {what}: the agent's capability {} is not offered",
                    self.capability.trim_start_matches('/').replace('/', ".")
                ),
                quoted(&line.text),
            ),
            None => Ok(()),
        }
    }

    pub(super) async fn sent_only_if_offered<M: Method>(self, run: &mut ClientRun) -> Probed {
        self.holds(run, M::ROW.name, &|line| line.asks::<M>()).await
    }
}

async fn logout_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "logout", "/auth/logout").sent_only_if_offered::<Logout>(run).await
}

async fn load_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "load", "/loadSession")
        .offered(json!(true))
        .sent_only_if_offered::<SessionLoad>(run)
        .await
}

async fn resume_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "resume", "/sessionCapabilities/resume")
        .sent_only_if_offered::<SessionResume>(run)
        .await
}

async fn close_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "close", "/sessionCapabilities/close")
        .sent_only_if_offered::<SessionClose>(run)
        .await
}

async fn list_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = Gate::new(run, "list", "/sessionCapabilities/list");
    gate.with_other(json!({"loadSession": true})).sent_only_if_offered::<SessionList>(run).await
}

async fn delete_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "delete", "/sessionCapabilities/delete")
        .sent_only_if_offered::<SessionDelete>(run)
        .await
}

async fn fork_is_called_only_if_offered(run: &mut ClientRun) -> Probed {
    Gate::new(run, "fork", "/sessionCapabilities/fork")
        .sent_only_if_offered::<SessionFork>(run)
        .await
}

async fn http_servers_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = Gate::new(run, "mcp", "/mcpCapabilities/http").offered(json!(true));
    http_servers(run, gate).await
}

/// Checks that the client sends an MCP server with the transport HTTP only if it is offered.
pub(super) async fn http_servers(run: &mut ClientRun, mut gate: Gate) -> Probed {
    let file = run.new_path().with_extension("json");
    let servers = json!({"mcpServers": {
        "local": {"command": "/bin/true", "args": []},
        "web": {"type": "http", "url": "http://127.0.0.1:9/mcp"},
    }});
    if let Err(error) = std::fs::write(&file, servers.to_string()) {
        return not_tested(format!("cannot write {}: {error}", file.display()));
    }
    gate.task = gate.task.with("mcp", file.to_string_lossy());
    let by_http = |line: &Line| {
        let servers = line
            .get("params")
            .and_then(|params| params.get("mcpServers"))
            .and_then(Value::as_array);
        line.asks::<SessionNew>()
            && servers.is_some_and(|servers| {
                servers.iter().any(|server| server.get("type").is_some_and(|kind| kind == "http"))
            })
    };
    gate.holds(run, "a server of the type http", &by_http).await
}

async fn directories_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = Gate::new(run, "directories", "/sessionCapabilities/additionalDirectories");
    directories(run, gate).await
}

/// Checks that the client sends additional directories only if they are offered.
pub(super) async fn directories(run: &mut ClientRun, mut gate: Gate) -> Probed {
    gate.task = gate.task.with("directory", "/usr");
    let with_more = |line: &Line| {
        let more = line.get("params").and_then(|params| params.get("additionalDirectories"));
        more.and_then(Value::as_array).is_some_and(|more| !more.is_empty())
    };
    gate.holds(run, "additionalDirectories", &with_more).await
}

async fn images_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let gate = Gate::new(run, "image", "/promptCapabilities/image").offered(json!(true));
    images(run, gate).await
}

/// Checks that the client sends an image only if images are offered.
pub(super) async fn images(run: &mut ClientRun, mut gate: Gate) -> Probed {
    let file = run.new_path().with_extension("png");
    if let Err(error) = std::fs::write(&file, PICTURE) {
        return not_tested(format!("cannot write {}: {error}", file.display()));
    }
    gate.task = gate.task.with("image", file.to_string_lossy());
    let with_picture = |line: &Line| {
        let blocks =
            line.get("params").and_then(|params| params.get("prompt")).and_then(Value::as_array);
        line.asks::<SessionPrompt>()
            && blocks.is_some_and(|blocks| {
                blocks.iter().any(|block| block.get("type").is_some_and(|kind| kind == "image"))
            })
    };
    gate.holds(run, "a block of the type image", &with_picture).await
}

async fn system_prompts_are_sent_only_if_offered(run: &mut ClientRun) -> Probed {
    let mut gate = Gate::new(run, "system_prompt", "/sessionCapabilities/systemPrompt");
    gate.task = gate.task.with("text", "Be brief.");
    let with_prompt = |line: &Line| {
        let prompt = line.get("params").and_then(|params| params.get("systemPrompt"));
        prompt.is_some_and(|prompt| !prompt.is_null())
    };
    gate.holds(run, "systemPrompt", &with_prompt).await
}

/// A PNG image of one pixel.
const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N',
    b'D', 0xae, 0x42, 0x60, 0x82,
];
