//! Joining events.

use crate::{chunk, say};
use attache_protocol::v1::{ContentBlock, TextContent};
use attache_protocol::{Meta, Raw};
use attache_session::{Event, EventBody, MessageAuthor, Timestamp};

fn event(sequence: u64, at: i64, body: EventBody) -> Event {
    Event { sequence, at: Timestamp(at), body }
}

fn is_joined(one: EventBody, next: EventBody) -> bool {
    let mut event = event(1, 0, one);
    let (before, next) = (event.clone(), self::event(2, 0, next));
    let joined = event.join(&next);
    assert!(joined || event == before, "an event that is not joined does not change");
    joined
}

/// MSG-02, MSG-04.
#[test]
fn pieces_of_one_message_are_joined() {
    let mut event = event(4, 10, say("a"));
    assert!(event.join(&self::event(5, 20, say("b"))));
    assert!(event.join(&self::event(9, 30, say("c"))));
    assert_eq!(event, self::event(9, 10, say("abc")));
    let with_id = |text| chunk(MessageAuthor::User, Some("m"), text);
    assert!(is_joined(with_id("a"), with_id("")));
}

/// MSG-02, MSG-04.
#[test]
fn pieces_of_different_messages_are_not_joined() {
    let with_id = |id| chunk(MessageAuthor::Agent, id, "x");
    assert!(!is_joined(with_id(Some("m")), with_id(Some("n"))));
    assert!(!is_joined(with_id(Some("m")), with_id(None)));
    assert!(!is_joined(with_id(None), with_id(Some("m"))));
    assert!(!is_joined(with_id(None), chunk(MessageAuthor::Thought, None, "x")));
    assert!(!is_joined(
        EventBody::Prompt { content: vec!["x".into()] },
        chunk(MessageAuthor::User, None, "x")
    ));
}

#[test]
fn only_plain_text_is_joined() {
    let mut labelled = TextContent::new("x");
    labelled.meta = Meta::new(Raw::from_text("{}").unwrap());
    let labelled = EventBody::Message {
        author: MessageAuthor::Agent,
        message_id: None,
        content: ContentBlock::Text(labelled),
    };
    assert!(!is_joined(say("a"), labelled.clone()));
    assert!(!is_joined(labelled, say("a")));
    assert!(!is_joined(say("a"), EventBody::TurnBegan));
}

#[test]
fn an_earlier_event_is_not_joined() {
    let mut event = event(5, 0, say("a"));
    assert!(!event.join(&self::event(5, 0, say("b"))));
    assert!(!event.join(&self::event(4, 0, say("b"))));
}

#[test]
fn a_joined_text_stops_growing_at_its_limit() {
    let half = "x".repeat(Event::JOINED_TEXT / 2);
    let mut event = event(1, 0, say(&half));
    assert!(event.join(&self::event(2, 0, say(&half))));
    assert!(!event.join(&self::event(3, 0, say("x"))));
    assert!(!is_joined(say("a"), say(&"x".repeat(Event::JOINED_TEXT))));
}

/// LIST-11: the stored time of a session is exact to the second.
#[test]
fn a_joined_event_covers_a_second_at_most() {
    let mut event = event(1, 5, say("a"));
    assert!(event.join(&self::event(2, 1_005, say("b"))));
    assert!(!event.join(&self::event(3, 1_006, say("c"))));
    assert!(event.join(&self::event(3, i64::MIN, say("d"))), "the clock may go back");
}
