//! What the tests of the page show: real rows, questions and lists, as JSON.

mod rare_rows;

use crate::Scope;
use crate::extension::messages::*;
use attache_client::{
    Form, HoldReason, ListedSession, PageAddress, PermissionRequest, Question, QuestionAbout,
    QuestionId, SessionState,
};
use attache_protocol::v1::{
    ContentBlock, PermissionOption, PermissionOptionKind, SessionUpdate, TerminalId,
    TerminalOutputResponse,
};
use attache_protocol::{Patch, Raw, decode};
use attache_session::{EventBody, PermissionId, Session, Timestamp, ToolCallPatch};
use attache_view::{
    CommandItem, FormView, Line, OpenSession, OptionItem, Output, PageView, QuestionBody,
    QuestionView, Role, Row, RowContent, SessionList, SessionView, StatusLine, StatusParts,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;

const FOLDER: &str = "/home/ann/parser";
/// The morning of a day in November 2026.
const START: i64 = 1_795_420_800_000;

fn apply(session: &mut Session, body: EventBody) {
    let at = Timestamp(START + 1_000 * session.sequence() as i64);
    let event = session.next(at, body);
    session.apply(&event);
}

fn update(session: &mut Session, update: &Value) {
    let update: SessionUpdate = decode(&update.to_string()).unwrap();
    apply(session, EventBody::from_update(update));
}

fn prompt(session: &mut Session, text: &str) {
    apply(session, EventBody::Prompt { content: vec![ContentBlock::text(text)] });
}

fn said(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

fn terminal(_: &TerminalId) -> Option<TerminalOutputResponse> {
    let ok = |n: u32| format!("test number {n} ... \u{1b}[32mok\u{1b}[0m\n");
    let lines: String = (1..=40).map(ok).collect();
    let text = format!("{lines}test nested ... \u{1b}[1;31mFAILED\u{1b}[0m\n");
    let json = json!({"output": text, "truncated": false, "exitStatus": {"exitCode": 101}});
    Some(decode(&json.to_string()).unwrap())
}

const OLD: &str = "fn parse(text: &str) -> Tree {
    let first = text.find('(');
    Tree::new(first)
}
";
const NEW: &str = "fn parse(text: &str) -> Tree {
    let first = text.rfind('(');
    // The last bracket counts.
    Tree::new(first)
}
";

const ANSWER: &str = "## What changed\n\nThe parser now finds the **last** bracket, see \
`src/parser.rs` and [the rules](https://example.org/brackets).\n\n1. Brackets can be nested\n   - \
in quotes\n- [x] tests\n- [ ] documentation\n\n```rust\nfn parse() {\n    let first = \
text.rfind('(');\n}\n```\n\n| Input | Depth |\n|---|---:|\n| (a) | 1 |\n| ((a) | 2 |\n\n> \
Brackets are hard.\n\n日本語のテキスト 👩‍🔬, שלום עולם.\n";

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str, kind: &str, title: &str, status: &str, content: &Value) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": id, "kind": kind, "title": title,
        "status": status, "content": content})
}

fn select(id: &str, name: &str, current: &str, values: &[(&str, &str)]) -> Value {
    let value = |(value, name): &(&str, &str)| {
        let description = "As its name says";
        json!({"value": value, "name": name, "description": description})
    };
    let values: Vec<Value> = values.iter().map(value).collect();
    json!({"id": id, "name": name, "category": id, "type": "select", "currentValue": current,
        "options": values})
}

fn told() -> [Value; 3] {
    let commands = json!([
        {"name": "compact", "description": "shorten the conversation"},
        {"name": "review", "description": "review it", "input": {"hint": "what to look at"}},
    ]);
    let options = [
        select("mode", "Mode", "ask", &[("ask", "Ask"), ("auto", "Automatic")]),
        select("model", "Model", "large", &[("small", "Small"), ("large", "Large")]),
    ];
    [
        json!({"sessionUpdate": "session_info_update", "title": "Fix the parser"}),
        json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
        json!({"sessionUpdate": "config_option_update", "configOptions": options}),
    ]
}

fn plan() -> Value {
    let entry = |content: &str, priority: &str, status: &str| {
        let what = json!(content);
        json!({"content": what, "priority": priority, "status": status})
    };
    json!({"sessionUpdate": "plan", "entries": [
        entry("Read the parser", "medium", "completed"),
        entry("Fix the brackets in `parse`", "high", "in_progress"),
        entry("Run the tests", "medium", "pending"),
    ]})
}

/// A session with an entry of each kind.
fn session() -> Session {
    let mut session = Session::new("s1");
    let read = json!([{"type": "content", "content": text(OLD)}]);
    let edit = json!([
        {"type": "diff", "path": format!("{FOLDER}/src/parser.rs"), "oldText": OLD, "newText": NEW},
        {"type": "diff", "path": format!("{FOLDER}/notes.md"), "newText": "# Notes\n"},
    ]);
    let mut run = call(
        "c3",
        "execute",
        "Run the tests",
        "failed",
        &json!([
            {"type": "terminal", "terminalId": "t1"},
        ]),
    );
    run["rawInput"] = json!({"command": "cargo test -p parser"});
    let thought = text("The parser takes the first bracket.\nIt must take the last one.");
    prompt(&mut session, "Fix the parser: it fails for nested brackets.\nThen run the tests.");
    told().iter().for_each(|each| update(&mut session, each));
    for each in [
        json!({"sessionUpdate": "agent_thought_chunk", "content": thought}),
        call("c1", "read", "Read src/parser.rs", "completed", &read),
        plan(),
        call("c2", "edit", "Edit the parser", "completed", &edit),
        run,
        json!({"sessionUpdate": "notice", "title": "The model was slow.", "severity": "warning"}),
        said(ANSWER),
        json!({"sessionUpdate": "usage_update", "used": 184_000, "size": 200_000,
            "cost": {"amount": 0.1234, "currency": "USD"}}),
    ] {
        update(&mut session, &each);
    }
    session
}

fn permission() -> Question {
    let mut call = ToolCallPatch::new("c4");
    call.title = Patch::Set("Push the branch".to_owned());
    call.kind = Patch::Set(decode("\"execute\"").unwrap());
    let input = json!({"command": "git push origin fix/parser"}).to_string();
    call.raw_input = Patch::Set(Raw::from_text(&input).unwrap());
    let options = [
        ("once", "Allow", "allow_once"),
        ("ever", "Always allow", "allow_always"),
        ("no", "Reject", "reject_once"),
    ];
    let options = options.map(|(id, name, kind)| {
        let kind: PermissionOptionKind = decode(&format!("\"{kind}\"")).unwrap();
        PermissionOption::new(id, name, kind)
    });
    let request = PermissionRequest::new(PermissionId(1), "s1".into(), call, options.to_vec());
    let about = QuestionAbout::Permission(Box::new(request));
    Question::new(QuestionId(7), Timestamp(START + 20_000), about)
}

fn form() -> Form {
    let schema = json!({"type": "object", "required": ["name", "colour"], "properties": {
        "name": {"type": "string", "title": "Your name", "description": "As on the badge",
            "minLength": 2},
        "age": {"type": "integer", "minimum": 1, "title": "Age"},
        "colour": {"type": "string", "title": "Colour", "enum": ["red", "green"]},
        "tags": {"type": "array", "title": "Tags",
            "items": {"type": "string", "enum": ["x", "y", "z"]}},
        "sure": {"type": "boolean", "title": "Sure?", "default": true}}});
    Form::new(decode(&schema.to_string()).unwrap())
}

fn questions() -> Vec<QuestionView> {
    let form = FormView::new("Who are you?", &form());
    let address = "http://bank.example@evil.example/login?state=12345";
    let page = PageView::new("Log in", &PageAddress::parse(address).unwrap());
    let view = |id, about| QuestionView {
        id,
        asked_at: START,
        headline: Line::of("gemini asks", Role::Text),
        about,
    };
    vec![
        QuestionView::new(&permission(), "gemini", Path::new(FOLDER)),
        view(8, QuestionBody::Form(Box::new(form))),
        view(9, QuestionBody::Page(Box::new(page))),
    ]
}

fn status(session: &Session, state: &SessionState, questions: &[Question]) -> StatusLine {
    StatusLine::new(&StatusParts {
        agent: "gemini",
        session,
        state,
        questions,
        queued: 2,
        held: Some(&HoldReason::Cancelled),
        not_stored: None,
    })
}

/// Returns a message after it was checked that it can be read as this type.
fn checked<T: DeserializeOwned>(message: Value) -> Value {
    let read: Result<T, _> = serde_json::from_str(&message.to_string());
    assert!(read.is_ok(), "{:?}: {message}", read.err());
    message
}

/// A change of the rows only.
fn changed(session: &Session, view: &mut SessionView) -> Value {
    let changes = view.update_with(session, &terminal);
    let rows: Vec<&Row> = changes.rows.iter().map(|index| &*view.rows()[*index]).collect();
    checked::<SessionChanged>(json!({
        "watch": 2,
        "position": {"generation": 1, "sequence": session.sequence(), "run": "run"},
        "replaced": changes.replaced,
        "count": view.rows().len(),
        "rows": rows,
    }))
}

fn whole(session: &Session, view: &mut SessionView) -> Value {
    let item = |id: u64, text: &str| json!({"id": id, "text": text, "attachments": 0});
    let mut message = changed(session, view);
    message["replaced"] = json!(true);
    message["status"] = json!(status(session, &SessionState::Idle, &[]));
    message["questions"] = json!([]);
    message["options"] = json!(OptionItem::of(session));
    message["commands"] = json!(CommandItem::of(session));
    message["queue"] = json!([item(1, "Where is total used?"), item(2, "Summarize this project")]);
    message["draft"] = json!({"text": "", "by": 0});
    checked::<SessionChanged>(message)
}

fn hub(session: &Session) -> Value {
    let listed = |id: &str, title: &str, agent: &str| {
        let mut listed = ListedSession::new(agent, id);
        listed.title = Some(title.to_owned());
        listed.cwd = FOLDER.to_owned();
        listed.updated_at = Some(Timestamp(START));
        listed.stored = true;
        listed
    };
    let open = OpenSession {
        agent: "gemini".to_owned(),
        cwd: FOLDER.into(),
        session: session.clone(),
        state: SessionState::WaitingForPerson { questions: 1 },
        questions: vec![permission()],
        queued: 2,
        held: None,
    };
    let mut listed = vec![
        listed("s1", "Fix the parser", "gemini"),
        listed("s2", "Write the documentation", "attache"),
        listed("s3", "日本語 and a long title that does not fit in one line", "codex"),
    ];
    listed[1].labels.tags = vec!["project:parser".to_owned(), "docs".to_owned()];
    let agent = |name: &str, installed: bool| {
        let title = "";
        json!({"name": name, "title": title, "installed": installed, "needs": ""})
    };
    let name = |name: &str| Line::of(name, Role::Text);
    checked::<HubChanged>(json!({
        "watch": 1,
        "agents": [agent("attache", true), agent("gemini", true), agent("qwen", false)],
        "list": SessionList::default().view(&listed, &[open], &[]),
        "hasMore": false,
        "questions": [],
        "scope": Scope::Control,
        "clients": [{"id": 5, "name": name("phone"), "scope": "control", "own": true}],
        "scopeRequests": [{"device": "d2", "name": name("tablet"), "scope": "answer"}],
    }))
}

/// The review of what the edit changed.
fn review(view: &SessionView) -> ReviewItems {
    let files = view.rows().iter().find_map(|row| match &row.content {
        RowContent::ToolCall(call) if call.kind == "edit" => match call.outputs.first() {
            Some(Output::Diff(diff)) => Some(diff.files.clone()),
            _ => None,
        },
        _ => None,
    });
    let file = |(number, file): (usize, &std::sync::Arc<attache_view::FileDiff>)| ReviewedFile {
        change: (**file).clone(),
        hunks: (0..file.hunks.len())
            .map(|index| ReviewedHunk {
                id: format!("{number}.{index}"),
                index,
                state: HunkState::Open,
                comment: String::new(),
            })
            .collect(),
    };
    ReviewItems {
        files: files.unwrap().iter().enumerate().map(file).collect(),
        notes: vec![Line::of("1 file was not kept", Role::Muted)],
    }
}

fn checkpoints() -> Checkpoints {
    let point = |turn: u64, prompt: &str| CheckpointItem {
        id: format!("p{turn}"),
        at: START,
        turn: Some(turn),
        prompt: Line::of(prompt, Role::Text),
        files: Some(2),
        complete: true,
    };
    let points = vec![point(2, "Then run the tests"), point(1, "Fix the parser")];
    Checkpoints { points, forks: false }
}

fn samples() -> Value {
    let mut session = session();
    let mut view = SessionView::new(FOLDER);
    let first = whole(&session, &mut view);
    let (review, hub) = (review(&view), hub(&session));
    let asking = SessionState::WaitingForPerson { questions: 1 };
    let mut asked = changed(&session, &mut view);
    asked["questions"] = json!(questions());
    asked["status"] = json!(status(&session, &asking, &[permission()]));
    let asked = checked::<SessionChanged>(asked);
    let call = view.rows().iter().position(
        |row| matches!(&row.content, RowContent::ToolCall(call) if call.kind == "execute"),
    );
    let whole_call = view.whole_call(call.unwrap(), &session, &terminal).unwrap();
    prompt(&mut session, "Explain it.");
    let words = "The first bracket **opens** the tree. Then `rfind` finds the last one.\n\n";
    let mut streamed = vec![changed(&session, &mut view)];
    for word in words.split_inclusive(' ').cycle().take(60) {
        update(&mut session, &said(word));
        streamed.push(changed(&session, &mut view));
    }
    let hub_version = "0.1.0".to_owned();
    let negotiated =
        Negotiated { version: 1, scope: Scope::Control, hub: hub_version, local: false };
    let devices = Devices {
        devices: vec![DeviceItem {
            id: "d1".to_owned(),
            name: Line::of("phone", Role::Text),
            scope: Scope::Control,
            protected_files: false,
            added_at: START,
            used_at: START,
        }],
    };
    let preview = RestorePreview {
        preview: 1,
        lines: vec![
            Line::of("restores src/parser.rs", Role::Text),
            Line::of("  - // The last bracket counts.", Role::Removed),
        ],
        is_empty: false,
        needs_force: true,
    };
    json!({"negotiated": negotiated, "hub": hub, "session": first, "asked": asked,
        "streamed": streamed, "wholeCall": whole_call, "review": review, "devices": devices,
        "checkpoints": checkpoints(), "preview": preview, "rare": rare_rows::rows()})
}

#[test]
fn samples_are_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/samples.json");
    let samples = format!("{:#}\n", samples());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &samples).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let how = "UPDATE_DOCS=1 cargo test -p attache-serve samples";
    assert!(written == samples, "{} is out of date: run {how}", file.display());
}
