//! The mutations of Attaché: named faults, each of which breaks one behaviour of our sources so
//! that one named test must fail.
//!
//! A rule of the protocol counts as tested only if a mutation that breaks it makes a test fail,
//! since a test that cannot fail proves nothing. The files in `faults/` hold the mutations; the
//! program of this crate applies them to a copy of the workspace and runs their tests. The command
//! `attache` is built without this crate: [`index`] writes down which test covers which rule, and
//! `attache-check` ships that list.
//!
//! ```
//! use attache_mutations::{mutations, tests_of};
//!
//! let mutation = mutations().iter().find(|mutation| mutation.rules.contains(&"CONF-07")).unwrap();
//! assert!(tests_of("CONF-07").contains(&mutation.test));
//! ```

mod index;
mod mutation;
mod mutation_file;

pub use index::index;
pub use mutation::{Mutation, TestName, malformed_mutations, mutations, tests_of};
