//! An answer while it arrives.

use crate::http::Http;
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, Progress, StreamError};
use crate::wire::answer_format::AnswerFormat;
use crate::wire::draft::Draft;
use reqwest::Response;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// An answer while it arrives.
pub(super) struct Answer {
    response: Response,
    pub(super) decoder: Box<dyn Decoder>,
    form: AnswerFormat,
    events: VecDeque<SseEvent>,
    /// The maximum time without data, and the time when it ends.
    patience: Duration,
    deadline: Instant,
    /// Whether any part of the answer has arrived.
    begun: bool,
    /// Whether any event could be read.
    pub(super) was_read: bool,
    ended: bool,
}

/// Why an answer does not continue.
pub(super) enum Interruption {
    /// No answer began within this time.
    Hung(Duration),
    /// An answer began, but then nothing arrived for this long.
    Stalled(Duration),
    Cut(Option<reqwest::Error>),
    Stream(StreamError),
}

impl Answer {
    /// Begins to read a response, which must send its first byte within `patience`.
    pub(super) fn new(response: Response, decoder: Box<dyn Decoder>, patience: Duration) -> Self {
        Self {
            response,
            decoder,
            form: AnswerFormat::default(),
            events: VecDeque::new(),
            patience,
            deadline: Instant::now() + patience,
            begun: false,
            was_read: false,
            ended: false,
        }
    }

    pub(super) async fn step(
        &mut self,
        draft: &mut Draft,
        http: &Http,
    ) -> Result<Progress, Interruption> {
        if let Some(event) = self.events.pop_front() {
            return match self.decoder.take(&event, draft) {
                // The last event is malformed because the stream ended in the middle of it.
                Err(StreamError::Malformed(_)) if self.ended => Err(Interruption::Cut(None)),
                Err(error) => Err(Interruption::Stream(error)),
                Ok(progress) => {
                    self.was_read = true;
                    Ok(progress)
                }
            };
        }
        if self.ended {
            return self.end(draft, Interruption::Cut(None));
        }
        match timeout_at(self.deadline, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.patience = http.limits().idle;
                self.deadline = Instant::now() + self.patience;
                self.begun = true;
                self.form.push(&bytes, &mut self.events).map_err(Interruption::Stream)?;
                Ok(Progress::More)
            }
            Ok(Ok(None)) => {
                self.ended = true;
                self.form.end(&mut self.events).map_err(Interruption::Stream)?;
                Ok(Progress::More)
            }
            Ok(Err(error)) => self.end(draft, Interruption::Cut(Some(error))),
            Err(_) if self.begun => self.end(draft, Interruption::Stalled(self.patience)),
            Err(_) => self.end(draft, Interruption::Hung(self.patience)),
        }
    }

    /// Handles the end of the body: the answer is complete, or it was cut off.
    fn end(&mut self, draft: &mut Draft, trouble: Interruption) -> Result<Progress, Interruption> {
        if self.decoder.end(draft) { Ok(Progress::Done) } else { Err(trouble) }
    }
}
