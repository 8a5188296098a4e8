//! What a command line does, which files are protected, and what rules say about an action.
//!
//! It knows: how `sh` reads a command line, which commands only read, which files hold secrets or
//! affect how programs run, the rules in `permissions.toml`, and how a session's [`Mode`] and those
//! rules decide. It does not know: tools, models, processes, and who asks the person.
//!
//! A [`Judge`] decides about a [`Touch`], which is what an action does to the world. The strictest
//! of the mode and the rules wins. A command line that cannot be understood asks.
//!
//! ```
//! use attache_policy::{Effect, Folders, Mode, Policy, Touch};
//!
//! let folders = Folders::new(&[std::env::current_dir()?])?;
//! let policy = Policy::read(None, &folders);
//! let judge = policy.judge(Mode::Ask, &folders, None);
//! let runs = |command| judge.decide("execute", &Touch::Runs { command, sandboxed: true, network: false }).effect;
//! assert_eq!(runs("ls src"), Effect::Allow);
//! assert_eq!(runs("rm -r src"), Effect::Ask);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
