use super::{AgentTurn, ReportedWork, StateMeaning};
use attache_protocol::v2::{IdleStateUpdate, StateUpdate};
use attache_protocol::{Patch, decode};
use attache_session::{EventBody, MessageAuthor};

fn state(text: &str) -> StateUpdate {
    decode(text).unwrap()
}

fn running() -> StateUpdate {
    state(r#"{"state":"running"}"#)
}

fn idle() -> StateUpdate {
    state(r#"{"state":"idle"}"#)
}

fn ended() -> StateUpdate {
    state(r#"{"state":"idle","stopReason":"end_turn"}"#)
}

fn user_message(id: &str) -> EventBody {
    EventBody::WholeMessage {
        author: MessageAuthor::User,
        message_id: id.into(),
        content: Patch::Clear,
        meta: Patch::Keep,
    }
}

fn meanings(turn: &mut AgentTurn, states: &[StateUpdate]) -> Vec<StateMeaning> {
    states.iter().map(|state| turn.hear_state(state, false)).collect()
}

#[test]
fn idle_after_the_reply_ends_a_turn_that_ran_or_that_gives_a_reason() {
    use StateMeaning::{Ends, GoesOn, Repeated};
    for (states, expected) in [
        (vec![running(), idle()], vec![GoesOn, Ends]),
        (vec![running(), ended()], vec![GoesOn, Ends]),
        (vec![state(r#"{"state":"requires_action"}"#), ended()], vec![GoesOn, Ends]),
        (vec![ended()], vec![Ends]),
        // Background work ended before this turn began to work.
        (vec![idle(), running(), ended()], vec![Repeated, GoesOn, Ends]),
    ] {
        let mut turn = AgentTurn::new(ReportedWork::None);
        assert_eq!(turn.acknowledge("m".into()), None::<IdleStateUpdate>);
        assert_eq!(meanings(&mut turn, &states), expected, "{states:?}");
    }
}

#[test]
fn unknown_states_do_not_end_a_turn() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    turn.hear_state(&running(), false);
    turn.acknowledge("m".into());
    for text in [r#"{"state":"unknown"}"#, r#"{"state":"dreaming","stopReason":"end_turn"}"#] {
        assert_eq!(turn.hear_state(&state(text), false), StateMeaning::GoesOn, "{text}");
    }
}

#[test]
fn idle_before_the_reply_ends_the_turn_with_the_reply() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    assert_eq!(meanings(&mut turn, &[running(), ended()])[1], StateMeaning::Held);
    assert!(turn.acknowledge("m".into()).is_some());
}

#[test]
fn work_after_an_early_idle_belongs_to_the_turn() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    meanings(&mut turn, &[running(), ended(), running()]);
    assert!(turn.acknowledge("m".into()).is_none());
    assert_eq!(turn.hear_state(&ended(), false), StateMeaning::Ends);
}

#[test]
fn a_repeated_idle_before_the_reply_is_no_end() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    assert_eq!(turn.hear_state(&ended(), false), StateMeaning::Repeated);
    assert!(turn.acknowledge("m".into()).is_none());
}

#[test]
fn earlier_work_ends_before_the_prompt_is_in_the_conversation() {
    // The agent reports only the end of its earlier work.
    let mut turn = AgentTurn::new(ReportedWork::Running);
    assert_eq!(turn.hear_state(&ended(), false), StateMeaning::EarlierWorkEnded);
    assert_eq!(turn.hear_state(&ended(), false), StateMeaning::Repeated);
    assert!(turn.acknowledge("m".into()).is_none());
    // The agent repeats that it works, and the prompt is inserted after that work.
    let mut turn = AgentTurn::new(ReportedWork::Running);
    meanings(&mut turn, &[running(), ended()]);
    turn.is_prompt(&user_message("m"));
    assert!(turn.acknowledge("m".into()).is_none());
    // The prompt is inserted into the work.
    let mut turn = AgentTurn::new(ReportedWork::Running);
    meanings(&mut turn, &[running()]);
    turn.is_prompt(&user_message("m"));
    meanings(&mut turn, &[ended()]);
    assert!(turn.acknowledge("m".into()).is_some());
}

#[test]
fn the_prompt_is_recognized_by_its_id_after_the_reply() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    assert!(!turn.is_prompt(&user_message("m")));
    for number in 0..1000 {
        assert!(!turn.is_prompt(&user_message(&format!("other-{number}"))));
    }
    assert!(turn.messages.len() <= super::MESSAGES);
    turn.acknowledge("m".into());
    assert!(turn.is_prompt(&user_message("m")));
    assert!(!turn.is_prompt(&user_message("other-1")));
}

#[test]
fn the_end_of_a_turn_without_reported_work_is_held_until_the_reply() {
    for earlier in [ReportedWork::None, ReportedWork::Running] {
        let mut turn = AgentTurn::new(earlier);
        turn.is_prompt(&user_message("m"));
        assert_eq!(turn.hear_state(&ended(), false), StateMeaning::Held);
        assert!(turn.acknowledge("m".into()).is_some(), "{earlier:?}");
        // The state is the end of another person's turn.
        let mut turn = AgentTurn::new(earlier);
        turn.is_prompt(&user_message("other"));
        turn.hear_state(&ended(), false);
        turn.is_prompt(&user_message("m"));
        assert!(turn.acknowledge("m".into()).is_none(), "{earlier:?}");
    }
}

#[test]
fn idle_confirms_a_cancel_without_reported_work() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    turn.acknowledge("m".into());
    assert_eq!(turn.hear_state(&idle(), true), StateMeaning::Ends);
    let mut turn = AgentTurn::new(ReportedWork::None);
    assert_eq!(turn.hear_state(&idle(), true), StateMeaning::Held);
    assert!(turn.acknowledge("m".into()).is_some());
}

#[test]
fn the_last_messages_are_kept() {
    let mut turn = AgentTurn::new(ReportedWork::None);
    for number in 0..100 {
        turn.is_prompt(&user_message(&format!("other-{number}")));
    }
    turn.is_prompt(&user_message("m"));
    turn.hear_state(&ended(), false);
    assert!(turn.acknowledge("m".into()).is_some());
}
