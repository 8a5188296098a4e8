//! A request body with limits.

use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// The rate below which a body is too slow, in bytes a second.
const RATE: u64 = 16 * 1024;

/// A body of bounded length, which must arrive within a time plus that for its bytes.
pub(super) struct RequestBody {
    body: Body,
    left: u64,
    received: u64,
    begun: Instant,
    time: Duration,
    deadline: Pin<Box<Sleep>>,
}

/// A limit that a body breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLong,
    TooSlow,
}

impl RequestBody {
    pub(super) fn new(body: Body, bytes: usize, time: Duration) -> Self {
        let deadline = Box::pin(tokio::time::sleep(time));
        let left = u64::try_from(bytes).unwrap_or(u64::MAX);
        Self { body, left, received: 0, begun: Instant::now(), time, deadline }
    }

    fn took(&mut self, bytes: &Bytes) -> Result<(), BodyError> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or(BodyError::TooLong)?;
        self.received += length;
        let earned = Duration::from_secs(self.received / RATE);
        self.deadline.as_mut().reset(self.begun + self.time + earned);
        Ok(())
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            return match self.deadline.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(Some(Err(BodyError::TooSlow.into()))),
                Poll::Pending => Poll::Pending,
            };
        };
        let Some(frame) = frame else { return Poll::Ready(None) };
        let frame = frame.map_err(Into::into).and_then(|frame| {
            frame.data_ref().map_or(Ok(()), |bytes| self.took(bytes))?;
            Ok(frame)
        });
        Poll::Ready(Some(frame))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the body is too long",
            Self::TooSlow => "the body arrives too slowly",
        })
    }
}

impl std::error::Error for BodyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;
    use std::collections::VecDeque;
    use std::convert::Infallible;

    /// A body that sends a part after each wait.
    struct Slow(VecDeque<(Duration, usize)>, Option<Pin<Box<Sleep>>>);

    impl HttpBody for Slow {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some((wait, bytes)) = self.0.front().copied() else { return Poll::Ready(None) };
            let sleep = self.1.get_or_insert_with(|| Box::pin(tokio::time::sleep(wait)));
            std::task::ready!(sleep.as_mut().poll(context));
            self.1 = None;
            self.0.pop_front();
            Poll::Ready(Some(Ok(Frame::data(vec![0; bytes].into()))))
        }
    }

    async fn collect(parts: &[(u64, usize)], limit: usize) -> Result<usize, BodyError> {
        let parts = parts.iter().map(|(wait, bytes)| (Duration::from_secs(*wait), *bytes));
        let body = Body::new(Slow(parts.collect(), None));
        let body = RequestBody::new(body, limit, Duration::from_secs(20));
        let collected = body.collect().await;
        collected.map(|body| body.to_bytes().len()).map_err(|error| *error.downcast().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_bounded_in_length_and_time() {
        assert_eq!(collect(&[(0, 10), (19, 10)], 20).await, Ok(20));
        assert_eq!(collect(&[(0, 10), (0, 11)], 20).await, Err(BodyError::TooLong));
        assert_eq!(collect(&[(15, 1), (15, 1)], 20).await, Err(BodyError::TooSlow));
        let quick = 16 * 1024 * 10;
        assert_eq!(collect(&[(0, quick), (29, 1)], 1 << 20).await, Ok(quick + 1));
        assert_eq!(collect(&[(0, quick), (31, 1)], 1 << 20).await, Err(BodyError::TooSlow));
    }
}
