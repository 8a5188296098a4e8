//! Messages, tool calls, plans, compactions, subagents.

use crate::{chunk, fold, outline, say, update};
use attache_protocol::v1::{ContentBlock, ImageContent};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{
    Block, Change, EntryContent, EventBody, MessageAuthor, Parts, PlanContent, Session, Timestamp,
};

use MessageAuthor::{Agent, Thought, User};

/// MSG-04.
#[test]
fn chunks_without_ids_are_one_message_until_another_entry_comes() {
    let session = fold([
        say("Hel"),
        say("lo"),
        chunk(Thought, None, "hm"),
        say("more"),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}"#),
        say("after"),
    ]);
    let expected =
        ["Agent: Hello", "Thought: hm", "Agent: more", "tool t: Read pending", "Agent: after"];
    assert_eq!(outline(&session), expected);
}

/// MSG-04: an event without an entry does not end a message.
#[test]
fn updates_of_usage_info_and_known_tool_calls_do_not_split_a_message() {
    let session = fold([
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}"#),
        say("a"),
        update(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#),
        update(r#"{"sessionUpdate":"session_info_update","title":"x"}"#),
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#),
        say("b"),
    ]);
    assert_eq!(outline(&session), ["tool t: Read completed", "Agent: ab"]);
}

/// MSG-02.
#[test]
fn chunks_with_the_same_id_are_one_message_wherever_they_come() {
    let session = fold([
        chunk(Agent, Some("m1"), "one "),
        chunk(Agent, Some("m2"), "two"),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}"#),
        chunk(Agent, Some("m1"), "late"),
        chunk(Thought, Some("m1"), "thinking under the same id"),
    ]);
    let expected = [
        "Agent: one late",
        "Agent: two",
        "tool t: Read pending",
        "Thought: thinking under the same id",
    ];
    assert_eq!(outline(&session), expected);
}

/// MSG-03, MSG-04.
#[test]
fn an_id_begins_a_message_and_a_chunk_without_one_continues_it() {
    let session = fold([say("a"), chunk(Agent, Some("m"), "b"), say("c")]);
    assert_eq!(outline(&session), ["Agent: a", "Agent: bc"]);
}

#[test]
fn a_prompt_is_a_separate_message() {
    let prompt = |text: &str| EventBody::Prompt { content: vec![text.into()] };
    let session =
        fold([prompt("one"), chunk(User, None, "echo"), prompt("two"), prompt("three"), say("x")]);
    assert_eq!(
        outline(&session),
        ["User: one", "User: echo", "User: two", "User: three", "Agent: x"]
    );
    let between = fold([say("a"), EventBody::Prompt { content: Vec::new() }, say("b")]);
    assert_eq!(outline(&between), ["Agent: a", "Agent: b"]);
}

#[test]
fn texts_are_joined_and_other_blocks_keep_their_place() {
    let image = ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
    let message = |content| EventBody::Message { author: Agent, message_id: None, content };
    let session =
        fold([say(""), say("a"), say("b"), message(image.clone()), say("c"), message(image)]);
    let entry = &session.entries()[0];
    let shapes: Vec<_> =
        entry.blocks().iter().map(|block| matches!(block, Block::Text(_))).collect();
    assert_eq!(shapes, [true, false, true, false]);
    assert_eq!(entry.text(), "abc");
}

/// MSG-07: joining keeps annotations.
#[test]
fn a_text_with_annotations_is_a_separate_block() {
    let annotated = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x","annotations":{"priority":1}}}"#;
    let session = fold([say("a"), update(annotated), say("b")]);
    assert_eq!(session.entries()[0].blocks().len(), 3);
}

/// TOOL-05, TOOL-06.
#[test]
fn an_update_patches_a_tool_call_and_replaces_its_lists() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","kind":"read","locations":[{"path":"/a"}],"rawInput":{"x":1},"content":[{"type":"content","content":{"type":"text","text":"1"}},{"type":"content","content":{"type":"text","text":"2"}}]}"#,
        ),
        update(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","title":null,"content":[{"type":"content","content":{"type":"text","text":"3"}}]}"#,
        ),
        update(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[],"status":"no such status"}"#,
        ),
    ]);
    let call = session.tool_call(&"t".into()).unwrap();
    assert_eq!(call.title, "Read");
    assert_eq!(call.status(), &ToolCallStatus::InProgress);
    assert_eq!(call.content.len(), 1);
    assert!(call.locations.is_empty());
    assert!(call.raw_input.is_some());
}

/// TOOL-04.
#[test]
fn an_update_about_an_unknown_call_creates_it_only_if_it_has_a_title() {
    let session = fold([
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}"#),
        update(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"b","status":"completed","title":"B"}"#,
        ),
    ]);
    assert_eq!(outline(&session), ["tool b: B completed"]);
}

/// TOOL-02: the second one replaces the first in its place.
#[test]
fn a_tool_call_created_twice_is_replaced_in_its_place() {
    let session = fold([
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"One","rawInput":1}"#),
        say("x"),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Two"}"#),
    ]);
    assert_eq!(outline(&session), ["tool t: Two pending", "Agent: x"]);
    assert!(session.tool_call(&"t".into()).unwrap().raw_input.is_none());
}

/// TOOL-08 applies to agents; a session accepts every update.
#[test]
fn an_update_after_the_final_status_and_after_the_turn_is_taken() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Run","status":"completed"}"#,
        ),
        EventBody::TurnEnded {
            outcome: attache_session::TurnOutcome::Stopped(
                attache_protocol::v1::StopReason::EndTurn,
            ),
            usage: None,
        },
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}"#),
    ]);
    assert_eq!(outline(&session), ["tool t: Run failed"]);
}

/// PLAN-03.
#[test]
fn a_plan_is_replaced_whole_in_its_place() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"low","status":"pending"}]}"#,
        ),
        say("x"),
        update(
            r#"{"sessionUpdate":"plan","entries":[{"content":"c","priority":"high","status":"completed"}]}"#,
        ),
    ]);
    assert_eq!(outline(&session), ["plan ", "Agent: x"]);
    let Some(PlanContent::Items(entries)) = session.plan() else { panic!("no steps") };
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].content, "c");
}

/// PLANU-02.
#[test]
fn plans_with_ids_are_kept_apart_and_dropped_alone() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"a","content":"A"}}"#,
        ),
        update(
            r#"{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"b","uri":"file:///b"}}"#,
        ),
        update(
            r#"{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"a","uri":"file:///a"}}"#,
        ),
        update(r#"{"sessionUpdate":"plan_removed","planId":"b"}"#),
        update(r#"{"sessionUpdate":"plan_removed","planId":"never seen"}"#),
    ]);
    let plans: Vec<_> = session.plans().collect();
    assert_eq!(plans, [(Some(&"a".into()), &PlanContent::File("file:///a".into()))]);
    assert_eq!(outline(&session), ["plan ", "plan dropped"]);
}

/// COMP-05, COMP-06, COMP-07, COMP-10, COMP-11.
#[test]
fn a_compaction_is_patched_where_it_began() {
    let session = fold([
        say("before"),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
        ),
        say("after"),
        update(
            r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"lost "}}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[{"type":"text","text":"all"}]}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":" of it"}}"#,
        ),
        update(r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"_odd"}"#),
    ]);
    assert_eq!(outline(&session), ["Agent: before", "compaction _odd: all of it", "Agent: after"]);
    for empty in ["[]", "null"] {
        let cleared = fold([
            update(
                r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[{"type":"text","text":"all"}],"error":"e"}"#,
            ),
            update(&format!(
                r#"{{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":{empty},"error":null}}"#
            )),
        ]);
        let EntryContent::Compaction(compaction) = &cleared.entries()[0].content else {
            panic!("none")
        };
        assert_eq!((compaction.summary.len(), &compaction.error), (0, &None));
    }
}

/// X7.
#[test]
fn a_chunk_of_an_unknown_compaction_begins_it() {
    let text = r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}"#;
    assert_eq!(outline(&fold([update(text)])), ["compaction in_progress: x"]);
}

/// SUB-01, SUB-02, SUB-03.
#[test]
fn a_subagent_is_patched_by_field() {
    let announced = update(
        r#"{"sessionUpdate":"subagent_update","sessionId":"child","title":"T","capabilities":{"cancel":{}},"state":{"state":"running"}}"#,
    );
    let cleared = update(
        r#"{"sessionUpdate":"subagent_update","sessionId":"child","capabilities":null,"state":null}"#,
    );
    let child = |bodies: Vec<EventBody>| {
        let session = fold(bodies);
        let EntryContent::Subagent(child) = &session.entries()[0].content else {
            panic!("no subagent")
        };
        assert_eq!(child.title.as_deref(), Some("T"));
        (child.capabilities.is_some(), child.state.is_some())
    };
    assert_eq!(child(vec![announced.clone()]), (true, true));
    assert_eq!(child(vec![announced, cleared]), (false, false));
}

#[test]
fn a_message_between_sessions_is_patched_and_appended_to() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}"#,
        ),
        update(
            r#"{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"b"}}"#,
        ),
        update(r#"{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s1"}"#),
    ]);
    let EntryContent::BetweenSessions(message) = &session.entries()[0].content else {
        panic!("no message")
    };
    assert_eq!(message.blocks, [Block::Text("ab".into())]);
    assert_eq!(message.sender_session_id, Some("s1".into()));
}

/// DEC-18 allows dropping the update; the session shows that there was an update.
#[test]
fn an_unknown_update_is_kept_and_does_not_end_the_session() {
    let session = fold([update(r#"{"sessionUpdate":"sparkle","x":[1]}"#), say("on")]);
    assert_eq!(outline(&session), ["unknown sparkle", "Agent: on"]);
}

/// CMD-02.
#[test]
fn commands_are_replaced_whole() {
    let session = fold([
        update(
            r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":""},{"name":"b","description":""}]}"#,
        ),
        update(
            r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"c","description":""}]}"#,
        ),
    ]);
    assert_eq!(session.commands().iter().map(|command| &*command.name).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn an_event_is_applied_once() {
    let mut session = Session::new("s");
    let event = session.next(Timestamp(5), say("a"));
    assert_eq!(
        session.apply(&event),
        Change { parts: Parts::TEXT | Parts::MESSAGE, entry: Some(0) }
    );
    assert_eq!(session.apply(&event), Change::NONE);
    assert_eq!(outline(&session), ["Agent: a"]);
}

#[test]
fn private_records_change_nothing_that_is_shown() {
    let mut session = Session::new("s");
    let value = attache_protocol::Raw::from_text("1").unwrap();
    let event = session.next(Timestamp(5), EventBody::Record { name: "memory".into(), value });
    assert_eq!(session.apply(&event), Change::NONE);
    assert_eq!((session.sequence(), session.last_activity()), (1, Timestamp(0)));
}
