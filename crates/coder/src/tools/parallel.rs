//! Runs tool calls in parallel: those of one message that only read.
//!
//! All other calls run alone and in order, because they may change something or ask the person.

use super::approved_call::Approval;
use super::registry::Registry;
use super::runner::{parsed_arguments, too_long};
use super::tool::Tool;
use super::tool_result::{Reading, ToolResult};
use super::toolbox::Toolbox;
use attache_agent::{Error, Result};
use attache_protocol::Raw;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// The maximum number of parallel calls.
const MAX_PARALLEL: usize = 8;

/// A tool call that a provider's model requests.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) name: String,
    /// The arguments as the model wrote them.
    pub(crate) arguments: String,
}

/// A call that only reads and runs without a question.
struct Reader {
    tool: Box<dyn Tool>,
    given: Option<Raw>,
    approval: Approval,
}

impl Toolbox<'_> {
    /// Runs the leading requests that only read, at the same time. If there are none, runs the
    /// first request. Returns the results in order, at least one if there is a request. An error
    /// ends the turn.
    pub(crate) async fn next(&mut self, requests: &[Request]) -> Vec<Result<ToolResult>> {
        match self.readers(requests).await {
            Ok(readers) if readers.len() > 1 => self.together(readers).await,
            Ok(_) => match requests.first() {
                Some(request) => vec![self.call(&request.name, &request.arguments).await],
                None => Vec::new(),
            },
            Err(error) => vec![Err(error)],
        }
    }

    /// The calls of the leading requests that only read.
    async fn readers(&self, requests: &[Request]) -> Result<Vec<Reader>> {
        let mut readers = Vec::new();
        if requests.len() > 1 {
            for request in requests.iter().take(MAX_PARALLEL) {
                let Some(reader) = self.reader(request).await? else { break };
                readers.push(reader);
            }
        }
        Ok(readers)
    }

    async fn reader(&self, request: &Request) -> Result<Option<Reader>> {
        let (name, arguments) = (&request.name, &request.arguments);
        let Ok(mut tool) = Registry::built_in().call(name, arguments) else { return Ok(None) };
        if too_long(&*tool).is_some() || tool.concurrent().is_none() {
            return Ok(None);
        }
        tool.adapt(self).await?;
        let Some(reading) = tool.concurrent() else { return Ok(None) };
        let Some(approval) = self.decide_reading(reading).await? else { return Ok(None) };
        Ok(Some(Reader { tool, given: parsed_arguments(arguments), approval }))
    }

    /// Shows the calls in order, then runs them at the same time.
    async fn together(&mut self, readers: Vec<Reader>) -> Vec<Result<ToolResult>> {
        let mut ready = Vec::new();
        for Reader { tool, given, approval } in readers {
            let input = given.unwrap_or_else(|| Raw::from(tool.input()));
            let call = self.new_call(&*tool, input.clone());
            match self.approved(&*tool, call, input, approval).await {
                Ok(approved) => ready.push((tool, approved)),
                Err(error) => return vec![Err(error)],
            }
        }
        let toolbox = &*self;
        let running = ready.into_iter().map(|(tool, approved)| -> Running<'_> {
            Box::pin(async move {
                match (approved, tool.concurrent()) {
                    (Ok(approved), Some(tool)) => tool.read(toolbox, approved).await,
                    (Ok(_), None) => Err(Error::failed("this call cannot run in parallel")),
                    (Err(result), _) => Ok(result.into()),
                }
            })
        });
        let read = all(running.collect()).await;
        read.into_iter().map(|read| contained(read.map(|read| self.take(read)))).collect()
    }
}

/// Turns a tool's own error into a failed result. Errors that end the turn pass through.
fn contained(result: Result<ToolResult>) -> Result<ToolResult> {
    match result {
        Err(error @ (Error::Failed { .. } | Error::Invalid(_))) => {
            Ok(ToolResult::failed(format!("the tool failed: {error}")))
        }
        result => result,
    }
}

/// A running call.
type Running<'r> = Pin<Box<dyn Future<Output = Result<Reading>> + Send + 'r>>;

/// Runs all calls to their ends on the current task. A call that panics fails, and the others
/// continue.
async fn all(mut running: Vec<Running<'_>>) -> Vec<Result<Reading>> {
    let mut ended: Vec<Option<Result<Reading>>> = running.iter().map(|_| None).collect();
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
    use super::{Reading, Running, ToolResult, all, contained};
    use crate::tools::Finding;

    fn done(text: &str) -> Reading {
        ToolResult::done(text, Finding::Nothing).into()
    }

    /// The second call waits for the third, so they run at the same time. The first panics, and the
    /// others keep their results.
    #[tokio::test]
    async fn parallel_calls_survive_the_panic_of_one() {
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
            .map(|reading| contained(reading.map(|reading| reading.result)));
        let results: Vec<_> = results
            .map(|result| result.map(|result| (result.failed, result.text)).unwrap())
            .collect();
        let expected = [(true, "the tool failed: it panicked"), (false, "two"), (false, "three")]
            .map(|(failed, text)| (failed, text.to_owned()));
        assert_eq!(results, expected);
    }
}
