//! The handshake (INIT).

use super::finding::Report;
use super::known::Known;
use super::seen::{Body, Seen, has, is, quoted, text};
use attache_protocol::ErrorCode;
use attache_protocol::method::{Initialize, Side};
use serde_json::Value;

/// The error of version 2 for a request below all supported versions.
const UNSUPPORTED: i64 = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0 as i64;

/// The state of the handshake.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The line of the first request.
    asked: Option<usize>,
    /// The line of a reply with a version later than the client's.
    unspoken: Option<usize>,
}

impl Judge {
    /// Notes the first request, and judges whether a client continues in a version that it does not
    /// support (INIT-07). This must be called for every message, whatever its version.
    pub(super) fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Body::Asked(asked) = &seen.body
            && seen.from == Side::Client
            && asked.is_call
            && let Some(line) = self.unspoken
        {
            let seen =
                format!("{} is called in a version later than the client's", quoted(&asked.method));
            report.contradicts("INIT-07", line, seen);
        }
        if seen.asked::<Initialize>().is_some() {
            self.asked.get_or_insert(report.line());
        }
        if let Some((call, result)) = seen.result::<Initialize>() {
            let version = |holder: &Value| holder.get("protocolVersion").and_then(Value::as_u64);
            let is_later = version(result)
                .zip(version(&call.params))
                .is_some_and(|(given, asked)| given > asked);
            self.unspoken = is_later.then_some(report.line());
        }
    }

    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        if let Some(asked) = seen.asked::<Initialize>() {
            report.tests(&["INIT-01", "INIT-03"]);
            let version = asked.params.get("protocolVersion");
            if version.and_then(Value::as_u64).is_none_or(|version| version == 0) {
                report.breaks("INIT-03", "protocolVersion is not an integer above 0");
            }
            implementation(&asked.params, "clientInfo", report);
        } else if let Body::Asked(asked) = &seen.body
            && seen.from == Side::Client
            && asked.is_call
            && self.asked.is_none()
        {
            report.breaks("INIT-01", format!("{} comes before initialize", quoted(&asked.method)));
        }
        match &seen.body {
            Body::Replied { to, outcome, .. }
                if seen.from == Side::Agent && is::<Initialize>(to.row) =>
            {
                reply(&to.params, outcome.as_ref(), to.line, report);
            }
            // Only calls before the first `initialize` count, because the recording may lack the
            // reply to that one.
            Body::Replied { to, outcome: Ok(_), .. }
                if seen.from == Side::Agent
                    && known.agent.is_none()
                    && self.asked.is_none_or(|asked| asked > to.line) =>
            {
                let seen = format!("{} succeeds before initialize", quoted(&to.method));
                report.contradicts("INIT-02", to.line, seen);
            }
            _ => {}
        }
    }
}

fn reply(asked: &Value, outcome: Result<&Value, &Value>, line: usize, report: &mut Report) {
    let wanted =
        asked.get("protocolVersion").and_then(Value::as_u64).filter(|version| *version <= 0xffff);
    match outcome {
        // An error in reply to version 2 is no breach: the agent may support that version and
        // reject the params. Later versions do not exist.
        // For a version that is too low, version 2 defines an error.
        Err(error)
            if wanted.is_some_and(|version| version == 0 || version > 2)
                && error.get("code").and_then(Value::as_i64) != Some(UNSUPPORTED) =>
        {
            let message = text(error, "message").unwrap_or_default();
            report.contradicts(
                "INIT-06",
                line,
                format!("the version is answered with an error: {}", quoted(message)),
            );
        }
        Err(_) => {}
        Ok(result) => {
            let given = result.get("protocolVersion").and_then(Value::as_u64);
            if let (Some(1), Some(given)) = (wanted, given)
                && given != 1
            {
                report.contradicts(
                    "INIT-05",
                    line,
                    format!("the client requests version 1, and the agent answers with {given}"),
                );
            }
            if given == Some(1) {
                implementation(result, "agentInfo", report);
            }
        }
    }
}

fn implementation(holder: &Value, key: &str, report: &mut Report) {
    report.tests(&["INIT-04"]);
    let info = holder.get(key).unwrap_or(&Value::Null);
    if !has(info, "name") || !has(info, "version") {
        report.breaks("INIT-04", format!("{key} with a name and a version is missing"));
    }
}
