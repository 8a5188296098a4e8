//! Tests of the loop and the tools with a scripted model.

mod approved;
#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the client of the other tests, used in part"
)]
#[path = "../tests/coder/client.rs"]
pub(crate) mod client;
mod escape;
mod files;
mod undo;

use crate::Coder;
use crate::models::{
    AssistantMessage, AssistantPart, Brief, EventStream, Message, Model, ModelEvent, ModelId,
    ModelInput, ModelStop, Models, NextEvent, Part, TokenUsage, ToolReply,
};
use client::Client;
use serde_json::{Value, json};
use std::future::ready;
use std::path::Path;
use std::sync::Arc;

/// A model that calls a function to decide each step of a turn.
pub(crate) struct ScriptedModel<F>(pub(crate) F);

/// One step of the model.
pub(crate) enum Step {
    Says(String),
    /// A tool call: the tool's name, and the arguments as JSON.
    Uses(String, String),
}

/// The current turn, as the model sees it.
pub(crate) struct TurnView<'s> {
    /// The text of the prompt.
    pub(crate) prompt: &'s str,
    /// The tool replies in this turn.
    pub(crate) replies: Vec<&'s ToolReply>,
    /// The agent's notes for the model, in the whole conversation.
    pub(crate) notes: Vec<&'s str>,
}

struct Events(std::vec::IntoIter<ModelEvent>);

impl<'s> TurnView<'s> {
    fn of(messages: &'s [Message]) -> Self {
        let mut seen = Self { prompt: "", replies: Vec::new(), notes: Vec::new() };
        for message in messages {
            match message {
                Message::User(user) => match (&user.prompt, user.parts.as_slice()) {
                    (Some(prompt), _) => {
                        seen.replies.clear();
                        seen.prompt = &prompt.text;
                    }
                    (None, [Part::Text(note)]) => seen.notes.push(note),
                    (None, _) => {}
                },
                Message::ToolReply(reply) => seen.replies.push(reply),
                Message::Assistant(_) => {}
            }
        }
        seen
    }
}

impl<F> std::fmt::Debug for ScriptedModel<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Does")
    }
}

impl<F: Fn(&TurnView<'_>) -> Step + Send + Sync> Model for ScriptedModel<F> {
    fn title(&self) -> &str {
        "Scripted"
    }

    fn window(&self) -> Option<u64> {
        Some(self.size())
    }

    fn size(&self) -> u64 {
        1_000_000
    }

    fn brief_tokens(&self, _: &Brief) -> u64 {
        0
    }

    fn writes(&self) -> bool {
        false
    }

    fn takes(&self, _: &Part) -> bool {
        true
    }

    fn cost(&self, _: &TokenUsage) -> Option<f64> {
        None
    }

    fn reads_data(&self) -> bool {
        true
    }

    fn stream(&self, input: ModelInput) -> Box<dyn EventStream> {
        let seen = TurnView::of(&input.messages);
        let mut events = Vec::new();
        let part = match self.0(&seen) {
            Step::Says(text) => {
                events.push(ModelEvent::Text(text.clone()));
                AssistantPart::Text { text, sealed: None }
            }
            Step::Uses(name, arguments) => {
                let id = format!("scripted_{}", input.messages.len());
                AssistantPart::Call { id, name, arguments, sealed: None }
            }
        };
        let message =
            AssistantMessage { model: ModelId::new("test", "scripted"), parts: vec![part] };
        let (stop, usage) = (ModelStop::End, TokenUsage::default());
        events.push(ModelEvent::Done { message, stop, usage });
        Box::new(Events(events.into_iter()))
    }
}

impl EventStream for Events {
    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(ready(self.0.next().map(Ok)))
    }
}

/// A step that calls a tool.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    name: &'static str,
    arguments: String,
}

pub(crate) fn call(name: &'static str, arguments: Value) -> Call {
    Call { name, arguments: arguments.to_string() }
}

/// Makes this call, or replies with the result of the last call if `call` is `None`.
fn calls_or_replies(call: Option<Call>, seen: &TurnView<'_>) -> Step {
    match (call, seen.replies.last()) {
        (Some(call), _) => Step::Uses(call.name.to_owned(), call.arguments),
        (None, Some(reply)) => Step::Says(reply.text.clone()),
        (None, None) => Step::Says("nothing".to_owned()),
    }
}

async fn client(folder: &Path, calls: Vec<Call>, for_ever: bool) -> Client {
    // Makes the calls one after the other or, if `for_ever` is set, repeats the first call.
    let model = ScriptedModel(move |seen: &TurnView<'_>| {
        let done = seen.replies.len();
        calls_or_replies(calls.get(if for_ever { 0 } else { done }).cloned(), seen)
    });
    let author = Coder::with(Models::with_offline(Arc::new(model)));
    let mut client =
        Client::serve_author(author, json!({}), json!({ "cwd": folder, "mcpServers": [] })).await;
    client.set("mode", "auto").await;
    client
}

fn read(path: &str) -> Call {
    call("read", json!({ "path": path }))
}

fn edit(path: &str, old: &str, new: &str) -> Call {
    let replacement = json!({ "old": old, "new": new, "every": true });
    call("edit", json!({ "path": path, "replacements": [replacement] }))
}

fn run(command: &str, seconds: Option<u64>) -> Call {
    call("execute", json!({ "command": command, "seconds": seconds }))
}

fn grep(pattern: &str) -> Call {
    call("grep", json!({ "pattern": pattern }))
}

fn patch(files: &str) -> Call {
    call("apply_patch", json!({ "input": format!("*** Begin Patch\n{files}\n*** End Patch") }))
}

async fn says(folder: &Path, calls: Vec<Call>) -> String {
    client(folder, calls, false).await.prompt("go").await.text()
}

#[tokio::test]
async fn endless_model_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let list = call("list", json!({}));
    let turn = client(folder.path(), vec![list], true).await.prompt("go").await;
    assert_eq!(turn.stop_reason(), "max_turn_requests");
    assert_eq!(turn.tool_calls().len(), 50);
}

#[tokio::test]
async fn changed_file_is_not_edited_until_it_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "one").unwrap();
    let mut actions = vec![read("a"), run("printf 'one two' > a", None), edit("a", "one", "1")];
    let turn = client(folder.path(), actions.clone(), false).await.prompt("go").await;
    let calls = turn.tool_calls();
    assert_eq!(turn.text(), "a changed since it was read: read it again, then edit", "{calls:#?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("a")).unwrap(), "one two");
    actions.extend([read("a"), edit("a", "one", "1"), edit("a", "two", "2")]);
    assert_eq!(says(folder.path(), actions).await, "1 place replaced in a");
    assert_eq!(std::fs::read_to_string(folder.path().join("a")).unwrap(), "1 2");
}

#[tokio::test]
async fn edit_of_a_large_file_is_shown_in_parts_and_made_completely() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..30_000).map(|line| format!("line {line}\r\n")).collect();
    std::fs::write(folder.path().join("a"), &text).unwrap();
    let edits = vec![read("a"), edit("a", "line 5\r\n", "LINE 5\r\n"), edit("a", "line", "row")];
    let turn = client(folder.path(), edits, false).await.prompt("go").await;
    let calls = &turn.tool_calls()[1..];
    let content = calls[0]["content"].as_array().unwrap();
    assert_eq!((content.len(), content[0]["type"].as_str()), (1, Some("diff")));
    assert!(content[0]["oldText"].as_str().unwrap().starts_with("line 2\r\n"), "{}", content[0]);
    assert!(calls[1]["content"].to_string().contains("did not fit here"));
    let now = std::fs::read_to_string(folder.path().join("a")).unwrap();
    assert_eq!(now, text.replace("line 5\r", "LINE 5\r").replace("line", "row"));
}

#[tokio::test]
async fn edit_keeps_permissions_and_a_bad_pattern_is_a_result() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sh");
    std::fs::write(&path, "one\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(
        says(folder.path(), vec![edit("a.sh", "one", "two")]).await,
        "a.sh was not read yet: read it, then edit"
    );
    says(folder.path(), vec![read("a.sh"), edit("a.sh", "one", "two")]).await;
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(says(folder.path(), vec![grep("(")]).await.contains("is invalid"));
    assert!(
        says(folder.path(), vec![grep("^t.o$")])
            .await
            .starts_with("a.sh:1: two\n[1 file searched]")
    );
}

#[tokio::test]
async fn command_past_its_time_limit_is_killed_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let text = says(folder.path(), vec![run("echo begun; sleep 1000", Some(1))]).await;
    assert_eq!(text, "begun\n[killed: it did not end within 1 second]");
}
