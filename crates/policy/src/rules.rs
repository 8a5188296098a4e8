//! Reads, checks and changes files of rules.

mod examples;
mod line_form;
mod old_file;
mod parse;
mod replacement;
mod rule_fault;
mod rule_file;
mod rule_set;
mod toml_text;

pub use line_form::LineError;
pub use rule_fault::RuleFault;
pub use rule_file::{RuleFile, RuleFileError};
pub use rule_set::Rules;

#[cfg(test)]
mod migration_tests;
#[cfg(test)]
mod tests;
