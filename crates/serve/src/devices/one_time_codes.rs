//! Codes with which a device logs in once.

use super::secret::{SecretHash, random_code};
use crate::Scope;
use attache_protocol::Secret;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, SystemTime};

/// How long a code can be used.
pub const CODE_LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The largest number of codes that are not used yet. A new code takes the place of the oldest one.
const CODES: usize = 16;

/// The codes that are not used yet. They end with this process.
#[derive(Debug, Default)]
pub(super) struct OneTimeCodes {
    codes: VecDeque<Code>,
}

#[derive(Debug)]
struct Code {
    hash: SecretHash,
    scope: Scope,
    made_at: SystemTime,
}

impl Code {
    /// A code from the future is not valid: the clock was set back.
    fn is_valid(&self, now: SystemTime) -> bool {
        now.duration_since(self.made_at).is_ok_and(|age| age < CODE_LIFETIME)
    }
}

impl OneTimeCodes {
    /// Makes a code for a device with this scope.
    pub(super) fn make(&mut self, scope: Scope, now: SystemTime) -> io::Result<Secret> {
        let secret = random_code()?;
        self.codes.retain(|code| code.is_valid(now));
        if self.codes.len() >= CODES {
            self.codes.pop_front();
        }
        let hash = SecretHash::of(secret.expose());
        self.codes.push_back(Code { hash, scope, made_at: now });
        Ok(secret)
    }

    /// Uses a code up, and returns its scope if it is valid.
    pub(super) fn take(&mut self, text: &str, now: SystemTime) -> Option<Scope> {
        self.codes.retain(|code| code.is_valid(now));
        let mut found = None;
        for (index, code) in self.codes.iter().enumerate() {
            if code.hash.is_of(text) {
                found = Some(index);
            }
        }
        self.codes.remove(found?).map(|code| code.scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn a_code_is_used_once() {
        let mut codes = OneTimeCodes::default();
        let code = codes.make(Scope::Answer, START).unwrap();
        assert_eq!(codes.take("", START), None);
        assert_eq!(codes.take(code.expose(), START), Some(Scope::Answer));
        assert_eq!(codes.take(code.expose(), START), None);
    }

    #[test]
    fn a_code_ends_after_five_minutes_and_when_the_clock_goes_back() {
        let mut codes = OneTimeCodes::default();
        let start = START + CODE_LIFETIME;
        let last = start + CODE_LIFETIME - Duration::from_nanos(1);
        let code = codes.make(Scope::Watch, start).unwrap();
        assert_eq!(codes.take(code.expose(), last), Some(Scope::Watch));
        let code = codes.make(Scope::Watch, start).unwrap();
        assert_eq!(codes.take(code.expose(), start + CODE_LIFETIME), None);
        let code = codes.make(Scope::Watch, start).unwrap();
        assert_eq!(codes.take(code.expose(), START), None);
    }

    #[test]
    fn the_number_of_codes_is_limited() {
        let mut codes = OneTimeCodes::default();
        let first = codes.make(Scope::Watch, START).unwrap();
        let second = codes.make(Scope::Watch, START).unwrap();
        for _ in 0..CODES - 1 {
            codes.make(Scope::Watch, START).unwrap();
        }
        assert_eq!(codes.take(first.expose(), START), None);
        assert_eq!(codes.take(second.expose(), START), Some(Scope::Watch));
    }
}
