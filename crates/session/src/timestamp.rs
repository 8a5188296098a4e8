//! When something happened.

/// A point in time: milliseconds since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The time as RFC 3339 has it, such as `2026-11-21T02:03:04.567Z` (LIST-11).
    ///
    /// ```
    /// assert_eq!(attache_session::Timestamp(0).rfc3339(), "1970-01-01T00:00:00.000Z");
    /// ```
    pub fn rfc3339(self) -> String {
        const DAY: i64 = 86_400_000;
        let (days, within) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        // Days are counted in eras of 400 years that begin on the first of March, so that leap days come last (Hinnant's civil calendar).
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

    #[test]
    fn the_ends_of_time_are_written_too() {
        assert!(Timestamp(i64::MAX).rfc3339().ends_with('Z'));
        assert!(Timestamp(i64::MIN).rfc3339().starts_with('-'));
    }
}
