//! What a session waits for, in words.

use attache_client::HubSession;
use attache_view::{ActivityKind, StatusLine};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// The time between two updates of the words.
const STEP: Duration = Duration::from_secs(1);

/// Returns the times at which to show what the session waits for. The first one comes after a
/// second, so that short turns show nothing.
pub(crate) fn ticks() -> Interval {
    let mut ticks = interval_at(Instant::now() + STEP, STEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Returns words such as `waiting for gpt-6-luna … 3 s; Ctrl-C cancels`; `None` if nothing runs.
pub(crate) fn activity(session: &HubSession) -> Option<String> {
    use ActivityKind::{Cancelling, Starting, Thinking, Tool, Waiting, Writing};
    let activity = StatusLine::of(session).activity;
    let shown = [Starting, Waiting, Thinking, Writing, Tool, Cancelling].contains(&activity.kind);
    let words = activity.line.text();
    if !shown || words.is_empty() {
        return None;
    }
    let words = match activity.since {
        Some(since) => format!("{words} … {}", elapsed(since)),
        None => words,
    };
    Some(match activity.kind {
        Starting | Cancelling => words,
        _ => format!("{words}; Ctrl-C cancels"),
    })
}

/// Returns the time since `since`, in milliseconds since 1970, in words.
fn elapsed(since: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let seconds = i64::try_from(now).unwrap_or(i64::MAX).saturating_sub(since).max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
