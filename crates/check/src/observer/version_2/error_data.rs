//! The data of errors (V2-85).

use super::super::finding::Report;
use super::super::seen::{Body, Seen, quoted, text};
use attache_protocol::method::{Initialize, Side};
use serde_json::Value;

/// The error code for a version below every supported one.
const UNSUPPORTED_VERSION: i64 = -32022;
/// The error code for something that does not exist, such as a session.
const NOT_FOUND: i64 = -32002;

/// Judges the refusal of a version, which comes before any version is agreed on.
pub(super) fn judge_refused_version(seen: &Seen<'_>, report: &mut Report) {
    let Some((_, Err(error))) = seen.reply::<Initialize>() else { return };
    if error["code"] != UNSUPPORTED_VERSION {
        return;
    }
    let member = |key| error.get("data").and_then(|data| data.get(key));
    let is_whole = member("requested").is_some_and(Value::is_u64)
        && member("supported").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    report.keeps("V2-85", is_whole, || {
        "the data of the error lacks the requested or the supported versions".to_owned()
    });
}

/// Judges the session in the error for an unknown session. The error may also be about something
/// else, so only a wrong session is a fault.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    let Body::Replied { to, outcome: Err(error), .. } = &seen.body else { return };
    if seen.from != Side::Agent || error["code"] != NOT_FOUND {
        return;
    }
    let named = error.get("data").and_then(|data| text(data, "sessionId"));
    if let (Some(named), Some(asked)) = (named, text(&to.params, "sessionId")) {
        report.agrees("V2-85", (named != asked).then_some(to.line), || {
            format!("the data of the error names the session {}", quoted(named))
        });
    }
}
