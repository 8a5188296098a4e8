//! The names of the kit's private records in a log. They are stored and never change.

/// A value of [`Turn::remember`](crate::Turn::remember).
pub(crate) const REMEMBERED: &str = "attache.remembered";
/// A value of [`Turn::remember_only`](crate::Turn::remember_only), which replaces the earlier ones.
pub(crate) const REMEMBERED_ONLY: &str = "attache.remembered_anew";
/// The instructions of the client.
pub(crate) const SYSTEM_PROMPT: &str = "attache.system_prompt";
