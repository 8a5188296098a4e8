//! The sessions of open calls.

use std::collections::HashMap;

/// At most this many calls are remembered.
const REMEMBERED: usize = 4096;

/// The sessions of the open calls of one side, by the ids of the calls. At most 4,096 calls are
/// remembered.
#[derive(Debug, Default)]
pub struct CallSessions(HashMap<String, String>);

impl CallSessions {
    /// Remembers the session of a call, if there is room.
    pub fn insert(&mut self, call: String, session: &str) {
        if self.0.len() < REMEMBERED {
            self.0.insert(call, session.to_owned());
        }
    }

    /// The session of a call.
    pub fn get(&self, call: &str) -> Option<&str> {
        self.0.get(call).map(String::as_str)
    }

    /// Forgets a call that was answered, and returns its session.
    pub fn take(&mut self, call: &str) -> Option<String> {
        self.0.remove(call)
    }

    /// Whether a call of this session is open.
    pub fn has_open(&self, session: &str) -> bool {
        self.0.values().any(|open| open == session)
    }
}
