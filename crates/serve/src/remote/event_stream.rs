//! A response body of server-sent events, each with one message.

use super::http_connection::OpenStream;
use axum::body::Bytes;
use http_body::{Body, Frame};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// While there is no message, a comment is sent this often, so that proxies keep the connection and
/// the server notices that the client is gone.
const COMMENT: Duration = Duration::from_secs(15);

/// Takes a message only when it can be sent, so that nothing is queued here.
pub(super) struct EventStream {
    stream: OpenStream,
    comment: Pin<Box<Sleep>>,
    ended: bool,
}

impl EventStream {
    pub(super) fn new(stream: OpenStream) -> Self {
        Self { stream, comment: Box::pin(sleep(COMMENT)), ended: false }
    }
}

impl Body for EventStream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let event = match self.stream.poll_next(context) {
            Poll::Ready(Ok(Some(message))) => event(&message),
            Poll::Ready(Ok(None)) => {
                self.ended = true;
                return Poll::Ready(None);
            }
            Poll::Ready(Err(error)) => {
                self.ended = true;
                return Poll::Ready(Some(Err(error)));
            }
            Poll::Pending => {
                ready!(self.comment.as_mut().poll(context));
                b":\n\n".to_vec()
            }
        };
        self.comment.as_mut().reset(Instant::now() + COMMENT);
        Poll::Ready(Some(Ok(Frame::data(event.into()))))
    }
}

/// An event with this message. A line end in it is white space between JSON tokens.
fn event(message: &[u8]) -> Vec<u8> {
    let mut event = Vec::with_capacity(message.len() + 8);
    event.extend_from_slice(b"data: ");
    event.extend(message.iter().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        other => *other,
    }));
    event.extend_from_slice(b"\n\n");
    event
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_message_of_several_lines_is_one_event() {
        assert_eq!(super::event(b"{\r\n\"a\":1}"), b"data: {  \"a\":1}\n\n");
    }
}
