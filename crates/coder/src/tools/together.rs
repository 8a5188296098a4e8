//! Calls of one answer that only read: they run at the same time.
//!
//! Everything else runs alone and in its order: what changes something, what a person is asked
//! about, and what nobody knows to only read.

use super::execute::Permit;
use super::execute::scratch::Places;
use super::{Action, Looked, ToolResult, Toolbox, fetch, given, spec};
use attache_agent::{Error, NewToolCall, Result, ToolCallHandle};
use attache_host::Sandbox;
use attache_policy::{Effect, Judge, Mode, Place, Touch};
use attache_protocol::Raw;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// How many calls run at the same time.
const AT_ONCE: usize = 8;

/// A use of a tool as a provider's model asks for it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) name: String,
    /// As the model wrote them.
    pub(crate) arguments: String,
}

/// A call that only reads and that nobody is asked about.
struct Reader {
    action: Action,
    given: Option<Raw>,
}

/// The same, shown to the client and about to run.
enum Ready {
    /// It cannot run, for this reason.
    Fails(ToolCallHandle, String),
    Looks(Action, ToolCallHandle, Place),
    Runs(super::execute::Execute, ToolCallHandle, Option<Sandbox>, io::Result<Places>),
    Fetches(reqwest::Url, ToolCallHandle),
}

impl Toolbox<'_> {
    /// Does the first of these requests: as many as only read, at the same time, else one. What
    /// came of each, in their order; at least one where there is a request. An error is the turn's.
    pub(crate) async fn next(&mut self, requests: &[Request]) -> Vec<Result<ToolResult>> {
        match self.readers(requests).await {
            Ok(readers) if readers.len() > 1 => self.together(readers).await,
            Ok(_) => match requests.first() {
                Some(request) => vec![self.called(&request.name, &request.arguments).await],
                None => Vec::new(),
            },
            Err(error) => vec![Err(error)],
        }
    }

    /// The requests at the front that only read.
    async fn readers(&self, requests: &[Request]) -> Result<Vec<Reader>> {
        let mut readers = Vec::new();
        if requests.len() > 1 {
            for request in requests.iter().take(AT_ONCE) {
                let Some(reader) = self.reader(request).await? else { break };
                readers.push(reader);
            }
        }
        Ok(readers)
    }

    async fn reader(&self, request: &Request) -> Result<Option<Reader>> {
        let (name, arguments) = (&request.name, &request.arguments);
        if self.memory.mcp.find(name).is_some() {
            return Ok(None);
        }
        let action = match spec::action(name, arguments) {
            Ok(Action::Execute(execute)) if !execute.background => {
                Action::Execute(self.prepared(&execute).await?)
            }
            // The file of a long output is no file of the session.
            Ok(Action::Read(read)) if self.memory.shell.scratch.output(&read.path).is_none() => {
                Action::Read(read)
            }
            Ok(
                action @ (Action::Grep(_) | Action::List(_) | Action::Glob(_) | Action::Fetch(_)),
            ) => action,
            _ => return Ok(None),
        };
        let reads = action.too_long().is_none() && self.only_reads(&action).await?;
        Ok(reads.then(|| Reader { action, given: given(arguments) }))
    }

    /// Whether the action runs without a question, and because it only reads: a rule or the mode
    /// may allow more than that.
    async fn only_reads(&self, action: &Action) -> Result<bool> {
        let action = action.clone();
        self.judged(move |judge, _| {
            let touch = action.touches();
            let runs =
                |judge: &Judge<'_>| judge.decide(action.name(), &touch).effect == Effect::Allow;
            let careful = Judge { mode: Mode::Plan, rules: &[], ..*judge };
            let is_command = !matches!(touch, Touch::Reads(_) | Touch::Fetches { .. });
            runs(judge) && (!is_command || runs(&careful))
        })
        .await
    }

    /// Shows the calls in their order, then runs them at the same time.
    async fn together(&mut self, readers: Vec<Reader>) -> Vec<Result<ToolResult>> {
        let mut ready = Vec::new();
        for reader in readers {
            match self.ready(reader).await {
                Ok(call) => ready.push(call),
                Err(error) => return vec![Err(error)],
            }
        }
        let toolbox = &*self;
        let running =
            ready.into_iter().map(|call| -> Running<'_> { Box::pin(toolbox.finish(call)) });
        let looked = all(running.collect()).await;
        looked.into_iter().map(|looked| contained(looked.map(|looked| self.take(looked)))).collect()
    }

    async fn ready(&mut self, reader: Reader) -> Result<Ready> {
        let Reader { action, given } = reader;
        let call = self.new_call(&action, given);
        match action {
            Action::Execute(execute) => {
                let (call, sandbox) = self.described(&execute, call).await;
                let places = self.memory.shell.scratch.places();
                Ok(Ready::Runs(execute, call.start().await?, sandbox, places))
            }
            Action::Fetch(fetch) => match fetch.url() {
                Ok(url) => {
                    let call =
                        call.content(attache_protocol::v1::ContentBlock::text(fetch::shown(&url)));
                    Ok(Ready::Fetches(url, call.start().await?))
                }
                Err(why) => Ok(Ready::Fails(call.announce().await?, why)),
            },
            action => match self.place(action.path().unwrap_or(".")).await? {
                Ok(place) => {
                    // The way there may have changed since it was judged, so where it led is judged
                    // as well.
                    let verdict = self.decide_at(&action, &place).await?;
                    if verdict.effect != Effect::Allow {
                        return Ok(Ready::Fails(call.announce().await?, verdict.why()));
                    }
                    let call = located(&action, call, &place);
                    Ok(Ready::Looks(action, call.start().await?, place))
                }
                Err(why) => Ok(Ready::Fails(call.announce().await?, why)),
            },
        }
    }

    async fn finish(&self, call: Ready) -> Result<Looked> {
        match call {
            Ready::Fails(handle, why) => self.failed(handle, &why).await.map(Looked::from),
            Ready::Looks(action, handle, place) => self.look(&action, handle, &place).await,
            Ready::Runs(execute, handle, sandbox, places) => {
                // It runs without a question because it only reads.
                let permit = Permit::reading(execute.network);
                self.run(handle, &execute, sandbox, places, permit).await.map(Looked::from)
            }
            Ready::Fetches(url, handle) => {
                self.fetched_page(url, true, handle).await.map(Looked::from)
            }
        }
    }
}

/// The call with the place that it is about.
pub(super) fn located(action: &Action, call: NewToolCall, place: &Place) -> NewToolCall {
    let line =
        if let Action::Read(read) = action { read.line.map(|line| line.max(1)) } else { None };
    call.location(&place.absolute, line)
}

/// A tool that fails by a fault of its own fails alone; what ends the turn ends it.
fn contained(result: Result<ToolResult>) -> Result<ToolResult> {
    match result {
        Err(error @ (Error::Failed { .. } | Error::Invalid(_))) => {
            Ok(ToolResult::failed(format!("the tool failed: {error}")))
        }
        result => result,
    }
}

/// A call that runs.
type Running<'r> = Pin<Box<dyn Future<Output = Result<Looked>> + Send + 'r>>;

/// Runs all of them to their ends, on this task. One that panics has failed, and the others go on.
async fn all(mut running: Vec<Running<'_>>) -> Vec<Result<Looked>> {
    let mut ended: Vec<Option<Result<Looked>>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (running, ended) in
            running.iter_mut().zip(&mut ended).filter(|(_, ended)| ended.is_none())
        {
            let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context)));
            *ended = match polled {
                Ok(Poll::Pending) => None,
                Ok(Poll::Ready(result)) => Some(result),
                Err(_) => Some(Err(Error::failed("it panicked"))),
            };
        }
        if ended.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    ended.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{Looked, Running, ToolResult, all, contained};
    use crate::tools::Finding;

    fn done(text: &str) -> Looked {
        ToolResult::done(text, Finding::Nothing).into()
    }

    /// The second call waits for the third, so they run at the same time; the first panics, and the
    /// others keep what they found.
    #[tokio::test]
    async fn calls_run_at_the_same_time_and_one_that_panics_fails_alone() {
        let (tell, told) = tokio::sync::oneshot::channel();
        let running: Vec<Running<'_>> = vec![
            Box::pin(async { panic!("a fault of a tool") }),
            Box::pin(async {
                told.await.unwrap();
                Ok(done("two"))
            }),
            Box::pin(async {
                tokio::task::yield_now().await;
                tell.send(()).unwrap();
                Ok(done("three"))
            }),
        ];
        let results = all(running)
            .await
            .into_iter()
            .map(|looked| contained(looked.map(|looked| looked.result)));
        let results: Vec<_> = results
            .map(|result| result.map(|result| (result.failed, result.text)).unwrap())
            .collect();
        let expected = [(true, "the tool failed: it panicked"), (false, "two"), (false, "three")]
            .map(|(failed, text)| (failed, text.to_owned()));
        assert_eq!(results, expected);
    }
}
