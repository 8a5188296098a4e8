//! The judge of Attaché: the rules of the Agent Client Protocol as data, which tests of ours show
//! them, and which line of a conversation between any client and any agent breaks one.
//!
//! This crate knows every rule by its id (`CONF-07`): whom it binds, how strongly, what it says,
//! how its breach is seen from outside and where it comes from. It also knows the *mutations*:
//! named faults, each of which breaks one behaviour in a copy of our sources so that one named test
//! must fail. A rule counts as shown only by such a test, since a test that cannot fail shows
//! nothing.
//!
//! A [`Run`] starts an agent, talks to it with a [`RawPeer`], which can say anything, and gives a
//! [`Verdict`] on each rule that it probes. A [`ClientRun`] does the same with a client, whose
//! agent it plays. The [`Observer`] reads a conversation line by line, live or from a
//! [`Recording`], and tells its [`Finding`]s.
//!
//! It knows neither of the two kits, so that it can judge agents and clients made with them like
//! any other, and no source code: it has only the names of the mutations; `attache-mutations`, which
//! is not part of the product, applies them.
//!
//! ```
//! use attache_check::{Selection, Strength, mutations_of, rules, select};
//!
//! let Ok(Selection::Rule(rule)) = select("conf-7") else { panic!("the rule is known") };
//! assert_eq!(rule.id, "CONF-07");
//! assert_eq!(rule.strength, Strength::Must);
//! assert!(mutations_of(rule.id).any(|mutation| !mutation.test.is_empty()));
//!
//! let seen = rules().iter().filter(|rule| rule.is_wire_visible()).count();
//! assert!(seen < rules().len(), "not every rule can be seen on the wire");
//! ```

mod agent;
mod client;
mod coverage;
mod fuzz;
mod json;
mod judgement;
mod judging;
mod mcp_server;
mod model;
mod observer;
mod peer;
mod recording;
mod report;
mod rules;

pub use agent::run::Run;
pub use client::run::{ClientRun, ClientRunError};
pub use client::started_client::{ClientOutput, Operator, StartedClient};
pub use client::task::{CLIENT_TASKS, ClientTask};
pub use coverage::fault::{Fault, Judged, faults, why_not_judged};
pub use coverage::mutation_name::{MutationName, mutations, mutations_of, tests_of};
pub use coverage::probe_name::{ProbeName, probes};
pub use fuzz::{Broken, Case, Failure, Fuzz};
pub use judgement::baseline::{Baseline, BaselineDiff, BaselineError, KnownFailure};
pub use judgement::{Judgement, JudgementError};
pub use judging::mask::masked;
pub use judging::probe_run::RunEvent;
pub use judging::support::{Answering, Calls, Support, Topic};
pub use judging::verdict::{Outcome, Verdict};
pub use mcp_server::{McpConnection, McpReach, McpServers};
pub use model::{ModelServer, ToolNameError, ToolNames};
pub use observer::{Finding, Observer};
pub use peer::line::Line;
pub use peer::link::Link;
pub use peer::raw_peer::{RawPeer, WaitError};
pub use peer::relay::{RelayListener, connect_relay};
pub use peer::script::{Answer, Script};
pub use recording::{Recorded, Recording, RecordingError, TraceError, trace};
pub use report::comparison::{Comparison, ComparisonRow, NO_VERDICT};
pub use report::{Form, support_matrix};
pub use rules::rule::{Binds, Group, Rule, Strength};
pub use rules::selection::{Selection, UnknownRule, select};
pub use rules::table::{groups, rules};
