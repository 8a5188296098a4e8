//! The versions of the protocol that an agent speaks.

use attache_client::{AgentProcess, Launch, Options, Version2Answer};
use attache_view::sanitize;
use std::time::Duration;

/// How long the agent may take to answer the request for version 2.
const PATIENCE: Duration = Duration::from_secs(10);

/// The versions of the protocol that an agent speaks. Version 1 is always among them: the agent
/// agreed on it before it was asked for version 2.
pub(super) struct Versions {
    speaks_2: bool,
    /// Why it is unknown whether the agent speaks version 2.
    trouble: Option<String>,
}

impl Versions {
    /// Starts the agent, asks it for version 2 and stops it.
    pub(super) async fn of(launch: Launch) -> Self {
        let options = Options::default().handshake(PATIENCE);
        match AgentProcess::ask_for_version_2(launch, options).await {
            Ok(Version2Answer::Agreed) => Self { speaks_2: true, trouble: None },
            Ok(Version2Answer::Declined) => Self { speaks_2: false, trouble: None },
            Ok(answer) => Self::unknown(&answer.to_string()),
            Err(error) => Self::unknown(&format!(
                "the agent did not start again for the request for version 2: {error}"
            )),
        }
    }

    fn unknown(trouble: &str) -> Self {
        Self { speaks_2: false, trouble: Some(sanitize::line(trouble)) }
    }

    /// The numbers of the known versions.
    pub(super) fn numbers(&self) -> &'static [u16] {
        if self.speaks_2 { &[1, 2] } else { &[1] }
    }

    /// Why it is unknown whether the agent speaks version 2; `None` if it is known.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The numbers for a column of a table. A question mark means that it is unknown whether the
    /// agent speaks version 2.
    pub(super) fn brief(&self) -> &'static str {
        match self {
            Self { trouble: Some(_), .. } => "1, ?",
            Self { speaks_2: true, .. } => "1, 2",
            Self { speaks_2: false, .. } => "1",
        }
    }

    /// The versions as a phrase, with the trouble.
    pub(super) fn for_people(&self) -> String {
        let versions = if self.speaks_2 { "ACP versions 1 and 2" } else { "ACP version 1" };
        match &self.trouble {
            Some(trouble) => format!("{versions}; {trouble}"),
            None => versions.to_owned(),
        }
    }
}
