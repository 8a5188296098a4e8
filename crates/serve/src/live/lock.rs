//! Locking.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. No function panics while it holds one, so that its value is whole.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
