//! A mutex that never makes a destructor wait. The thread that holds the lock may run the
//! destructor, so waiting could deadlock.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A step that a destructor deferred.
type Step<T> = Box<dyn FnOnce(&mut T) + Send>;

/// A mutex with a queue of deferred steps, which run before anything else happens to the value.
pub(crate) struct DeferringMutex<T> {
    value: Mutex<T>,
    deferred: Mutex<Vec<Step<T>>>,
}

/// The locked value. Every step that was deferred earlier has run.
pub(crate) struct Locked<'m, T> {
    value: MutexGuard<'m, T>,
    /// Dropped after the guard: runs the steps that were deferred while the lock was held.
    _run_deferred: RunDeferred<'m, T>,
}

struct RunDeferred<'m, T>(&'m DeferringMutex<T>);

impl<T> DeferringMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), deferred: Mutex::default() }
    }

    /// Locks the value. A poisoned lock is used as it is: only code of this crate runs under the
    /// lock, and that code can panic only between two whole steps.
    pub(crate) fn lock(&self) -> Locked<'_, T> {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.run_steps(&mut value);
        Locked { value, _run_deferred: RunDeferred(self) }
    }

    /// Runs `step` now if the value is not locked; otherwise before anything else happens to the
    /// value. Never waits.
    pub(crate) fn defer(&self, step: impl FnOnce(&mut T) + Send + 'static) {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(step));
        self.run_deferred_if_free();
    }

    /// The holder of the lock checks for steps again after releasing it, so no step stays deferred
    /// for longer than the lock is held.
    fn run_deferred_if_free(&self) {
        while self.has_deferred() {
            let mut value = match self.value.try_lock() {
                Ok(value) => value,
                Err(TryLockError::Poisoned(value)) => value.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            self.run_steps(&mut value);
        }
    }

    fn run_steps(&self, value: &mut T) {
        while let Some(step) = self.next_step() {
            step(value);
        }
    }

    fn next_step(&self) -> Option<Step<T>> {
        let mut deferred = self.deferred.lock().unwrap_or_else(PoisonError::into_inner);
        // In the order in which they were deferred.
        (!deferred.is_empty()).then(|| deferred.remove(0))
    }

    fn has_deferred(&self) -> bool {
        !self.deferred.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl<T> Drop for RunDeferred<'_, T> {
    fn drop(&mut self) {
        self.0.run_deferred_if_free();
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
