//! The rows of a session.

use crate::sequences::{bodies, bodies_of_both_versions};
use attache_protocol::v1::*;
use attache_protocol::{Patch, v2};
use attache_session::{
    EventBody, MessageAuthor, PermissionId, PermissionQuestion, Session, Timestamp, ToolCall,
    ToolCallContent, ToolCallPatch,
};
use attache_view::{
    CallStatus, FileChange, Output, Row, RowContent, SessionView, ToolCallRow, ViewChanges,
    file_changes,
};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// A session and its view.
struct Watched {
    session: Session,
    view: SessionView,
    at: i64,
}

impl Watched {
    fn new() -> Self {
        Self { session: Session::new("s"), view: SessionView::new("/p"), at: 0 }
    }

    fn apply(&mut self, body: EventBody) {
        self.at += 1_000;
        let event = self.session.next(Timestamp(self.at), body);
        self.session.apply(&event);
    }

    fn then(&mut self, body: EventBody) -> ViewChanges {
        self.apply(body);
        self.view.update(&self.session)
    }

    fn call(&self, row: usize) -> &ToolCallRow {
        match &self.view.rows()[row].content {
            RowContent::ToolCall(call) => call,
            other => panic!("not a tool call: {other:?}"),
        }
    }
}

fn text(author: MessageAuthor, text: &str) -> EventBody {
    let content = ContentBlock::text(text);
    EventBody::Message { author, message_id: None, content }
}

fn call(id: &str, kind: ToolKind, status: v2::ToolCallStatus) -> ToolCall {
    ToolCall { kind, status, ..ToolCall::new(id, format!("title of {id}")) }
}

fn whole(session: &Session) -> Vec<Arc<Row>> {
    let mut view = SessionView::new("/p");
    while view.update(session).more {}
    view.rows().to_vec()
}

fn has_control_character(text: &str) -> bool {
    let turns = |character| matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().any(|character| character.is_control() || turns(character))
}

/// Returns every string in the JSON of a value.
fn strings(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|each| strings(each, found)),
        serde_json::Value::Object(members) => {
            members.values().for_each(|each| strings(each, found));
        }
        _ => {}
    }
}

fn check_is_sanitized(rows: &[Arc<Row>]) {
    let rows: Vec<&Row> = rows.iter().map(|row| &**row).collect();
    let json = serde_json::to_value(&rows).unwrap();
    let mut found = Vec::new();
    strings(&json, &mut found);
    for text in found {
        assert!(!has_control_character(&text), "{text:?}");
    }
    let read: Vec<Row> = serde_json::from_value(json).unwrap();
    assert!(read.iter().eq(rows));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn rows_built_step_by_step_equal_rows_built_at_once(
        bodies in prop_oneof![bodies(), bodies_of_both_versions()],
        updates in proptest::collection::vec(any::<bool>(), 60),
    ) {
        let mut watched = Watched::new();
        for (body, is_updated) in bodies.into_iter().zip(updates) {
            watched.apply(body);
            if is_updated {
                let _ = watched.view.update(&watched.session);
            }
        }
        while watched.view.update(&watched.session).more {}
        let expected = whole(&watched.session);
        prop_assert_eq!(watched.view.rows(), expected.as_slice());
        check_is_sanitized(&expected);
    }

    #[test]
    fn changes_name_every_row_that_changed(bodies in bodies_of_both_versions()) {
        let mut watched = Watched::new();
        for body in bodies {
            let before = watched.view.rows().to_vec();
            let changes = watched.then(body);
            for (index, row) in watched.view.rows().iter().enumerate() {
                let is_same = before.get(index).is_some_and(|before| Arc::ptr_eq(before, row));
                prop_assert!(
                    is_same || changes.rows.contains(&index) || changes.replaced
                        || row.is_empty(),
                    "{index} {changes:?}"
                );
                prop_assert_eq!(row.id, index);
            }
        }
    }
}

#[test]
fn a_growing_text_changes_only_its_row() {
    let mut watched = Watched::new();
    let _ = watched.then(EventBody::Prompt { content: vec![ContentBlock::text("do it")] });
    let first = watched.view.rows()[0].clone();
    for word in ["one ", "two ", "three"] {
        let changes = watched.then(text(MessageAuthor::Agent, word));
        assert_eq!(changes, ViewChanges { replaced: false, rows: vec![1], more: false });
    }
    assert!(Arc::ptr_eq(&first, &watched.view.rows()[0]));
    assert_eq!(watched.view.rows().len(), 2);
    assert_eq!(watched.view.update(&watched.session), ViewChanges::default());
}

#[test]
fn a_replaced_history_replaces_all_rows() {
    let mut watched = Watched::new();
    let _ = watched.then(text(MessageAuthor::Agent, "old"));
    watched.apply(EventBody::Replaced);
    let changes = watched.then(text(MessageAuthor::Agent, "new"));
    assert_eq!((changes.replaced, changes.rows), (true, vec![0]));
    assert_eq!(watched.view.rows(), whole(&watched.session));
}

#[test]
fn a_call_says_that_it_asks_then_runs_then_ended() {
    let mut watched = Watched::new();
    let _ = watched.then(EventBody::TurnBegan);
    let pending = call("c", ToolKind::Execute, v2::ToolCallStatus::Pending);
    let _ = watched.then(EventBody::ToolCall(pending));
    assert_eq!(watched.call(0).status, CallStatus::Pending);
    let question = PermissionQuestion::new(ToolCallPatch::new("c"), Vec::new());
    let _ = watched.then(EventBody::permission_asked(PermissionId(1), question));
    assert_eq!(watched.call(0).status, CallStatus::Asking);
    let outcome = RequestPermissionOutcome::Cancelled;
    let _ = watched.then(EventBody::PermissionSettled { id: PermissionId(1), outcome });
    assert_eq!(watched.call(0).status, CallStatus::Pending);
    let patch = |status| EventBody::ToolCallUpdate(ToolCallPatch::with_status("c", status));
    let _ = watched.then(patch(v2::ToolCallStatus::InProgress));
    assert_eq!((watched.call(0).status, watched.call(0).ended_at), (CallStatus::Running, None));
    let _ = watched.then(patch(v2::ToolCallStatus::Completed));
    assert_eq!(watched.call(0).status, CallStatus::Completed);
    assert_eq!((watched.view.rows()[0].at, watched.call(0).ended_at), (2_000, Some(6_000)));
    // Agents repeat updates.
    let _ = watched.then(patch(v2::ToolCallStatus::Completed));
    assert_eq!(watched.call(0).ended_at, Some(6_000));
}

#[test]
fn a_call_that_outlives_its_turn_counts_as_cancelled() {
    let mut watched = Watched::new();
    let _ = watched.then(EventBody::TurnBegan);
    let running = call("c", ToolKind::Execute, v2::ToolCallStatus::InProgress);
    let _ = watched.then(EventBody::ToolCall(running));
    assert_eq!(watched.call(0).status, CallStatus::Running);
    let outcome = attache_session::TurnOutcome::Stopped(StopReason::Cancelled);
    let _ = watched.then(EventBody::TurnEnded { outcome, usage: None });
    assert_eq!(watched.call(0).status, CallStatus::Cancelled);
}

#[test]
fn a_huge_output_is_bounded() {
    let mut huge = call("c", ToolKind::Execute, v2::ToolCallStatus::InProgress);
    let line = format!("{}\n", "x".repeat(99));
    let part = ToolCallContent::from(ContentBlock::text(line.repeat(100_000)));
    huge.content = vec![part].into();
    let mut watched = Watched::new();
    let _ = watched.then(EventBody::ToolCall(huge));
    let json = serde_json::to_string(&**watched.view.rows().first().unwrap()).unwrap();
    assert!(json.len() < 100_000, "{}", json.len());
    let Output::Text { blocks } = &watched.call(0).outputs[0] else { panic!() };
    assert!(format!("{:?}", blocks[0]).contains("omitted"));
}

#[test]
fn the_rows_of_a_long_session_come_latest_first() {
    let mut session = Session::new("s");
    for number in 0..10_000 {
        let body = EventBody::Prompt { content: vec![ContentBlock::text(format!("{number}"))] };
        let event = session.next(Timestamp(number), body);
        session.apply(&event);
    }
    let mut view = SessionView::new("/p");
    let changes = view.update(&session);
    assert!(changes.more && changes.rows.contains(&9_999) && !changes.rows.contains(&0));
    assert_eq!(view.rows().len(), 10_000);
    while view.update(&session).more {}
    assert!(!view.rows().iter().any(|row| row.is_empty()));
}

#[test]
fn dropped_entries_lose_their_rows() {
    let mut watched = Watched::new();
    for number in 0..50 {
        let long = format!("{number} {}", "x".repeat(2_000));
        let _ = watched.then(EventBody::Prompt { content: vec![ContentBlock::text(long)] });
    }
    watched.session.set_memory_limit(40_000);
    let _ = watched.then(EventBody::Prompt { content: vec![ContentBlock::text("end")] });
    assert!(watched.session.truncated_before() > 10);
    assert_eq!(watched.view.rows(), whole(&watched.session));
}

#[test]
fn a_terminal_of_the_agent_shows_its_last_lines_and_how_it_ended() {
    let mut watched = Watched::new();
    watched.apply(EventBody::TurnBegan);
    let mut running = call("c", ToolKind::Execute, v2::ToolCallStatus::InProgress);
    running.content = vec![ToolCallContent::Terminal(Terminal::new("t"))].into();
    let _ = watched.then(EventBody::ToolCall(running));
    let mut update = v2::TerminalUpdate::new("t");
    update.command = Patch::Set("cargo test".to_owned());
    let _ = watched.then(EventBody::Terminal(Box::new(update)));
    // "a\r\n\x1b[31mred\x1b[0m" in two parts.
    for data in ["YQ0KG1sz", "MW1yZWQbWzBt"] {
        let data = data.to_owned();
        let _ = watched.then(EventBody::TerminalOutput { terminal_id: "t".into(), data });
    }
    let mut update = v2::TerminalUpdate::new("t");
    let mut exit = v2::TerminalExitStatus::new();
    exit.exit_code = Some(1);
    update.exit_status = Patch::Set(exit);
    let _ = watched.then(EventBody::Terminal(Box::new(update)));
    assert!(!watched.view.has_open_terminals());
    let Output::Terminal { command, lines, ended, .. } = &watched.call(0).outputs[0] else {
        panic!()
    };
    let lines: Vec<String> = lines.iter().map(|line| line.text()).collect();
    assert_eq!((command.text(), lines), ("cargo test".into(), vec!["a".into(), "red".into()]));
    assert_eq!(ended.text(), "exit code 1");
    assert_eq!(watched.view.rows(), whole(&watched.session));
}

/// Agents may announce a terminal late, and send output after the end of its command.
#[test]
fn a_terminal_of_the_agent_changes_after_its_tool_call_ended() {
    let mut watched = Watched::new();
    let mut ended = call("c", ToolKind::Execute, v2::ToolCallStatus::Completed);
    ended.content = vec![ToolCallContent::Terminal(Terminal::new("t"))].into();
    let _ = watched.then(EventBody::ToolCall(ended));
    let mut update = v2::TerminalUpdate::new("t");
    update.command = Patch::Set("cargo test".to_owned());
    update.exit_status = Patch::Set(v2::TerminalExitStatus::new());
    let shown = |watched: &Watched| match watched.call(0).outputs.as_slice() {
        [Output::Terminal { command, lines, .. }] => {
            lines.iter().fold(command.text(), |all, line| all + "|" + &line.text())
        }
        other => panic!("{other:?}"),
    };
    let changes = watched.then(EventBody::Terminal(Box::new(update)));
    assert_eq!((changes.rows.as_slice(), shown(&watched)), ([0].as_slice(), "cargo test".into()));
    let output =
        |data: &str| EventBody::TerminalOutput { terminal_id: "t".into(), data: data.to_owned() };
    let _ = watched.then(output("b25lCg==")); // "one\n"
    assert_eq!(shown(&watched), "cargo test|one");
    // The same length as before.
    let mut update = v2::TerminalUpdate::new("t");
    update.output = Patch::Set(v2::TerminalOutput::new("dHdvCg==")); // "two\n"
    let _ = watched.then(EventBody::Terminal(Box::new(update)));
    assert_eq!(shown(&watched), "cargo test|two");
    assert!(!watched.view.has_open_terminals());
    assert_eq!(watched.view.rows(), whole(&watched.session));
}

#[test]
fn a_terminal_of_the_client_is_read_again_while_it_runs() {
    let mut watched = Watched::new();
    let mut running = call("c", ToolKind::Execute, v2::ToolCallStatus::InProgress);
    running.content = vec![ToolCallContent::Terminal(Terminal::new("t"))].into();
    watched.apply(EventBody::ToolCall(running));
    let mut outputs = ["one\n", "one\ntwo", "two\nthree", "two\nthree"].into_iter().enumerate();
    let mut shown = Vec::new();
    for _ in 0..4 {
        let (index, text) = outputs.next().unwrap();
        let mut output = TerminalOutputResponse::new(text, index >= 2);
        output.exit_status = (index == 3).then(TerminalExitStatus::new);
        let _ = watched.view.update_with(&watched.session, &|_| Some(output.clone()));
        let Output::Terminal { lines, .. } = &watched.call(0).outputs[0] else { panic!() };
        shown.push(lines.iter().map(|line| line.text()).collect::<Vec<_>>().join("|"));
        assert_eq!(watched.view.has_open_terminals(), index < 3);
    }
    assert_eq!(shown, ["one", "one|two", "three", "three"]);
}

#[test]
fn a_pager_gets_the_whole_output() {
    let mut long = call("c", ToolKind::Execute, v2::ToolCallStatus::Completed);
    let text: String = (0..1_000).map(|number| format!("line {number}\n")).collect();
    let parts = [ContentBlock::text(text).into(), ToolCallContent::Terminal(Terminal::new("t"))];
    long.content = parts.to_vec().into();
    let mut watched = Watched::new();
    let _ = watched.then(EventBody::ToolCall(long));
    let terminal: String = (0..1_000).map(|number| format!("output {number}\n")).collect();
    let output = TerminalOutputResponse::new(terminal, false);
    let source = |_: &TerminalId| Some(output.clone());
    let _ = watched.view.update_with(&watched.session, &source);
    let whole = watched.view.whole_call(0, &watched.session, &source).unwrap();
    let [Output::Text { blocks }, Output::Terminal { lines, .. }] = whole.outputs.as_slice() else {
        panic!("{:?}", whole.outputs)
    };
    let shown = serde_json::to_string(blocks).unwrap();
    assert!(shown.contains("line 0\"") && shown.contains("line 999\""));
    assert_eq!(lines.len(), 1_000);
}

#[test]
fn a_repeated_diff_is_made_once() {
    let mut watched = Watched::new();
    let mut edit = call("c", ToolKind::Edit, v2::ToolCallStatus::InProgress);
    edit.content = vec![ToolCallContent::Diff(Diff::new("/p/a", "text\n"))].into();
    let file = |watched: &Watched| match watched.call(0).outputs.as_slice() {
        [Output::Diff(diff)] => diff.files[0].clone(),
        other => panic!("{other:?}"),
    };
    let _ = watched.then(EventBody::ToolCall(edit));
    let first = file(&watched);
    let completed = ToolCallPatch::with_status("c", v2::ToolCallStatus::Completed);
    let _ = watched.then(EventBody::ToolCallUpdate(completed));
    assert!(Arc::ptr_eq(&first, &file(&watched)));
}

/// Every text of an agent, in every kind of entry.
#[test]
fn no_text_of_an_agent_keeps_a_control_character() {
    let evil = "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1m\u{202e}\u{2028}\r\tb\u{7f}";
    let mut watched = Watched::new();
    for author in [MessageAuthor::User, MessageAuthor::Agent, MessageAuthor::Thought] {
        let _ = watched.then(text(author, evil));
    }
    let image = ImageContent::new("AAAA", evil);
    let link = ResourceLink::new(evil, evil);
    let resource = EmbeddedResource::new(TextResourceContents::new(evil, evil));
    let others: [ContentBlock; 3] = [image.into(), link.into(), resource.into()];
    for content in others.clone() {
        let _ = watched.then(EventBody::Prompt { content: vec![content] });
    }
    let mut call = call(evil, ToolKind::Execute, v2::ToolCallStatus::Failed);
    (call.title, call.name) = (evil.to_owned(), Some(evil.to_owned()));
    call.locations = vec![ToolCallLocation::new(evil)];
    let input = serde_json::json!({ "command": evil, "path": evil, "url": evil }).to_string();
    call.raw_input = attache_protocol::Raw::from_text(&input).ok();
    let mut diff = Diff::new(evil, evil);
    diff.old_text = Some(format!("{evil}{evil}"));
    let fenced = format!("```{evil}\n{evil}\n```");
    let mut parts = vec![ToolCallContent::Diff(diff), ContentBlock::text(fenced).into()];
    parts.push(ContentBlock::text(evil).into());
    parts.push(ToolCallContent::Terminal(Terminal::new(evil)));
    parts.extend(others.map(ToolCallContent::from));
    call.content = parts.into();
    let _ = watched.then(EventBody::ToolCall(call));
    let steps = vec![PlanEntry::new(evil, PlanEntryPriority::High, PlanEntryStatus::Pending)];
    for content in [
        attache_session::PlanContent::Items(steps),
        attache_session::PlanContent::File(evil.to_owned()),
        attache_session::PlanContent::Markdown(evil.to_owned()),
    ] {
        let _ = watched.then(EventBody::Plan { id: None, content });
        check_is_sanitized(watched.view.rows());
    }
    let mut notice = Notice::new(NoticeSeverity::Error, evil);
    notice.description = Some(evil.to_owned());
    let _ = watched.then(EventBody::Notice(notice));
    let mut subagent = SubagentUpdate::new(evil);
    subagent.title = Patch::Set(evil.to_owned());
    let _ = watched.then(EventBody::Subagent(Box::new(subagent)));
    let raw = attache_protocol::Raw::from_text(r#"{"sessionUpdate":"\u001b"}"#).unwrap();
    let _ = watched.then(EventBody::Unknown { name: evil.to_owned(), raw });
    let terminal = TerminalOutputResponse::new(evil, false);
    let _ = watched.view.update_with(&watched.session, &|_| Some(terminal.clone()));
    check_is_sanitized(watched.view.rows());
    assert!(watched.view.rows().len() > 9);
}

#[test]
fn a_text_that_outgrows_memory_loses_its_start_in_the_view_too() {
    let mut watched = Watched::new();
    watched.session.set_memory_limit(40_000);
    for number in 0..40 {
        let line = format!("{number} {}\n\n", "x".repeat(3_000));
        let _ = watched.then(text(MessageAuthor::Agent, &line));
    }
    assert_eq!(watched.view.rows(), whole(&watched.session));
    let shown = serde_json::to_string(&*watched.view.rows()[0]).unwrap();
    assert!(shown.len() < 60_000, "{}", shown.len());
}

#[test]
fn the_changes_of_a_turn_are_in_one_place() {
    let mut watched = Watched::new();
    let prompt = || EventBody::Prompt { content: vec![ContentBlock::text("do it")] };
    let edit = |id: &str, status| {
        let mut edit = call(id, ToolKind::Edit, status);
        edit.content = vec![ToolCallContent::Diff(Diff::new(format!("/p/{id}"), "x\n"))].into();
        EventBody::ToolCall(edit)
    };
    use v2::ToolCallStatus::{Completed, Failed};
    for body in [prompt(), edit("a", Completed), edit("b", Failed), edit("c", Completed)] {
        let _ = watched.then(body);
    }
    for body in [prompt(), edit("d", Completed)] {
        let _ = watched.then(body);
    }
    assert_eq!([0, 3, 4, 9].map(|row| watched.view.turn_of(row)), [0..4, 0..4, 4..6, 4..6]);
    let turn = watched.view.entries(watched.view.turn_of(2), &watched.session);
    let changes = file_changes(&turn, Path::new("/p"));
    let files: Vec<String> = changes.files.iter().map(|file| file.path.text()).collect();
    assert_eq!(files, ["a", "c"]);
}

#[test]
fn changes_of_one_file_that_follow_each_other_are_one_change() {
    let mut watched = Watched::new();
    let mut edit = |id: &str, path: &str, old: Option<&str>, new: &str| {
        let mut edit = call(id, ToolKind::Edit, v2::ToolCallStatus::Completed);
        let mut diff = Diff::new(path, new);
        diff.old_text = old.map(str::to_owned);
        edit.content = vec![ToolCallContent::Diff(diff)].into();
        let _ = watched.then(EventBody::ToolCall(edit));
    };
    edit("1", "/p/new", None, "one\n");
    edit("2", "/p/back", Some("a\n"), "b\n");
    edit("3", "/p/new", Some("one\n"), "one\ntwo\n");
    edit("4", "/p/back", Some("b\n"), "a\n");
    edit("5", "/p/other", Some("x\n"), "y\n");
    edit("6", "/p/other", Some("a person's text\n"), "z\n");
    let changes = file_changes(&watched.view.entries(0..6, &watched.session), Path::new("/p"));
    let files: Vec<_> =
        changes.files.iter().map(|it| (it.path.text(), it.change, it.added)).collect();
    let changed = |path: &str| (path.to_owned(), FileChange::Changed, 1);
    let expected = [("new".to_owned(), FileChange::Created, 2), changed("other"), changed("other")];
    assert_eq!(files, expected);
}
