//! The output of the client: one JSON object per line, with `event` first.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use agent_client_protocol::Error;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// The numbers of updates, questions and interrupts so far. A cancellation can wait for the next
/// one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub updates: u64,
    pub questions: u64,
    pub interrupts: u64,
}

#[derive(Debug, Default)]
pub struct Events {
    pub seen: watch::Sender<Seen>,
    failed: AtomicBool,
}

impl Events {
    /// Prints the members of the object `body` after the event's name.
    pub fn print(&self, event: &str, body: impl Serialize) {
        let mut line = Map::from_iter([("event".into(), Value::from(event))]);
        if let Ok(Value::Object(members)) = serde_json::to_value(body) {
            line.extend(members);
        }
        println!("{}", Value::Object(line));
    }

    /// Prints an event that makes the exit code 1.
    pub fn failed(&self, event: &str, body: impl Serialize) {
        self.failed.store(true, Relaxed);
        self.print(event, body);
    }

    pub fn error(&self, method: &str, error: &Error) {
        let code = i32::from(error.code);
        let body =
            json!({"method": method, "code": code, "message": error.message, "data": error.data});
        self.failed("error", body);
    }

    pub fn any_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }
}
