//! Boxed futures.

use std::pin::Pin;

/// A boxed future.
///
/// Hundreds of probes await the same few functions. Boxed, such a function is compiled once and its
/// state is not a part of each probe's own.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
