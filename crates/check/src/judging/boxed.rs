//! Boxed futures.

use std::pin::Pin;

/// A boxed future.
///
/// Hundreds of probes await the same few functions. A boxed function is compiled once, and its
/// state is not part of the state of each probe.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
