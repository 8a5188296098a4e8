//! A call to a provider: sends the request, reads the answer, and retries.

mod answer;
pub(crate) mod changes;
pub(crate) mod failure;
mod media_refusal;
pub(crate) mod retry_wait;
use crate::address::without_login;
use crate::call::answer::{Answer, Interruption};
use crate::call::changes::{Changes, KnownChanges};
use crate::call::failure::{Failure, ProviderError, Retry, error_body};
use crate::error::{ModelError, in_words};
use crate::event::{ModelEvent, TokenUsage};
use crate::http::Http;
use crate::message::{AssistantMessage, Request};
use crate::model::{EventStream, NextEvent};
use crate::provider::Provider;
use crate::wire::adapter::{HttpRequest, Progress, StreamError};
use crate::wire::draft::Draft;
use jiff::Timestamp;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, timeout};

/// The reading of an error's body stops after the chunk that exceeds this many bytes.
const ERROR_BODY: usize = 256 * 1024;

/// A call to a provider. Dropping it aborts the request at once.
pub(crate) struct Call {
    provider: Provider,
    http: Http,
    request: Request,
    /// The request in the format of the provider's wire, while it is up to date.
    http_request: Option<HttpRequest>,
    /// How the request differs from the usual one, because the provider refused that.
    changes: Changes,
    known_changes: KnownChanges,
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

impl Call {
    /// Creates a call. The request is sent when the first event is requested. `seed` varies the
    /// waits and the generated ids: use a different one for each call.
    pub(crate) fn new(provider: &Provider, http: &Http, request: Request, seed: u64) -> Self {
        Self {
            provider: provider.clone(),
            http: http.clone(),
            draft: Draft::new(request.model.clone(), seed),
            request,
            http_request: None,
            changes: Changes::default(),
            known_changes: KnownChanges::default(),
            seed,
            attempt: 0,
            began: Instant::now(),
            earlier: None,
            lost: TokenUsage::default(),
            state: State::Begin,
        }
    }

    /// Makes the changes that earlier calls of the session needed, and remembers new ones.
    pub(crate) fn with_known_changes(mut self, known: KnownChanges) -> Self {
        self.changes = known.of(&self.provider, &self.request);
        self.changes.apply(&mut self.provider, &mut self.request);
        self.known_changes = known;
        self
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
                if self.changes != Changes::default() {
                    self.known_changes.keep(&self.provider, &self.request, self.changes);
                }
                let patience = self.http.limits().first_byte;
                let answer = Answer::new(response, self.provider.decoder(), patience);
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
        self.draft = Draft::new(self.request.model.clone(), self.seed);
        let (provider, request) = (&self.provider, &self.request);
        let request = self.http_request.get_or_insert_with(|| provider.http_request(request));
        let request = self.http.post(&self.provider.name, request)?;
        self.state = State::Asking(Box::pin(asked(request, self.http.limits().first_byte)));
        Ok(())
    }

    /// Schedules another attempt if that may help, otherwise ends the call with the error. The
    /// limits on retries are the same before and after the first byte of an answer.
    fn failed(&mut self, failure: Failure) -> Result<ModelEvent, ModelError> {
        self.lost = self.unreported_usage();
        self.state = State::Over;
        if let Some(event) = self.change(&failure) {
            return Ok(event);
        }
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
                // A server that loads its model may ask for no wait, again and again.
                let wait = match wait {
                    Some(wait) if loads => wait.max(backoff()),
                    wait => wait.unwrap_or_else(backoff),
                };
                self.state = State::Waiting(Box::pin(tokio::time::sleep(wait)));
                let (attempt, replaces) = (self.attempt, self.draft.has_content());
                let lost = std::mem::take(&mut self.lost);
                Ok(ModelEvent::Waiting { why, wait, attempt, replaces, lost })
            }
        }
    }

    /// If the provider refused the request in this form, changes the request, and sends it again
    /// without a wait.
    fn change(&mut self, failure: &Failure) -> Option<ModelEvent> {
        let refusal = failure.refusal.as_ref()?;
        let (changes, why) = self.changes.after(refusal, &self.provider, &self.request)?;
        self.changes = changes;
        self.changes.apply(&mut self.provider, &mut self.request);
        self.http_request = None;
        self.state = State::Begin;
        let (attempt, replaces) = (self.attempt, self.draft.has_content());
        let lost = std::mem::take(&mut self.lost);
        Some(ModelEvent::Waiting { why, wait: Duration::ZERO, attempt, replaces, lost })
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
                match self.attempt {
                    0 | 1 => Failure::permanent(error),
                    _ => Failure::passing(error, why),
                }
            }
            NoAnswer::Network(error) => {
                let why = format!("the connection to {provider} broke before its answer");
                let source = error.without_url().into();
                let error = ModelError::NoNetwork { provider, host: self.host(), source };
                Failure::passing(error, why)
            }
            NoAnswer::Status { status, headers, body } => {
                self.sent(Some(status), &headers, error_body(&body))
            }
        }
    }

    fn trouble(&self, trouble: Interruption) -> Failure {
        let provider = self.provider.name.clone();
        match trouble {
            Interruption::Hung(waited) => Failure::permanent(ModelError::Hung { provider, waited }),
            Interruption::Stalled(waited) => {
                let why = format!("{provider} sent nothing for {}", in_words(waited));
                Failure::passing(ModelError::Hung { provider, waited }, why)
            }
            Interruption::Cut(source) => {
                let why = match self.draft.has_content() {
                    true => format!("{provider} stopped in the middle of its answer"),
                    false => format!("{provider} stopped before its answer began"),
                };
                let source = source.map(|error| error.without_url().into());
                Failure::passing(ModelError::Cut { provider, source }, why)
            }
            Interruption::Stream(StreamError::Cut) => self.trouble(Interruption::Cut(None)),
            Interruption::Stream(StreamError::Said(body)) => {
                self.sent(None, &HeaderMap::new(), body)
            }
            Interruption::Stream(StreamError::Malformed(what)) => {
                let what = crate::call::failure::shown(&self.provider.without_secrets(&what));
                let was_read = matches!(&self.state, State::Answering(answer) if answer.was_read);
                let why = format!("{provider} sent a broken piece of its answer");
                let error = ModelError::Malformed { provider, what, begun: was_read };
                match was_read {
                    true => Failure::passing(error, why),
                    false => Failure::permanent(error),
                }
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
            model: &self.request.model,
            status,
            url: self.url(),
            headers: &header,
            body,
            now: Timestamp::now(),
        };
        sent.failure()
    }

    /// The address of the last request.
    fn url(&self) -> &str {
        self.http_request.as_ref().map_or(&self.provider.base_url, |request| &request.url)
    }

    fn host(&self) -> String {
        let url = reqwest::Url::parse(self.url()).ok();
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
            .field("model", &self.request.model)
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

#[cfg(test)]
mod tests;
