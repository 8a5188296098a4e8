//! The judge of Attaché tests whether an agent or a client keeps the rules of the Agent Client
//! Protocol.
//!
//! Every [`Rule`] is data: an id such as `CONF-07`, the side that it binds, its strength, its text,
//! a way to observe it, and its source. A rule is judged by *probes*, which talk to the peer, and
//! by the [`Observer`], which reads the traffic. A [`Judgement`] has one [`Verdict`] per rule and
//! the [`Support`] of the peer. Reports, baselines and comparisons are made from it.
//!
//! | to | use |
//! |---|---|
//! | judge an agent | [`Run`], with a [`ModelServer`] and [`McpServers`] for its turns |
//! | judge a client | [`ClientRun`], whose [`StartedClient`] connects through a [`RelayListener`] |
//! | judge traffic, live or recorded | [`Observer`], [`Recording`] |
//! | look for crashes and hangs | [`Fuzz`] |
//! | look up rules and how each is judged | [`rules`], [`select`], [`probes`], [`faults`] |
//! | report, compare, accept known failures | [`Judgement`], [`Form`], [`Comparison`], [`Baseline`] |
//! | talk to a peer freely | [`RawPeer`] over a [`Link`], with a [`Script`] of answers |
//!
//! The crate does not depend on the two kits, so it judges agents and clients made with them like
//! any other. The crate also lists Attaché's own tests that cover a rule ([`mutations_of`]). Such a
//! test fails when a named mutation breaks the sources.
//!
//! ```
//! use attache_check::{Observer, Selection, Strength, select};
//! use attache_protocol::method::Side;
//!
//! let Ok(Selection::Rule(rule)) = select("rpc-3") else { panic!("the rule exists") };
//! assert_eq!((rule.id, rule.strength), ("RPC-03", Strength::Must));
//!
//! // An agent that prints a greeting on stdout breaks that rule.
//! let mut observer = Observer::default();
//! let initialize = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
//! observer.line(1, Side::Client, initialize);
//! let findings = observer.line(2, Side::Agent, b"Welcome!");
//! assert_eq!((findings[0].rule.id, findings[0].by, findings[0].line), ("RPC-03", Side::Agent, 2));
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
pub use report::{Form, MethodLink, support_matrix};
pub use rules::rule::{Binds, Group, Rule, Strength};
pub use rules::selection::{Selection, UnknownRule, select};
pub use rules::table::{groups, rules};
