//! Runs code of the author so that its panics and delays affect only its own call.

use crate::author::erased_parts::BoxFuture;
use crate::{Error, Result, trace};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

/// Runs synchronous code of the author. A panic becomes an error of that call alone.
pub(crate) fn catch_panic<T>(code: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|_| Err(panicked()))
}

/// Runs a future of the author until it completes or panics, or until `deadline` completes. In the
/// last case the error is [`Error::Cancelled`]. The future is dropped in every case.
pub(crate) async fn run_guarded<T>(
    mut future: BoxFuture<'_, Result<T>>,
    mut deadline: BoxFuture<'_, ()>,
) -> Result<T> {
    let outcome = std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Ready(outcome)) => Poll::Ready(outcome),
            Ok(Poll::Pending) => deadline.as_mut().poll(context).map(|()| Err(Error::Cancelled)),
            Err(_) => Poll::Ready(Err(panicked())),
        }
    })
    .await;
    catch_panic(|| {
        drop(future);
        outcome
    })
}

/// The message of the panic may contain anything, so it is not sent. The panic hook prints it to
/// stderr.
fn panicked() -> Error {
    trace::author_panicked();
    Error::failed("the code of the agent panicked: see its stderr")
}

/// Lets the connection read everything that has already arrived before the author's code runs. A
/// cancel that directly follows its prompt is therefore seen in time, and the reading task never
/// runs the author's code.
pub(crate) async fn read_first() {
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
