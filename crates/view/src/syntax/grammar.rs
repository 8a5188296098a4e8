//! How each kind of language is divided into words.
//!
//! Each function takes the state that a line begins in, and returns the state that it ends in. All
//! of them read a line once from left to right.

pub(super) mod css;
pub(super) mod data;
pub(super) mod lines;
pub(super) mod markup;
pub(super) mod words;
