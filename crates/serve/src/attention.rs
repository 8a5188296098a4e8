//! Says what has waited for the person for a while, for notifications outside of front ends.

use crate::SharedHub;
use attache_view::{AttentionItem, AttentionReason};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// The shortest time between two looks at the sessions.
const INTERVAL: Duration = Duration::from_millis(250);

/// Something that has waited for the person. Says nothing of what the session contains, except for
/// its title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttentionNotice {
    /// Why the person is needed.
    pub kind: AttentionKind,
    /// The name of the agent in the hub, sanitized.
    pub agent: String,
    /// The id of the session; `None` for a question that belongs to none, such as that of a login.
    pub session_id: Option<String>,
    /// The title of the session, sanitized; empty if it has none.
    pub title: String,
    /// Since when the person is needed, in milliseconds since 1970; `None` if unknown.
    pub since: Option<i64>,
    /// The address of the session in the page, if the hub serves one.
    pub link: Option<String>,
}

/// Why a person is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// The agent asks a question.
    Question,
    /// The agent is gone or does not answer.
    Problem,
    /// Prompts wait and are not sent.
    Held,
    /// The turn ended, and the person has not seen the answer.
    Answered,
}

/// What waits: the agent, the session, why, and the question.
type Key = (String, Option<String>, AttentionKind, Option<u64>);

/// What waits, with the time of its notice; `None` once it was sent.
type Waiting = HashMap<Key, Option<Instant>>;

/// Sends a notice of everything that has waited for the person for this long. Each is sent once; if
/// `notices` is full, it is left out. `page` is the origin of the page. Ends with the hub or the
/// receiver.
pub async fn follow_attention(
    shared: Arc<SharedHub>,
    delay: Duration,
    page: Option<String>,
    notices: mpsc::Sender<AttentionNotice>,
) {
    shared.set_notifies();
    let mut watch = shared.hub.watch();
    let mut waiting = Waiting::new();
    loop {
        let items = shared.live.attention(&shared.hub);
        for item in due(&mut waiting, &items, delay) {
            match notices.try_send(notice(item, page.as_deref())) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Full(_)) => {
                    tracing::warn!("a notification was left out: too many wait to be sent");
                }
                Err(mpsc::error::TrySendError::Closed(_)) => return,
            }
        }
        tokio::time::sleep(INTERVAL).await;
        let goes_on = match waiting.values().flatten().min() {
            Some(next) => timeout_at(*next, watch.next()).await.map_or(true, |it| it.is_some()),
            None => watch.next().await.is_some(),
        };
        if !goes_on {
            return;
        }
    }
}

/// Returns the items whose time has come, and notes which ones wait.
fn due<'i>(
    waiting: &mut Waiting,
    items: &'i [AttentionItem],
    delay: Duration,
) -> Vec<&'i AttentionItem> {
    let now = Instant::now();
    let mut still = Waiting::with_capacity(items.len());
    let mut due = Vec::new();
    for item in items {
        let key = key(item);
        let mut at = waiting.get(&key).copied().unwrap_or(Some(now + delay));
        if at.is_some_and(|at| at <= now) {
            at = None;
            due.push(item);
        }
        still.insert(key, at);
    }
    *waiting = still;
    due
}

fn key(item: &AttentionItem) -> Key {
    (item.agent.clone(), item.session.clone(), kind(item.reason), item.question)
}

fn kind(reason: AttentionReason) -> AttentionKind {
    match reason {
        AttentionReason::Question => AttentionKind::Question,
        AttentionReason::Problem => AttentionKind::Problem,
        AttentionReason::Held => AttentionKind::Held,
        AttentionReason::Unread => AttentionKind::Answered,
    }
}

fn notice(item: &AttentionItem, page: Option<&str>) -> AttentionNotice {
    let session = item.session.as_deref();
    let link = page.map(|page| match session {
        Some(session) => format!("{page}/#/s/{}/{}", encoded(&item.agent), encoded(session)),
        None => format!("{page}/"),
    });
    AttentionNotice {
        kind: kind(item.reason),
        agent: item.agent.clone(),
        session_id: item.session.clone(),
        title: item.title.text(),
        since: item.since,
        link,
    }
}

/// Encodes a text as a part of a URL, as `encodeURIComponent` does for all but a few characters.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{AttentionKind, Waiting, due, notice};
    use attache_view::{AttentionItem, AttentionReason, Line, Role};
    use std::time::Duration;

    const DELAY: Duration = Duration::from_secs(60);

    fn item(question: u64) -> AttentionItem {
        AttentionItem {
            agent: "a b".to_owned(),
            session: Some("s/1".to_owned()),
            title: Line::of("Fix it", Role::Text),
            question: Some(question),
            reason: AttentionReason::Question,
            line: Line::of("asks to run cat /secret", Role::Warning),
            since: Some(5),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_item_is_due_once_after_the_delay() {
        let mut waiting = Waiting::new();
        let (one, both) = ([item(1)], [item(1), item(2)]);
        assert!(due(&mut waiting, &one, DELAY).is_empty());
        tokio::time::advance(Duration::from_secs(59)).await;
        assert!(due(&mut waiting, &both, DELAY).is_empty());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(due(&mut waiting, &both, DELAY), [&both[0]]);
        assert!(due(&mut waiting, &both, DELAY).is_empty());
        tokio::time::advance(DELAY).await;
        assert_eq!(due(&mut waiting, &both, DELAY), [&both[1]]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answered_question_is_never_due() {
        let mut waiting = Waiting::new();
        due(&mut waiting, &[item(1)], DELAY);
        due(&mut waiting, &[], DELAY);
        tokio::time::advance(DELAY * 2).await;
        assert!(due(&mut waiting, &[item(1)], DELAY).is_empty(), "it begins to wait again");
        assert_eq!(waiting.len(), 1);
    }

    #[test]
    fn a_notice_says_where_and_not_what() {
        let with = notice(&item(1), Some("https://work.example"));
        assert_eq!((with.kind, with.title.as_str()), (AttentionKind::Question, "Fix it"));
        assert_eq!(with.link.as_deref(), Some("https://work.example/#/s/a%20b/s%2F1"));
        let json = serde_json::to_value(notice(&item(1), None)).unwrap();
        let expected = serde_json::json!({
            "kind": "question", "agent": "a b", "sessionId": "s/1", "title": "Fix it", "since": 5,
            "link": null,
        });
        assert_eq!(json, expected);
    }
}
