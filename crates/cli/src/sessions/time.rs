//! Formats times for people, in the local time zone.

use attache_session::Timestamp;
use jiff::tz::TimeZone;
use jiff::{Unit, Zoned};

/// The text for a time outside the calendar.
const NEVER: &str = "-";

/// Formats a past time: "just now", "3 min ago", "5 h ago", "yesterday", or the date.
pub(crate) fn ago(at: Timestamp, now: &Zoned) -> String {
    let Some(at) = zoned(at, now.time_zone()) else { return NEVER.to_owned() };
    let seconds = (now.timestamp().as_millisecond() - at.timestamp().as_millisecond()) / 1000;
    let days = at
        .date()
        .until((Unit::Day, now.date()))
        .map_or(i64::MAX, |span| i64::from(span.get_days()));
    match (days, seconds) {
        // The clocks of machines that share a store can differ slightly.
        (_, -60..60) => "just now".to_owned(),
        (_, 60..3600) => format!("{} min ago", seconds / 60),
        (0, 3600..) => format!("{} h ago", seconds / 3600),
        (1, 0..) => "yesterday".to_owned(),
        _ => at.strftime("%Y-%m-%d").to_string(),
    }
}

/// Formats date and time to the minute.
pub(crate) fn exact(at: Timestamp, zone: &TimeZone) -> String {
    zoned(at, zone).map_or_else(|| NEVER.to_owned(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Option<Zoned> {
    Some(jiff::Timestamp::from_millisecond(at.0).ok()?.to_zoned(zone.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn now() -> Zoned {
        "2026-11-21T14:00:00+01:00[+01:00]".parse().unwrap()
    }

    #[test]
    fn recent_times_are_relative_and_others_are_dates() {
        let now = now();
        let then = now.timestamp().as_millisecond();
        for (before, text) in [
            (-30_000, "just now"),
            (0, "just now"),
            (59_999, "just now"),
            (60_000, "1 min ago"),
            (HOUR - 1, "59 min ago"),
            (HOUR, "1 h ago"),
            (14 * HOUR - 1, "13 h ago"),
            (14 * HOUR + 1000, "yesterday"),
            (38 * HOUR, "yesterday"),
            (39 * HOUR, "2026-11-19"),
            (-5 * HOUR, "2026-11-21"),
            (i64::MIN, NEVER),
        ] {
            let at = if before == i64::MIN { i64::MIN } else { then - before };
            assert_eq!(ago(Timestamp(at), &now), text, "{before}");
        }
    }

    #[test]
    fn shortly_after_midnight_the_last_evening_is_minutes_ago() {
        let midnight: Zoned = "2026-11-21T00:10:00+01:00[+01:00]".parse().unwrap();
        let at = Timestamp(midnight.timestamp().as_millisecond() - 1_200_000);
        assert_eq!(ago(at, &midnight), "20 min ago");
        assert_eq!(exact(at, midnight.time_zone()), "2026-11-20 23:50");
    }
}
