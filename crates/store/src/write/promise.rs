//! A value that a thread sends once, and that a task or another thread waits for.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The sending end. If it is dropped before it sends a value, the other end wakes and gets `None`.
pub(crate) struct Promise<T>(Arc<Slot<T>>);

/// The waiting end: await it, or call [`Outcome::wait`]. `None` means that no value will come.
pub(crate) struct Outcome<T>(Arc<Slot<T>>);

struct Slot<T> {
    state: Mutex<State<T>>,
    settled: Condvar,
}

struct State<T> {
    answer: Option<T>,
    settled: bool,
    waker: Option<Waker>,
}

pub(crate) fn promise<T>() -> (Promise<T>, Outcome<T>) {
    let state = Mutex::new(State { answer: None, settled: false, waker: None });
    let slot = Arc::new(Slot { state, settled: Condvar::new() });
    (Promise(Arc::clone(&slot)), Outcome(slot))
}

impl<T> Slot<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, answer: Option<T>) {
        let mut state = self.state();
        if state.settled {
            return;
        }
        state.settled = true;
        state.answer = answer;
        let waker = state.waker.take();
        drop(state);
        self.settled.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Promise<T> {
    pub(crate) fn settle(self, answer: T) {
        self.0.settle(Some(answer));
    }

    /// Returns whether the waiting end was dropped.
    pub(crate) fn is_forgotten(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        self.0.settle(None);
    }
}

impl<T> Outcome<T> {
    pub(crate) fn wait(self) -> Option<T> {
        let mut state = self.0.state();
        while !state.settled {
            state = self.0.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.answer.take()
    }
}

impl<T> Future for Outcome<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.state();
        if state.settled {
            return Poll::Ready(state.answer.take());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
