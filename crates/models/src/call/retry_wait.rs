//! When to retry: after the wait that the provider requests, otherwise after an exponential
//! backoff.

use crate::error::ModelError;
use crate::http::Limits;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum wait if the provider requests none.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// Returns the value of a response header, given its lowercase name.
pub(crate) type Headers<'h> = &'h dyn Fn(&str) -> Option<String>;

/// Returns the wait that the provider requests. Checks the places where it may be given in the same
/// order as the providers' own client libraries.
pub(crate) fn requested_wait(
    headers: Headers<'_>,
    body: &Value,
    said: &str,
    now: Timestamp,
) -> Option<Duration> {
    let number = |name: &str| headers(name)?.trim().parse::<f64>().ok();
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    number("retry-after-ms")
        .and_then(|milliseconds| seconds(milliseconds / 1000.0))
        .or_else(|| number("retry-after").and_then(seconds))
        .or_else(|| date(&headers("retry-after")?).map(|date| until(date, now)))
        .or_else(|| wait_in_body(body))
        .or_else(|| reset(headers, now))
        .or_else(|| wait_in_text(said))
}

/// Returns whether to wait for a server that is still loading its model, whatever the number of
/// attempts. It has as much time as for the first byte of an answer.
pub(crate) fn for_loading(error: &ModelError, began: Instant, limits: Limits) -> bool {
    let is_loading = match error {
        ModelError::Overloaded { status: Some(503), said, .. } => {
            says_loading(&said.to_lowercase())
        }
        _ => false,
    };
    is_loading && began.elapsed() < limits.first_byte
}

/// Returns whether a server says that it is still loading its model, as llama.cpp does.
pub(crate) fn says_loading(text: &str) -> bool {
    text.contains("loading model")
}

/// Returns whether the provider advises a retry, if it says so.
pub(crate) fn retry_advice(headers: Headers<'_>) -> Option<bool> {
    match headers("x-should-retry")?.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Returns the wait after `attempt` attempts. It doubles each time, minus a random part of up to a
/// quarter, so that clients that failed at the same time do not retry at the same time.
pub(crate) fn backoff(first: Duration, attempt: u32, seed: u64) -> Duration {
    let doubled = first.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_BACKOFF);
    let chance = mixed(seed.wrapping_add(u64::from(attempt))) % 1024;
    let less = doubled.as_millis() as u64 / 4 * chance / 1024;
    doubled.saturating_sub(Duration::from_millis(less))
}

/// SplitMix64: derives a pseudorandom number from a seed.
fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The wait in the body of an error from Gemini.
fn wait_in_body(body: &Value) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let kind = |detail: &Value| {
        detail.get("@type").and_then(Value::as_str).unwrap_or_default().ends_with("RetryInfo")
    };
    let info = details.iter().find(|detail| kind(detail))?;
    duration(info.get("retryDelay")?.as_str()?)
}

/// Returns the time until all limits that are used up are reset. OpenAI sends a duration, Anthropic
/// a date, and OpenRouter milliseconds since 1970.
fn reset(headers: Headers<'_>, now: Timestamp) -> Option<Duration> {
    let limits = ["requests", "tokens", "input-tokens", "output-tokens"];
    let prefixes = ["x-ratelimit", "anthropic-ratelimit"];
    let mut resets = Vec::new();
    for prefix in prefixes {
        for (remaining, reset) in limits
            .map(|limit| {
                let (remaining, reset) = match prefix {
                    "x-ratelimit" => {
                        (format!("{prefix}-remaining-{limit}"), format!("{prefix}-reset-{limit}"))
                    }
                    _ => (format!("{prefix}-{limit}-remaining"), format!("{prefix}-{limit}-reset")),
                };
                (headers(&remaining), headers(&reset))
            })
            .into_iter()
            .chain([(headers(&format!("{prefix}-remaining")), headers(&format!("{prefix}-reset")))])
        {
            let empty = remaining.is_none_or(|remaining| remaining.trim() == "0");
            resets.extend(reset.filter(|_| empty).and_then(|reset| wait_until(reset.trim(), now)));
        }
    }
    resets.into_iter().max()
}

fn wait_until(text: &str, now: Timestamp) -> Option<Duration> {
    let since_1970 = |number: i64| match number {
        1_000_000_000_000.. => Timestamp::from_millisecond(number).ok(),
        1_000_000_000.. => Timestamp::from_second(number).ok(),
        _ => None,
    };
    let at = text.parse::<Timestamp>().ok().or_else(|| since_1970(text.parse().ok()?));
    at.map(|at| until(at, now)).or_else(|| duration(text))
}

fn date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text.trim()).ok().map(|date| date.timestamp())
}

fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now)).unwrap_or_default()
}

/// Reads the wait in a text such as "Please try again in 1.5s."
fn wait_in_text(said: &str) -> Option<Duration> {
    let (_, after) = said.split_once("try again in ")?;
    duration(after.split_whitespace().next()?.trim_end_matches(['.', ',']))
}

/// Reads a duration such as `34s`, `1.5s`, `20ms`, `6m0s`, `1h2m`, or seconds without a unit.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let end =
            rest.find(|each: char| !each.is_ascii_digit() && each != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let length = after.find(|each: char| each.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(length);
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" | "" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = after;
    }
    (!text.is_empty()).then(|| Duration::try_from_secs_f64(total).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{backoff, duration, requested_wait};
    use jiff::Timestamp;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn wait(headers: &[(&str, &str)], body: &Value, said: &str) -> Option<u64> {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let header = |name: &str| {
            headers.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        requested_wait(&header, body, said, now).map(|wait| wait.as_millis() as u64)
    }

    #[test]
    fn the_wait_is_read_from_every_providers_answer() {
        let retry_info = json!({"error": {"details": [
            {"@type": "type.googleapis.com/google.rpc.Help"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"},
        ]}});
        for (headers, body, said, expected) in [
            (vec![("retry-after", "7")], json!({}), "", Some(7000)),
            (vec![("retry-after", "1.5")], json!({}), "", Some(1500)),
            (vec![("retry-after", "7"), ("retry-after-ms", "20")], json!({}), "", Some(20)),
            (vec![("retry-after", "Sat, 21 Nov 2026 10:00:09 GMT")], json!({}), "", Some(9000)),
            (vec![("retry-after", "Sat, 21 Nov 2026 09:00:09 GMT")], json!({}), "", Some(0)),
            (vec![("retry-after", "soon")], json!({}), "", None),
            (vec![("retry-after", "-4")], json!({}), "", None),
            (vec![("retry-after", "1e300")], json!({}), "", None),
            (vec![], retry_info, "", Some(34_000)),
            (
                vec![
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-requests", "0"),
                ],
                json!({}),
                "",
                Some(360_000),
            ),
            (
                vec![
                    ("x-ratelimit-reset-requests", "1s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-tokens", "9s"),
                    ("x-ratelimit-remaining-tokens", "50"),
                ],
                json!({}),
                "",
                Some(1000),
            ),
            (
                vec![
                    ("anthropic-ratelimit-input-tokens-reset", "2026-11-21T10:00:30Z"),
                    ("anthropic-ratelimit-input-tokens-remaining", "0"),
                ],
                json!({}),
                "",
                Some(30_000),
            ),
            (vec![("x-ratelimit-reset", "1795255205000")], json!({}), "", Some(5000)),
            (vec![], json!({}), "Rate limit reached. Please try again in 1.2s.", Some(1200)),
            (vec![], json!({}), "Please try again in a while", None),
            (vec![], json!({}), "", None),
        ] {
            assert_eq!(wait(&headers, &body, said), expected, "{headers:?} {said}");
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, expected) in [
            ("34s", Some(34_000)),
            ("20ms", Some(20)),
            ("1h2m", Some(3_720_000)),
            ("2", Some(2000)),
            ("", None),
            ("s", None),
            ("1.2.3s", None),
            ("3 days", None),
        ] {
            assert_eq!(duration(text).map(|duration| duration.as_millis()), expected, "{text}");
        }
    }

    #[test]
    fn waits_grow_to_a_limit_and_differ_by_seed() {
        let first = Duration::from_secs(1);
        for attempt in 1..100 {
            let wait = backoff(first, attempt, 7);
            let full =
                first.saturating_mul(1 << (attempt - 1).min(16)).min(Duration::from_secs(30));
            assert!(wait <= full && wait >= full * 3 / 4, "{attempt}: {wait:?}");
        }
        assert_eq!(backoff(first, 2, 7), backoff(first, 2, 7));
        assert!((0..20).any(|seed| backoff(first, 1, seed) != backoff(first, 1, 0)));
    }
}
