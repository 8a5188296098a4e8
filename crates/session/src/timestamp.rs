//! Points in time, and their text form.

/// A point in time: milliseconds since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Formats the time as in RFC 3339, such as `2026-11-21T02:03:04.567Z`.
    ///
    /// ```
    /// assert_eq!(attache_session::Timestamp(0).rfc3339(), "1970-01-01T00:00:00.000Z");
    /// ```
    pub fn rfc3339(self) -> String {
        const DAY: i64 = 86_400_000;
        let (days, within) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        // Days are counted in eras of 400 years that begin on the first of March, so that leap days
        // come last (Hinnant's civil calendar).
        let days = days + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute) = (within / 3_600_000, within / 60_000 % 60);
        let (second, milli) = (within / 1_000 % 60, within % 1_000);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }

    /// Parses a time as in RFC 3339, with any offset and any number of decimals, and with a space
    /// or `t` before the hour. Returns `None` for anything else, such as a date alone.
    ///
    /// ```
    /// use attache_session::Timestamp;
    /// assert_eq!(Timestamp::of_rfc3339("1970-01-01T01:00:00.5+01:00"), Some(Timestamp(500)));
    /// ```
    pub fn of_rfc3339(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| -> Option<i64> {
            let digits = text.get(from..to)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let mark =
            |at: usize, marks: &[u8]| text.as_bytes().get(at).filter(|byte| marks.contains(byte));
        for (at, marks) in [(4, &b"-"[..]), (7, b"-"), (10, b"Tt "), (13, b":"), (16, b":")] {
            mark(at, marks)?;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if !(1..=12).contains(&month)
            || !(1..=31).contains(&day)
            || hour > 23
            || minute > 59
            || second > 60
        {
            return None;
        }
        let rest = text.get(19..)?;
        let (milli, offset) = match rest.strip_prefix('.') {
            None => (0, rest),
            Some(decimals) => {
                let end = decimals.find(|char: char| !char.is_ascii_digit())?;
                let (decimals, offset) = decimals.split_at(end);
                let milli: String = decimals.chars().chain("000".chars()).take(3).collect();
                (milli.parse::<i64>().ok().filter(|_| end > 0)?, offset)
            }
        };
        let offset = match offset.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let start = text.len() - 5;
                let minutes = number(start, start + 2)? * 60 + number(start + 3, start + 5)?;
                if *sign == b'-' { -minutes } else { minutes }
            }
            _ => return None,
        };
        // The inverse of the calculation in `rfc3339`: the year begins in March.
        let year = if month <= 2 { year - 1 } else { year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100
            + day_of_year
            - 719_468;
        Some(Self(((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1_000 + milli))
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    /// LIST-11.
    #[test]
    fn times_are_written_as_rfc_3339() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_226_584_567, "2026-11-21T02:03:04.567Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(at).rfc3339(), text);
        }
    }

    /// LIST-11.
    #[test]
    fn times_are_read_as_they_are_written_and_nothing_else_is() {
        for at in [0, -1, 951_782_400_000, 951_868_800_000, 1_795_226_584_567, 4_107_542_399_999] {
            assert_eq!(Timestamp::of_rfc3339(&Timestamp(at).rfc3339()), Some(Timestamp(at)));
        }
        assert_eq!(
            Timestamp::of_rfc3339("2026-11-21 02:03:04-00:30"),
            Some(Timestamp(1_795_228_384_000))
        );
        for text in [
            "",
            "2026-11-21",
            "2026-11-21T02:03:04",
            "2026-13-21T02:03:04Z",
            "2026-11-21T02:03:04.Z",
            "x",
            "2026-11-21T02:03:0äZ",
        ] {
            assert_eq!(Timestamp::of_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn the_ends_of_time_are_written_too() {
        assert!(Timestamp(i64::MAX).rfc3339().ends_with('Z'));
        assert!(Timestamp(i64::MIN).rfc3339().starts_with('-'));
    }
}
