//! Running an author's code so that neither a panic nor stubbornness harms anybody else.

use crate::{Error, Result};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Runs synchronous code of the author; a panic is an error of that call alone.
pub(crate) fn calmly<T>(code: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|_| Err(panicked()))
}

/// Runs a future of the author until it is done, panics, or `deadline` is: then it is dropped where
/// it stands, and the error is [`Error::Cancelled`].
pub(crate) async fn guarded<T>(
    future: impl Future<Output = Result<T>>,
    deadline: impl Future<Output = ()>,
) -> Result<T> {
    let mut future = Box::pin(future);
    let mut deadline = pin!(deadline);
    let outcome = std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Ready(outcome)) => Poll::Ready(outcome),
            Ok(Poll::Pending) => deadline.as_mut().poll(context).map(|()| Err(Error::Cancelled)),
            Err(_) => Poll::Ready(Err(panicked())),
        }
    })
    .await;
    calmly(|| {
        drop(future);
        outcome
    })
}

/// The message of the panic may hold anything; it is on stderr, where panics go, and not sent.
fn panicked() -> Error {
    Error::failed("the agent's code panicked: its stderr says where")
}

/// Lets the connection take in what has arrived, before an author's code runs: a cancel right
/// behind its prompt then counts, and the reading task never runs an author's code.
pub(crate) async fn after_reading() {
    let mut waited = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
