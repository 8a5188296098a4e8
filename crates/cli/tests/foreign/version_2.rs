//! Version 2: the official clients drive `attache agent`, and `attache run --protocol 2` drives the
//! official agents. Each conversation is recorded, and the recording must keep every rule.

mod our_agent;
mod our_client;

use crate::peers::ATTACHE;
use crate::process::run;
use crate::project::{Project, text};
use std::path::PathBuf;

/// A recording of the messages between a client and an agent.
struct Recording {
    file: PathBuf,
}

impl Recording {
    fn new(project: &Project) -> Self {
        Self { file: project.beside("recording.jsonl") }
    }

    /// Returns the command that starts the agent and records its messages.
    fn of(&self, agent: &[String]) -> Vec<String> {
        let fixed = [ATTACHE, "trace", "--file", &text(&self.file), "--"].map(str::to_owned);
        [&fixed[..], agent].concat()
    }

    /// Fails if a line breaks a rule of version 2, and deletes the recording.
    async fn keeps_every_rule(&self) {
        let check = [ATTACHE, "check", "trace", &text(&self.file)].map(str::to_owned);
        let ended = run(&check).await;
        assert_eq!(ended.code(), 0, "{ended:?}");
        assert!(ended.stdout.starts_with("Version 2 of the protocol"), "{ended:?}");
        std::fs::remove_file(&self.file).unwrap();
    }
}
