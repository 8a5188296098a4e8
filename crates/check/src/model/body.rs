//! The bodies of requests and answers.

use super::answer::After;
use super::wire::Written;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Frame, Incoming};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec::IntoIter;

/// Reads the body of a request. Returns `None` if it is incomplete or longer than `most` bytes.
pub(crate) async fn read(body: Incoming, most: usize) -> Option<Bytes> {
    Some(Limited::new(body, most).collect().await.ok()?.to_bytes())
}

/// The body of an answer. Each read gets the next chunk.
#[derive(Debug)]
pub(super) struct Body {
    before: IntoIter<String>,
    text: Vec<Bytes>,
    /// The number of chunks of the text that were sent.
    sent: usize,
    /// The number of all chunks of the text.
    of: usize,
    after: IntoIter<String>,
    ending: After,
    /// Whether the connection had time to send the text.
    is_sent: bool,
}

impl Body {
    /// Creates a body from the events of an answer.
    pub(super) fn events(events: Written, ending: After) -> Self {
        let text: Vec<Bytes> = events.text.into_iter().map(Bytes::from).collect();
        let of = text.len().saturating_mul(events.times);
        let (before, after) = (events.before.into_iter(), events.after.into_iter());
        Self { before, text, sent: 0, of, after, ending, is_sent: false }
    }

    /// Creates a body from a text. A body that must hang or break does so in the middle of the
    /// text.
    pub(super) fn whole(text: String, ending: After) -> Self {
        let mut text = text.into_bytes();
        let after = text.split_off(text.len() / 2);
        let [before, after] = [text, after].map(|half| String::from_utf8_lossy(&half).into_owned());
        Self::events(
            Written { before: vec![before], after: vec![after], ..Written::default() },
            ending,
        )
    }

    /// Returns the next chunk of the text.
    fn piece(&mut self) -> Option<Bytes> {
        if self.sent == self.of {
            return None;
        }
        let piece = self.text.get(self.sent % self.text.len()).cloned();
        self.sent += 1;
        piece
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let begun = self.before.next().map(Bytes::from).or_else(|| self.piece());
        if let Some(piece) = begun {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match self.ending {
            After::Nothing => {
                let next = self.after.next().map(|piece| Ok(Frame::data(Bytes::from(piece))));
                Poll::Ready(next)
            }
            // The task is never woken. It is dropped when the connection ends.
            After::Hang => Poll::Pending,
            // An error discards bytes that are not yet written. A short pause lets the connection
            // write them.
            After::Cut if !self.is_sent => {
                self.is_sent = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            After::Cut => {
                Poll::Ready(Some(Err(io::Error::other("the act `cut` breaks the answer"))))
            }
        }
    }
}
