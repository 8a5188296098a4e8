//! Waiting for the first of two futures.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// The output of the future that completed first.
pub(crate) enum Raced<A, B> {
    First(A),
    Second(B),
}

/// Waits for either future and drops the other one. If both are ready, `first` wins.
pub(crate) async fn race<A, B>(
    first: impl Future<Output = A>,
    second: impl Future<Output = B>,
) -> Raced<A, B> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Raced::First(value)),
        Poll::Pending => second.as_mut().poll(context).map(Raced::Second),
    })
    .await
}
