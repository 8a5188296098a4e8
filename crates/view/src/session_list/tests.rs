use super::*;
use attache_client::{HoldReason, SessionState};
use attache_client::{PermissionRequest, QuestionAbout, QuestionId};
use attache_protocol::v1::{ContentBlock, Cost, ToolKind};
use attache_protocol::{Patch, Raw};
use attache_session::{EventBody, PermissionId, Timestamp, ToolCallPatch};

fn session(id: &str, bodies: Vec<EventBody>) -> Session {
    let mut session = Session::new(id);
    for body in bodies {
        apply(&mut session, body);
    }
    session
}

fn apply(session: &mut Session, body: EventBody) {
    let at = Timestamp(1_000 * (session.sequence() as i64 + 1));
    let event = session.next(at, body);
    session.apply(&event);
}

fn answer(text: &str) -> EventBody {
    let content = ContentBlock::text(text);
    EventBody::Message { author: MessageAuthor::Agent, message_id: None, content }
}

fn open(agent: &str, session: Session, state: SessionState) -> OpenSession {
    let (agent, cwd) = (agent.to_owned(), "/p".into());
    OpenSession { agent, cwd, session, state, questions: Vec::new(), queued: 0, held: None }
}

fn permission(at: i64, kind: ToolKind, input: &str) -> Question {
    let mut call = ToolCallPatch::new("c");
    (call.title, call.kind) = (Patch::Set("Title".to_owned()), Patch::Set(kind));
    call.raw_input = Patch::Set(Raw::from_text(input).unwrap());
    let request = PermissionRequest::new(PermissionId(1), "s".into(), call, Vec::new());
    let about = QuestionAbout::Permission(Box::new(request));
    Question::new(QuestionId(7), Timestamp(at), about)
}

#[test]
fn questions_come_first_then_problems_then_unread_answers() {
    let mut list = SessionList::default();
    let mut answered = session("answered", vec![answer("old")]);
    let start = [open("gemini", answered.clone(), SessionState::Idle)];
    assert_eq!(list.view(&[], &start, &[]).attention, [], "history counts as seen");
    apply(&mut answered, answer(" goes on"));
    apply(&mut answered, EventBody::Prompt { content: vec![ContentBlock::text("more")] });
    apply(&mut answered, answer("new"));
    let mut asking = open("qwen", session("asking", vec![]), SessionState::Idle);
    asking.questions = vec![
        permission(9_000, ToolKind::Execute, r#"{"command":"cargo test"}"#),
        permission(8_000, ToolKind::Edit, r#"{"path":"/p/a","files":["a","/p/b"]}"#),
    ];
    let gone = SessionState::Gone { why: "exit code 1".into(), restarting: false };
    let mut held = open("qwen", session("held", vec![]), SessionState::Idle);
    (held.queued, held.held) = (1, Some(HoldReason::Cancelled));
    let all = [
        open("gemini", answered.clone(), SessionState::Idle),
        held,
        open("gemini", session("gone", vec![]), gone),
        asking,
    ];
    let login = [("codex".to_owned(), vec![permission(9_500, ToolKind::Other, "{}")])];
    let view = list.view(&[], &all, &login);
    let shown: Vec<_> = view
        .attention
        .iter()
        .map(|item| (item.reason, item.session.as_deref(), item.line.text(), item.since))
        .collect();
    use AttentionReason::{Held, Problem, Unread};
    let question = AttentionReason::Question;
    assert_eq!(
        shown,
        [
            (question, Some("asking"), "asks to edit a and 1 more".into(), Some(8_000)),
            (question, Some("asking"), "asks to run cargo test".into(), Some(9_000)),
            (question, None, "asks: Title".into(), Some(9_500)),
            (Problem, Some("gone"), "the agent is gone: exit code 1".into(), None),
            (Held, Some("held"), "1 prompt is waiting: the turn before was cancelled".into(), None),
            (Unread, Some("answered"), "has answered".into(), Some(4_000)),
        ]
    );
    list.mark_seen("gemini", &answered);
    let view = list.view(&[], &all, &[]);
    assert!(view.attention.iter().all(|item| item.reason != Unread));
}

#[test]
fn a_listed_session_shows_what_is_known_of_it() {
    let cost = EventBody::Usage { used: 1, size: None, cost: Patch::Set(Cost::new(0.5, "USD")) };
    let running = session("a", vec![cost]);
    let mut listed = ListedSession::new("gemini", "a");
    listed.title = Some("A\u{1b}[2J title".to_owned());
    listed.cwd = "/p".to_owned();
    listed.labels.tags = ["project:p", "project:q", "bug"].map(str::to_owned).into();
    let stored = ListedSession::new("qwen", "b\u{1b}");
    let open = [open("gemini", running, SessionState::Starting)];
    let view = SessionList::default().view(&[listed, stored], &open, &[]);
    let [one, other] = view.sessions.as_slice() else { panic!() };
    assert!(one.title.text().ends_with("title") && !one.title.text().contains('\u{1b}'));
    assert_eq!(
        one.activity.as_ref().map(|now| now.line.text()).as_deref(),
        Some("starting gemini")
    );
    assert_eq!(one.cost.as_ref().map(Line::text).as_deref(), Some("0.50 USD"));
    assert_eq!((one.folder.text().as_str(), one.tags.len()), ("/p", 3));
    assert_eq!(one.shown_tags, ["project:q", "bug"], "the folder says which project it is");
    assert_eq!((other.activity.as_ref(), other.id.as_str()), (None, "b␛"));
}
