//! Permission rules for agents: one rule language, one file and one [`Decision`], for the built-in
//! agent and for every other agent.
//!
//! The crate parses command lines like `sh`, knows which commands only read and which files are
//! protected, and applies rules. It does not know tools, models or processes, and it does not ask
//! the person. The decision about a command line that it cannot parse is [`Effect::Ask`].
//!
//! This example decides about two commands from the built-in agent, without any rules:
//!
//! ```
//! use attache_policy::{Effect, Folders, Mode, Policy, Touch};
//!
//! let folders = Folders::new(&[std::env::current_dir()?])?;
//! let policy = Policy::read(None, &folders);
//! let judge = policy.judge(Mode::Ask, &folders, None);
//! let effect = |command| {
//!     let touch = Touch::Runs { command, sandboxed: true, network: false };
//!     judge.decide("execute", &touch).effect
//! };
//! assert_eq!(effect("ls src"), Effect::Allow);
//! assert_eq!(effect("rm -r src"), Effect::Ask);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | type | purpose |
//! |---|---|
//! | [`Rule`] | an [`Effect`], the [`Agents`] and the [`Subject`] it applies to, and a [`RuleScope`] |
//! | [`Rules`], [`RuleFile`] | the rules of one file; adding, removing and migrating rules |
//! | [`Policy`] | all rules of one session of the built-in agent |
//! | [`Judge`] | decides, in a [`Mode`], about a [`Touch`]: the files, commands or addresses of an action |
//! | [`AskedCall`] | a call of another agent, which a client decides about; [`ToolEffect`] reads its description |
//! | [`Decision`] | an effect, a [`Reason`], and the files or command that it [covers](Covers) |
//! | [`Question`] | the question to the person, if the effect is `Ask` |
//! | [`Folders`] | the folders of a session |
//!
//! If several rules match an action, the strictest wins: deny, then ask, then allow. [`guard`] says
//! whether a path is protected, and [`line_guard`] whether a command line uses such a path.
//! `PERMISSIONS.md` describes the format of the file.

#[cfg(not(unix))]
compile_error!("attache-policy supports Unix systems only so far");

mod asked_call;
mod command;
mod command_rule;
#[cfg(test)]
mod corpus;
mod decision;
pub mod effect;
mod expand;
mod folders;
mod guard;
mod judge;
mod line;
mod line_words;
mod missing;
mod mode;
mod offer;
mod options;
mod policy;
#[cfg(test)]
mod properties;
mod reach;
mod reading;
mod repository;
mod rule;
mod rules;
mod search_path;
mod shell;
pub mod text;
mod touch;
mod whole_folders;
mod wildcard;

pub use asked_call::AskedCall;
pub use command_rule::CommandRule;
pub use decision::{Covers, Decision, Reason};
pub use effect::{ReportedCall, ToolEffect};
pub use folders::{Folders, Place};
pub use guard::{Guard, guard, is_invisible, protected_names};
pub use judge::Judge;
pub use line::line_guard;
pub use line_words::{line_words, word_may_name};
pub use missing::names_to_hold;
pub use mode::Mode;
pub use offer::{Question, Scope};
pub use policy::Policy;
pub use rule::{Agents, BUILT_IN, CallPattern, Effect, Pattern, Rule, RuleScope, Subject};
pub use rules::{LineError, RuleFault, RuleFile, RuleFileError, Rules};
pub use search_path::safe_path;
pub use touch::Touch;
