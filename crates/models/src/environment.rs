//! The environment that providers, keys and proxies are read from.

/// Returns the value of an environment variable by its name.
pub(crate) type Environment<'e> = &'e (dyn Fn(&str) -> Option<String> + Sync);
