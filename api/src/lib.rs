//! The public API of the libraries as text: one line per item.
//!
//! rustdoc describes a library as JSON ([`describe`]), and the crate `public-api` turns the
//! description into items ([`listing`]). The test of this crate compares the result with the
//! listings in `api/*.txt`, so that every change of the API shows in a review.
//!
//! The JSON of rustdoc is unstable. A stable rustdoc writes it only with `RUSTC_BOOTSTRAP=1`, which
//! the script `api/rustdoc` sets, and its format changes with the compiler. The listings are those
//! of the Rust version that the workspace names. Later versions give the same ones, as far as
//! `public-api` reads their format.
//!
//! The crate knows no library besides the names in [`LIBRARIES`].

mod describe;
mod listing;

pub use describe::describe;
pub use listing::{differences, listing};

/// The libraries for authors of agents, clients and front ends.
pub const LIBRARIES: &[&str] = &[
    "attache-agent",
    "attache-checkpoint",
    "attache-client",
    "attache-connection",
    "attache-host",
    "attache-models",
    "attache-policy",
    "attache-protocol",
    "attache-session",
    "attache-store",
    "attache-view",
];
