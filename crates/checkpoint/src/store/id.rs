//! Ids of checkpoints.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Letters and digits without those that look alike.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many digits an id has: 45 bits of milliseconds last for a thousand years.
const LENGTH: usize = 9;

/// The id of a checkpoint: nine letters and digits, made from the time when it was stored. Ids grow
/// with time, also as text, and are unique in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(u64);

impl CheckpointId {
    /// Returns the id for a number of milliseconds since 1970.
    pub(crate) const fn from_number(number: u64) -> Self {
        Self(number & ((1 << (5 * LENGTH)) - 1))
    }

    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    /// Returns when the checkpoint was stored, or a little later.
    pub(crate) fn time(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0)
    }

    /// Returns the first and the last id that begin with this text, or `None` if no id does.
    pub(crate) fn range(text: &str) -> Option<(Self, Self)> {
        let missing = LENGTH.checked_sub(text.len()).filter(|_| !text.is_empty())?;
        let number = number(text)? << (5 * missing);
        Some((Self(number), Self(number | ((1 << (5 * missing)) - 1))))
    }

    /// Returns the id for this time, or the next one after `last`.
    pub(crate) fn after(last: Option<Self>, now: SystemTime) -> Self {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis();
        let now = u64::try_from(now).unwrap_or(0);
        Self::from_number(last.map_or(now, |last| now.max(last.0 + 1)))
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in (0..LENGTH).rev() {
            let digit = (self.0 >> (5 * place)) & 31;
            let digit = DIGITS.get(usize::try_from(digit).unwrap_or(0)).copied().unwrap_or(b'0');
            write!(f, "{}", char::from(digit))?;
        }
        Ok(())
    }
}

impl FromStr for CheckpointId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = || InvalidId(text.to_owned());
        if text.len() != LENGTH {
            return Err(invalid());
        }
        number(text).map(Self).ok_or_else(invalid)
    }
}

fn number(text: &str) -> Option<u64> {
    text.bytes().try_fold(0, |number, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte.to_ascii_lowercase())?;
        Some(number << 5 | digit as u64)
    })
}

/// A text that is not the id of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId(String);

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not the id of a checkpoint: an id has {LENGTH} letters or digits",
            self.0
        )
    }
}

impl std::error::Error for InvalidId {}

#[cfg(test)]
mod tests {
    use super::CheckpointId;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    #[test]
    fn ids_grow_with_time_also_as_text_and_when_the_clock_goes_back() {
        let first = CheckpointId::after(None, SystemTime::now());
        let back = CheckpointId::after(Some(first), UNIX_EPOCH);
        let later = CheckpointId::after(Some(back), SystemTime::now() + Duration::from_secs(1));
        assert!(first < back && back < later);
        assert!(first.to_string() < back.to_string() && back.to_string() < later.to_string());
        assert_eq!(later.to_string().parse(), Ok(later));
        "l00000000".parse::<CheckpointId>().unwrap_err();
        "123".parse::<CheckpointId>().unwrap_err();
    }
}
