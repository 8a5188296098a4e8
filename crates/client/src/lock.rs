//! Locking that works even after another holder panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if a holder of the lock panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
