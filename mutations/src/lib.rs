//! The mutations of Attaché. A mutation is a named fault that breaks one behaviour of our sources,
//! so that one named test must fail.
//!
//! A rule of the protocol counts as tested only if a mutation that breaks it makes a test fail,
//! because a test that cannot fail proves nothing. The files in `faults/` contain the mutations.
//! The program of this crate applies these mutations to a copy of the workspace and runs their
//! tests. The command `attache` does not contain this crate: [`index`] lists the tests that cover
//! each rule, and `attache-check` ships that list.
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
