//! The environment, from which providers, keys and proxies are read.

/// Returns the value of an environment variable by its name.
pub(crate) type Environment<'e> = &'e (dyn Fn(&str) -> Option<String> + Sync);
