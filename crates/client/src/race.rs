//! Waiting for whichever of two things happens first.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Which of the two it was.
pub(crate) enum First<A, B> {
    One(A),
    Other(B),
}

/// Waits for `one` or `other` and drops what did not happen. If both are ready it is `one`.
pub(crate) async fn first<A, B>(
    one: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> First<A, B> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(First::One(value)),
        Poll::Pending => other.as_mut().poll(context).map(First::Other),
    })
    .await
}
