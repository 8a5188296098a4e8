//! What agents may do: one rule language, one file and one [`Decision`] for the built-in agent and
//! for every other agent.
//!
//! The crate reads command lines as `sh` does, knows which commands only read and which files are
//! protected, and applies rules. It does not know tools, models or processes, and it does not ask
//! the person. A command line that cannot be understood asks.
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
//! - A [`Rule`] has an [`Effect`], the [`Agents`] and the [`Subject`] that it is about, and a
//!   [`RuleScope`]. Of all rules about an action the strictest wins: deny, then ask, then allow.
//! - [`Rules`] is what one file says, checked by its own examples. A [`RuleFile`] adds and removes
//!   rules, and migrates files of older versions. `PERMISSIONS.md` describes the format.
//! - The built-in agent asks before it acts: a [`Policy`] is the rules of one session, its
//!   [`Judge`] decides about a [`Touch`] in the session's [`Mode`]. A [`Question`] is what the
//!   person is asked.
//! - A client asks for every other agent: an [`AskedCall`] is a call as the agent describes it, and
//!   [`AskedCall::decide`] applies the rules. [`ToolEffect`] reads the description.
//! - A [`Decision`] has an effect, a [`Reason`], and what it [covers](Covers).
//!   [`Decision::still_holds`] says whether an approval is still about the same action.
//! - [`Folders`] are the folders of a session. [`guard`] says whether a path in them is protected,
//!   and [`line_guard`] whether a command line names such a path.

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
