//! Performs acts, each of which represents one response of a model.

use std::process::Stdio;

use agent_client_protocol::v2::schema::{
    SessionUpdate, StopReason, ToolCallCancelCapabilities, ToolCallCapabilities, ToolCallStatus,
    ToolCallUpdate, ToolKind, UsageUpdate,
};
use agent_client_protocol::{Error, UntypedMessage};
use official_peers::acts::{Act, ClientCall, Tool, pieces};
use official_peers::process::Group;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::turn::{Failure, Outcome, Turn, text_content};

impl Turn<'_> {
    /// Performs the acts in order.
    pub(crate) async fn perform_acts(&mut self, acts: Vec<Act>) -> Outcome<StopReason> {
        for act in acts {
            self.go_on()?;
            let end = act.end.clone();
            self.perform_act(act).await?;
            match end.as_deref() {
                Some("length") => return Ok(StopReason::MaxTokens),
                Some("refusal") => return Ok(StopReason::Refusal),
                _ => {}
            }
        }
        Ok(StopReason::EndTurn)
    }

    async fn perform_act(&mut self, act: Act) -> Outcome {
        self.end_message()?;
        if let Some(status) = act.fail {
            return Err(Error::new(-32603, format!("the model answered {status}")).into());
        }
        if let Some(thought) = act.think {
            self.think(&thought)?;
        }
        if let Some(text) = act.recall {
            let answer = if self.recalls(&text) { "yes" } else { "no" };
            self.say(&format!("recalled {answer}"))?;
        }
        for _ in 0..act.say.as_ref().map_or(0, |_| act.repeat.unwrap_or(1)) {
            for piece in pieces(act.say.as_deref().unwrap_or_default()) {
                self.say(&piece)?;
            }
            self.go_on()?;
            tokio::task::yield_now().await;
        }
        if act.cut {
            return Err(Error::new(-32603, "the model broke off").into());
        }
        if let Some(tokens) = act.usage {
            let used = UsageUpdate::new(tokens.input + tokens.output, 200_000);
            self.notify(SessionUpdate::UsageUpdate(used))?;
            self.add_usage(tokens);
        }
        if act.hang {
            self.cancellation().await;
        }
        if let Some(update) = act.update {
            match serde_json::from_value::<SessionUpdate>(update) {
                Ok(update) => self.session.update(update)?,
                Err(_) => self.say("attache check: no tool for update")?,
            }
        }
        if let Some(call) = act.client {
            self.call_client(call).await?;
        }
        for call in act.call {
            self.go_on()?;
            self.call_tool(call).await?;
        }
        Ok(())
    }

    async fn call_client(&mut self, call: ClientCall) -> Outcome {
        let ClientCall { method, params: mut given } = call;
        if method != "session/request_permission" {
            return self.say("attache check: no tool for client");
        }
        given.entry("sessionId").or_insert_with(|| json!(self.session.id()));
        let told = match self.request(UntypedMessage::new(&method, given)?).await? {
            Ok(result) => result.to_string(),
            Err(error) => format!("error {}", i32::from(error.code)),
        };
        self.say(&format!("client: {told}"))
    }

    async fn call_tool(&mut self, call: Value) -> Outcome {
        let name = call["tool"].as_str().unwrap_or_default().to_owned();
        match serde_json::from_value::<Tool>(call) {
            Ok(Tool::Read { path }) => self.read(path.as_ref()),
            Ok(Tool::Write { path, content }) => self.write(path.as_ref(), &content).await,
            Ok(Tool::Edit { path, old, new }) => {
                let before = std::fs::read_to_string(self.path(path.as_ref()));
                let after = before.unwrap_or_default().replacen(&old, &new, 1);
                self.write(path.as_ref(), &after).await
            }
            Ok(Tool::Run { command }) => self.run_command(&command).await,
            Ok(Tool::Plan { entries }) => match serde_json::from_value(entries) {
                Ok(entries) => self.show_plan(entries),
                Err(error) => self.say(&error.to_string()),
            },
            _ => self.say(&format!("attache check: no tool for {name}")),
        }
    }

    /// Runs a command, which the client can cancel.
    async fn run_command(&mut self, command: &str) -> Outcome {
        let cancel = ToolCallCapabilities::new().cancel(ToolCallCancelCapabilities::new());
        let shown = |call: ToolCallUpdate| call.title(command).kind(ToolKind::Execute);
        let id = self.begin(|call| shown(call).raw_input(json!({"command": command})))?;
        if !self.allows(ToolKind::Execute, command, shown(ToolCallUpdate::new(id.clone()))).await? {
            return self.end(ToolCallUpdate::new(id).status(ToolCallStatus::Failed));
        }
        let mut stop = self.session.begin_call(&id);
        let running = ToolCallUpdate::new(id.clone()).status(ToolCallStatus::InProgress);
        self.change(running.capabilities(cancel))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::null());
        let cwd = self.session.record().cwd.clone();
        let mut group = Group::start(&mut shell, &cwd).map_err(Error::into_internal_error)?;
        let mut stdout = group.child.stdout.take();
        let ended = async {
            let mut output = String::new();
            if let Some(stdout) = &mut stdout {
                // Output that is not UTF-8 is left out.
                let _ = stdout.read_to_string(&mut output).await;
            }
            (group.child.wait().await.is_ok_and(|status| status.success()), output)
        };
        let (status, output) = tokio::select! {
            (true, output) = ended => (ToolCallStatus::Completed, output),
            _ = stop.wait_for(|stop| *stop) => (ToolCallStatus::Cancelled, String::new()),
            () = self.cancellation() => return Err(Failure::Cancelled),
            else => (ToolCallStatus::Failed, String::new()),
        };
        self.session.end_call(&id);
        self.end(ToolCallUpdate::new(id).status(status).content(vec![text_content(output)]))
    }
}
