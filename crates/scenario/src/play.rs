//! The raw peer.

use crate::{Bindings, Scenario, Step};
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

/// The time limit for a line. It only ends plays that would otherwise wait forever.
const PATIENCE: Duration = Duration::from_secs(20);

/// The failure of a play.
#[derive(Debug)]
pub struct Failure {
    /// The heading of the scenario.
    pub title: String,
    /// The line of the file.
    pub line: usize,
    /// What happened instead of the expected step.
    pub why: String,
    /// Every line so far, in order, `->` and `<-`.
    pub traffic: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" fails at line {}: {}\ntraffic:", self.title, self.line, self.why)?;
        self.traffic.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl std::error::Error for Failure {}

/// Plays a scenario over `input` and `output` of the side under test. Returns all lines in both
/// directions.
pub async fn play(
    scenario: &Scenario,
    bindings: Bindings,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> Result<Vec<String>, Failure> {
    let mut raw = Raw {
        input: BufReader::new(input),
        output: Some(output),
        bindings,
        forbidden: Vec::new(),
        traffic: Vec::new(),
    };
    for (line, step) in &scenario.steps {
        if let Err(why) = raw.step(step).await {
            return Err(Failure {
                title: scenario.title.clone(),
                line: *line,
                why,
                traffic: raw.traffic,
            });
        }
    }
    Ok(raw.traffic)
}

/// Returns whether both are replies to the same call.
fn answers(pattern: &Value, value: &Value, bindings: &Bindings) -> bool {
    let is_answer = |value: &Value| value.get("method").is_none();
    let ids = pattern.get("id").zip(value.get("id"));
    let same = ids.is_some_and(|(pattern, value)| bindings.clone().matches(pattern, value).is_ok());
    same && is_answer(pattern) && is_answer(value)
}

struct Raw<I, O> {
    input: BufReader<I>,
    output: Option<O>,
    bindings: Bindings,
    /// Patterns that no later line may match.
    forbidden: Vec<Value>,
    traffic: Vec<String>,
}

impl<I: AsyncRead + Unpin, O: AsyncWrite + Unpin> Raw<I, O> {
    async fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Send(lines) => self.send(lines).await,
            Step::Expect(pattern) => {
                let (line, value) = self.line().await?;
                self.bindings.matches(pattern, &value).map_err(|why| format!("{why}, in {line}"))
            }
            Step::Await(pattern) => self.gather(std::slice::from_ref(pattern)).await,
            Step::Gather(patterns) => self.gather(patterns).await,
            Step::Forbid(pattern) => {
                self.forbidden.push(pattern.clone());
                Ok(())
            }
            Step::Close => {
                self.traffic.push("->|".to_owned());
                match self.output.take() {
                    Some(mut output) => output.shutdown().await.map_err(|error| error.to_string()),
                    None => Ok(()),
                }
            }
            Step::Ends => {
                while self.next().await?.is_some() {}
                Ok(())
            }
            Step::Closed => match self.read().await? {
                None => Ok(()),
                Some(line) => Err(format!("it sent another line: {line}")),
            },
        }
    }

    /// Reads until every pattern has matched a different line.
    async fn gather(&mut self, patterns: &[Value]) -> Result<(), String> {
        let mut missing: Vec<&Value> = patterns.iter().collect();
        while let Some(first) = missing.first() {
            let (_, value) =
                self.line().await.map_err(|why| format!("{why} while waiting for {first}"))?;
            let bindings = &mut self.bindings;
            if let Some(found) =
                missing.iter().position(|pattern| bindings.matches(pattern, &value).is_ok())
            {
                missing.remove(found);
            } else if let Some(pattern) =
                missing.iter().find(|pattern| answers(pattern, &value, bindings))
            {
                // The call has a different reply than expected, and no second reply will come.
                bindings.matches(pattern, &value).map_err(|why| format!("{why}, in {value}"))?;
            }
        }
        Ok(())
    }

    async fn send(&mut self, lines: &[String]) -> Result<(), String> {
        let mut bytes = String::new();
        for line in lines {
            let line = self.bindings.fill(line)?;
            bytes.push_str(&line);
            bytes.push('\n');
            self.traffic.push(format!("-> {line}"));
        }
        let Some(output) = &mut self.output else { return Err("this end is closed".to_owned()) };
        let write = async {
            output.write_all(bytes.as_bytes()).await?;
            output.flush().await
        };
        write.await.map_err(|error| format!("cannot write: {error}"))
    }

    async fn line(&mut self) -> Result<(String, Value), String> {
        self.next().await?.ok_or_else(|| "it closed its end".to_owned())
    }

    /// Returns the next line, which must be a JSON object (RPC-01, RPC-03), or the end.
    async fn next(&mut self) -> Result<Option<(String, Value)>, String> {
        let Some(line) = self.read().await? else { return Ok(None) };
        match serde_json::from_str(&line) {
            Ok(value @ Value::Object(_)) => match self.forbidding(&value) {
                Some(pattern) => Err(format!("{line} must not come: it matches {pattern}")),
                None => Ok(Some((line, value))),
            },
            Ok(_) => Err(format!("not a JSON object: {line}")),
            Err(error) => Err(format!("not JSON ({error}): {line}")),
        }
    }

    fn forbidding(&self, value: &Value) -> Option<&Value> {
        self.forbidden.iter().find(|pattern| self.bindings.clone().matches(pattern, value).is_ok())
    }

    async fn read(&mut self) -> Result<Option<String>, String> {
        let mut line = String::new();
        match tokio::time::timeout(PATIENCE, self.input.read_line(&mut line)).await {
            Err(_) => Err(format!("no line in {} s", PATIENCE.as_secs())),
            Ok(Err(error)) => Err(format!("cannot read: {error}")),
            Ok(Ok(0)) => Ok(None),
            Ok(Ok(_)) => {
                let line = line.trim_end_matches(['\n', '\r']).to_owned();
                self.traffic.push(format!("<- {line}"));
                Ok(Some(line))
            }
        }
    }
}
