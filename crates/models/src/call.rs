//! A call to a provider: sends the request, reads the answer, and retries.

pub(crate) mod failure;
pub(crate) mod retry_wait;
use crate::address::without_login;
use crate::call::failure::{Failure, ProviderError, Retry};
use crate::error::{ModelError, in_words};
use crate::event::{ModelEvent, TokenUsage};
use crate::http::Http;
use crate::message::{AssistantMessage, ModelId, Request};
use crate::model::{EventStream, NextEvent};
use crate::provider::Provider;
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, HttpRequest, Progress, StreamError};
use crate::wire::answer_format::AnswerFormat;
use crate::wire::draft::Draft;
use jiff::Timestamp;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, timeout, timeout_at};

/// The reading of an error's body stops after the chunk that exceeds this many bytes.
const ERROR_BODY: usize = 256 * 1024;

/// A call to a provider. Dropping it aborts the request at once.
pub(crate) struct Call {
    provider: Provider,
    http: Http,
    model: ModelId,
    request: HttpRequest,
    seed: u64,
    /// The number of attempts so far.
    attempt: u32,
    began: Instant,
    draft: Draft,
    /// The text of the last earlier attempt that had sent any text before it was cut off.
    earlier: Option<AssistantMessage>,
    /// The tokens that the provider reported for the last attempt, if it failed.
    lost: TokenUsage,
    state: State,
}

enum State {
    Begin,
    Waiting(Pin<Box<Sleep>>),
    Asking(Pin<Box<dyn Future<Output = Result<Response, NoAnswer>> + Send>>),
    Answering(Box<Answer>),
    Over,
}

/// Why no answer has begun.
enum NoAnswer {
    Network(reqwest::Error),
    Hung,
    Status { status: u16, headers: HeaderMap, body: Vec<u8> },
}

/// An answer while it arrives.
struct Answer {
    response: Response,
    decoder: Box<dyn Decoder>,
    form: AnswerFormat,
    events: VecDeque<SseEvent>,
    /// The maximum time without data, and the time when it ends.
    patience: Duration,
    deadline: Instant,
    /// Whether any part of the answer has arrived.
    begun: bool,
    ended: bool,
}

impl Call {
    /// Creates a call. The request is sent when the first event is requested. `seed` varies the
    /// waits and the generated ids: use a different one for each call.
    pub(crate) fn new(provider: &Provider, http: &Http, request: &Request, seed: u64) -> Self {
        Self {
            provider: provider.clone(),
            http: http.clone(),
            model: request.model.clone(),
            request: provider.http_request(request),
            seed,
            attempt: 0,
            began: Instant::now(),
            draft: Draft::new(request.model.clone(), seed),
            earlier: None,
            lost: TokenUsage::default(),
            state: State::Begin,
        }
    }

    async fn next_event(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.draft.take() {
                return Some(Ok(event));
            }
            if matches!(self.state, State::Over) {
                return None;
            }
            if let Err(failure) = self.step().await {
                return Some(self.failed(failure));
            }
        }
    }

    async fn step(&mut self) -> Result<(), Failure> {
        match &mut self.state {
            State::Begin => self.ask().map_err(Failure::permanent),
            State::Waiting(sleep) => {
                sleep.await;
                self.ask().map_err(Failure::permanent)
            }
            State::Asking(asking) => {
                let response = asking.await.map_err(|unanswered| self.unanswered(unanswered))?;
                let patience = self.http.limits().first_byte;
                let (decoder, events, form) =
                    (self.provider.decoder(), VecDeque::new(), AnswerFormat::default());
                let deadline = Instant::now() + patience;
                let (begun, ended) = (false, false);
                let answer =
                    Answer { response, decoder, form, events, patience, deadline, begun, ended };
                self.state = State::Answering(Box::new(answer));
                Ok(())
            }
            State::Answering(answer) => {
                let progress = answer.step(&mut self.draft, &self.http).await;
                match progress {
                    Ok(Progress::More) => {}
                    Ok(Progress::Done) => {
                        self.state = State::Over;
                        self.earlier = None;
                    }
                    Err(trouble) => return Err(self.trouble(trouble)),
                }
                Ok(())
            }
            State::Over => Ok(()),
        }
    }

    /// Sends the request.
    fn ask(&mut self) -> Result<(), ModelError> {
        self.attempt += 1;
        let said = self.draft.said();
        if !said.text().trim().is_empty() {
            self.earlier = Some(said);
        }
        self.draft = Draft::new(self.model.clone(), self.seed);
        let request = self.http.post(&self.provider.name, &self.request)?;
        self.state = State::Asking(Box::pin(asked(request, self.http.limits().first_byte)));
        Ok(())
    }

    /// Schedules another attempt if that may help, otherwise ends the call with the error. The
    /// limits on retries are the same before and after the first byte of an answer.
    fn failed(&mut self, failure: Failure) -> Result<ModelEvent, ModelError> {
        self.lost = self.unreported_usage();
        self.state = State::Over;
        let limits = self.http.limits();
        let Some(Retry { why, wait }) = failure.retry else {
            return Err(self.counted(failure.error));
        };
        let loads = retry_wait::for_loading(&failure.error, self.began, limits);
        match wait {
            Some(wait) if wait > limits.longest_wait => Err(match self.counted(failure.error) {
                ModelError::Overloaded { provider, status: Some(429), said, .. } => {
                    ModelError::Quota { provider, said, again_in: Some(wait) }
                }
                error => error,
            }),
            _ if self.attempt >= limits.attempts && !loads => Err(self.counted(failure.error)),
            wait => {
                let attempt = self.attempt.min(limits.attempts);
                let backoff = || retry_wait::backoff(limits.backoff, attempt, self.seed);
                let wait = wait.unwrap_or_else(backoff);
                self.state = State::Waiting(Box::pin(tokio::time::sleep(wait)));
                let (attempt, replaces) = (self.attempt, self.draft.has_content());
                let lost = std::mem::take(&mut self.lost);
                Ok(ModelEvent::Waiting { why, wait, attempt, replaces, lost })
            }
        }
    }

    /// Adds the number of attempts to the error.
    fn counted(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Overloaded { provider, status, said, .. } => {
                ModelError::Overloaded { provider, status, attempts: self.attempt, said }
            }
            error => error,
        }
    }

    fn unanswered(&self, unanswered: NoAnswer) -> Failure {
        let provider = self.provider.name.clone();
        match unanswered {
            NoAnswer::Hung => Failure::permanent(ModelError::Hung {
                provider,
                waited: self.http.limits().first_byte,
            }),
            NoAnswer::Network(error) if error.is_connect() => {
                let why = format!("{provider} can no longer be reached");
                let source = error.without_url().into();
                let error = ModelError::NoNetwork { provider, host: self.host(), source };
                // If an earlier attempt reached the provider, a later one may reach it again.
                let retry = (self.attempt > 1).then_some(Retry { why, wait: None });
                Failure { error, retry }
            }
            NoAnswer::Network(error) => {
                let why = format!("the connection to {provider} broke before its answer");
                let source = error.without_url().into();
                let error = ModelError::NoNetwork { provider, host: self.host(), source };
                Failure { error, retry: Some(Retry { why, wait: None }) }
            }
            NoAnswer::Status { status, headers, body } => {
                let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
                let body = match serde_json::from_slice(&body) {
                    Ok(body) => body,
                    Err(_) => serde_json::json!({"error": text()}),
                };
                self.sent(Some(status), &headers, body)
            }
        }
    }

    fn trouble(&self, trouble: Interruption) -> Failure {
        let provider = self.provider.name.clone();
        match trouble {
            Interruption::Hung(waited) => Failure::permanent(ModelError::Hung { provider, waited }),
            Interruption::Stalled(waited) => {
                let why = format!("{provider} sent nothing for {}", in_words(waited));
                let error = ModelError::Hung { provider, waited };
                Failure { error, retry: Some(Retry { why, wait: None }) }
            }
            Interruption::Cut(source) => {
                let why = match self.draft.has_content() {
                    true => format!("{provider} stopped in the middle of its answer"),
                    false => format!("{provider} stopped before its answer began"),
                };
                let source = source.map(|error| error.without_url().into());
                Failure {
                    error: ModelError::Cut { provider, source },
                    retry: Some(Retry { why, wait: None }),
                }
            }
            Interruption::Stream(StreamError::Cut) => self.trouble(Interruption::Cut(None)),
            Interruption::Stream(StreamError::Said(body)) => {
                self.sent(None, &HeaderMap::new(), body)
            }
            Interruption::Stream(StreamError::Malformed(what)) => {
                let what = crate::call::failure::shown(&self.provider.without_secrets(&what));
                Failure::permanent(ModelError::Malformed { provider, what })
            }
            Interruption::Stream(StreamError::Refused(said)) => {
                Failure::permanent(ModelError::Refused {
                    provider,
                    said: crate::call::failure::shown(&said),
                })
            }
        }
    }

    fn sent(&self, status: Option<u16>, headers: &HeaderMap, body: Value) -> Failure {
        let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        let sent = ProviderError {
            provider: &self.provider,
            model: &self.model,
            status,
            url: &self.request.url,
            headers: &header,
            body,
            now: Timestamp::now(),
        };
        sent.failure()
    }

    fn host(&self) -> String {
        let url = reqwest::Url::parse(&self.request.url).ok();
        let host = url
            .and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)));
        host.unwrap_or_else(|| without_login(&self.provider.base_url))
    }
}

impl EventStream for Call {
    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(self.next_event())
    }

    /// The text of the current attempt or, if it has none, of an earlier one. Tool calls are left
    /// out, because their arguments may be incomplete.
    fn partial(&self) -> Option<AssistantMessage> {
        let present = self.draft.said();
        let partial = match &self.earlier {
            Some(earlier) if present.text().trim().is_empty() => earlier.clone(),
            _ => present,
        };
        Some(partial).filter(|partial| !partial.parts.is_empty())
    }

    fn unreported_usage(&self) -> TokenUsage {
        match &self.state {
            State::Answering(answer) => answer.decoder.usage(),
            _ => self.lost,
        }
    }
}

/// Leaves out the request, which contains the conversation and the key.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("model", &self.model)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// Sends a request, and reads the body of the response if it is an error.
async fn asked(
    request: reqwest::RequestBuilder,
    first_byte: Duration,
) -> Result<Response, NoAnswer> {
    let asking = async {
        let mut response = request.send().await.map_err(NoAnswer::Network)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let mut body = Vec::new();
        // If the connection breaks inside the body, the part that has arrived is used.
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > ERROR_BODY {
                break;
            }
        }
        Err(NoAnswer::Status {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body,
        })
    };
    timeout(first_byte, asking).await.unwrap_or(Err(NoAnswer::Hung))
}

/// Why an answer does not continue.
enum Interruption {
    /// No answer began within this time.
    Hung(Duration),
    /// An answer began, but then nothing arrived for this long.
    Stalled(Duration),
    Cut(Option<reqwest::Error>),
    Stream(StreamError),
}

impl Answer {
    async fn step(&mut self, draft: &mut Draft, http: &Http) -> Result<Progress, Interruption> {
        if let Some(event) = self.events.pop_front() {
            return match self.decoder.take(&event, draft) {
                // The last event is malformed because the stream ended in the middle of it.
                Err(StreamError::Malformed(_)) if self.ended => Err(Interruption::Cut(None)),
                taken => taken.map_err(Interruption::Stream),
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

#[cfg(test)]
mod tests;
