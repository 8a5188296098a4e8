//! Searching.
