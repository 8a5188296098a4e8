//! One call of a model, streamed to the person.

use crate::models::{
    AssistantMessage, AssistantPart, Brief, EventStream, Model, ModelError, ModelEvent, ModelId,
    ModelStop, TokenUsage, checked_input,
};
use crate::notices::tell;
use crate::session::memory::Memory;
use crate::session::options::SHOW_THOUGHTS;
use crate::session::system_prompt::system_prompt;
use crate::tools::Registry;
use crate::tools::fit::counted;
use crate::turn::left_out::report_left_out;
use attache_agent::{Error, Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity, SessionConfigOptionValue, Usage};
use std::time::Duration;

/// The answer of a model.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The message, with its tool calls.
    pub(crate) message: AssistantMessage,
    pub(crate) stop: ModelStop,
    pub(crate) usage: TokenUsage,
    /// The tokens of the earlier attempts that were interrupted.
    pub(crate) lost: Vec<TokenUsage>,
}

/// A failed call: the reason, and the text that arrived before the failure.
#[derive(Debug)]
pub(crate) struct FailedCall {
    pub(crate) why: FailureReason,
    pub(crate) said: Option<AssistantMessage>,
    /// Whether the person has been told that another answer will replace this text.
    pub(crate) replaced: bool,
    /// The tokens of each attempt.
    pub(crate) lost: Vec<TokenUsage>,
}

/// The reason for a missing answer.
#[derive(Debug)]
pub(crate) enum FailureReason {
    /// The turn was cancelled, or the client is gone.
    Turn(Error),
    /// The model failed.
    Model(ModelError),
}

impl From<Error> for FailureReason {
    fn from(error: Error) -> Self {
        Self::Turn(error)
    }
}

impl FailedCall {
    fn of_turn(error: Error) -> Self {
        Self { why: error.into(), said: None, replaced: false, lost: Vec::new() }
    }
}

impl Answer {
    fn empty() -> Self {
        Self {
            message: AssistantMessage { model: ModelId::new("", ""), parts: Vec::new() },
            stop: ModelStop::End,
            usage: TokenUsage::default(),
            lost: Vec::new(),
        }
    }

    /// Whether the message has neither text nor a tool call.
    pub(crate) fn is_silent(&self) -> bool {
        let spoken = |part: &AssistantPart| match part {
            AssistantPart::Text { text, .. } => !text.trim().is_empty(),
            AssistantPart::Thought { .. } => false,
            AssistantPart::Call { .. } => true,
        };
        !self.message.parts.iter().any(spoken)
    }
}

/// Calls the model once, and shows its output. If the turn is cancelled, the request is dropped at
/// once.
pub(crate) async fn answer(
    model: &dyn Model,
    memory: &mut Memory,
    turn: &Turn,
) -> std::result::Result<Answer, FailedCall> {
    let (input, left_out) = checked_input(model, &memory.conversation, brief(memory));
    if let Err(error) = report_left_out(memory, turn, model, left_out).await {
        return Err(FailedCall::of_turn(error));
    }
    let mut step = model.stream(input);
    let mut answer = Answer::empty();
    // Whether the person has seen text from the last attempt.
    let mut shown = false;
    match show(&mut *step, turn, &mut answer, &mut shown).await {
        Ok(()) => Ok(answer),
        Err(why) => {
            let unfinished = step.unreported_usage();
            count(turn, &unfinished);
            answer.lost.push(unfinished);
            Err(FailedCall { why, said: step.partial(), replaced: !shown, lost: answer.lost })
        }
    }
}

/// The system prompt and the tools for the next call of the model.
pub(crate) fn brief(memory: &Memory) -> Brief {
    let party = memory.conversation.kind();
    let instructions = memory.instructions.in_prompt.as_deref();
    let client = memory.client_instructions.as_ref();
    let token = &memory.conversation.token;
    let system = system_prompt(party, &memory.folders, token, client, instructions);
    let mut tools = Registry::with(&memory.mcp).specs(party);
    tools.iter_mut().for_each(|tool| token.clean_tool(tool));
    Brief { system, tools }
}

/// The room for the conversation in the model's window, in tokens.
pub(crate) fn room(model: &dyn Model, memory: &Memory) -> u64 {
    memory.conversation.room(model, &brief(memory))
}

async fn show(
    step: &mut dyn EventStream,
    turn: &Turn,
    answer: &mut Answer,
    shown: &mut bool,
) -> std::result::Result<(), FailureReason> {
    loop {
        let event = tokio::select! {
            biased;
            () = turn.cancelled() => return Err(FailureReason::Turn(Error::Cancelled)),
            event = step.next() => event,
        };
        match event.transpose().map_err(FailureReason::Model)? {
            None => return Ok(()),
            Some(ModelEvent::Text(text)) => {
                turn.say(&text).await?;
                *shown |= !text.trim().is_empty();
            }
            Some(ModelEvent::Thought(text)) if shows_thoughts(turn) => turn.think(&text).await?,
            Some(ModelEvent::Thought(_) | ModelEvent::CallBegan { .. }) => {}
            Some(ModelEvent::Waiting { why, wait, replaces, lost, .. }) => {
                count(turn, &lost);
                answer.lost.push(lost);
                if replaces && std::mem::take(shown) {
                    turn.say(REPLACED).await?;
                    turn.end_message().await?;
                }
                waits(turn, &why, wait).await?;
            }
            Some(ModelEvent::Done { message, stop, usage }) => {
                count(turn, &usage);
                (answer.message, answer.stop, answer.usage) = (message, stop, usage);
            }
        }
    }
}

fn shows_thoughts(turn: &Turn) -> bool {
    turn.option(SHOW_THOUGHTS) != Some(SessionConfigOptionValue::Boolean(false))
}

/// The note after an answer that was cut off. It is part of the transcript, because a notice is not
/// replayed (NOTE-03).
const REPLACED: &str = "\n\n(The answer above is incomplete. The request is repeated, and the next answer replaces it.)\n\n";

/// Tells the person why the answer is delayed.
pub(crate) async fn waits(turn: &Turn, why: &str, wait: Duration) -> Result<()> {
    let seconds = wait.as_secs() + u64::from(wait.subsec_millis() >= 500);
    let when =
        if seconds == 0 { "now".to_owned() } else { format!("in {}", counted(seconds, "second")) };
    tell(turn, Notice::new(NoticeSeverity::Warning, format!("{why}: retrying {when}"))).await
}

/// Adds the tokens of a call to those of the turn, if the provider reported them.
pub(crate) fn count(turn: &Turn, usage: &TokenUsage) {
    if !usage.is_known() {
        return;
    }
    let some = |tokens: u64| (tokens > 0).then_some(tokens);
    let mut spent = Usage::new(usage.total(), usage.input, usage.output);
    spent.thought_tokens = usage.thought;
    spent.cached_read_tokens = some(usage.cached_read);
    spent.cached_write_tokens = some(usage.cached_write);
    turn.add_usage(spent);
}
