//! The loop of a turn: the model answers, its tool calls run, and it continues with their results
//! until it is done.

pub(crate) mod answer;
mod attachments;
pub(crate) mod chosen_model;
pub(crate) mod ended;
pub(crate) mod fallback;
pub(crate) mod guard;
mod left_out;
mod servers;
mod stop_reason;
mod told_state;
mod unknown_window;
pub(crate) mod usage_report;

use crate::commands::{CommandOutcome, command};
use crate::context::{
    make_room, report_window, set_first_title, shorten, start_title_search, stop_title_search,
    tag_session,
};
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::message::Message;
use crate::conversation::prompt::{Prompt, kind};
use crate::models::{AssistantMessage, AssistantPart, Model, ModelError, ModelStop, Models, reply};
use crate::session::memory::Memory;
use crate::tools::fit::counted;
use crate::tools::parallel::Request;
use crate::tools::{Finding, Toolbox};
use crate::turn::answer::{Answer, FailedCall, FailureReason, answer, room};
use crate::turn::attachments::without_media;
use crate::turn::chosen_model::chosen;
use crate::turn::ended::Ended;
use crate::turn::guard::Guard;
use crate::turn::servers::{report_server_events, settle_servers};
use crate::turn::stop_reason::{refusal, stop_reason};
use crate::turn::told_state::tell_state;
use crate::turn::unknown_window::report_unknown_window;
use crate::turn::usage_report::{charge_failed_attempts, report_usage};
use attache_agent::{Error, Result, StopReason, Turn};
use std::future::Future;
use std::pin::Pin;

/// The maximum number of model calls in one turn.
const MAX_STEPS: usize = 50;

/// The maximum number of model calls in one task of a subagent.
const MAX_SUBAGENT_STEPS: usize = 30;

/// How many times in a row a model may send tool calls that its provider cannot parse.
const MAX_BROKEN_CALLS: usize = 3;

/// The work of a turn.
type TurnFuture<'w, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'w>>;

/// Answers one prompt. The future is boxed here, because otherwise the crate that serves the agent
/// would contain its code a second time.
#[inline(never)]
pub(crate) fn run<'w>(
    models: &'w Models,
    memory: &'w mut Memory,
    turn: &'w Turn,
) -> TurnFuture<'w, StopReason> {
    Box::pin(answer_prompt(models, memory, turn))
}

async fn answer_prompt(models: &Models, memory: &mut Memory, turn: &Turn) -> Result<StopReason> {
    let model = chosen(models, turn);
    stop_title_search(memory, turn).await?;
    let mut prompt = Prompt::of(turn.prompt(), memory.folders.cwd());
    memory.changes.begin(&prompt.text);
    match command(models, memory, turn, &*model).await? {
        CommandOutcome::Done => return Ok(StopReason::EndTurn),
        CommandOutcome::Asks(task) => prompt.with_paths = task,
        CommandOutcome::None => {}
    }
    if let Some(part) = prompt.media.iter().find(|part| !model.takes(part)) {
        let (title, what) = (model.title(), kind(part));
        return Err(Error::invalid(format!(
            "{title} does not accept {what}: leave it out, or choose another model"
        )));
    }
    set_first_title(memory, turn, &prompt).await?;
    tag_session(memory, turn).await?;
    let needed = prompt.tokens();
    let most = room(&*model, memory);
    if let Some(window) = model.window().filter(|_| needed > most) {
        turn.say(&format!(
            "This prompt is too long: it has about {}, and the model accepts {}. It was not sent.\n",
            counted(needed, "token"),
            counted(most, "token")
        ))
        .await?;
        turn.usage(memory.conversation.tokens(), window, memory.spending.cost()).await?;
        return Ok(StopReason::MaxTokens);
    }
    if let Some(news) = memory.shell.background.news() {
        memory.add_message(turn, Message::Note(news)).await?;
    }
    memory.add_message(turn, Message::User(prompt)).await?;
    settle_servers(memory, turn, &*model).await?;
    let reason = match run_loop(models, memory, turn).await? {
        Ended::Because(reason) => reason,
        Ended::Asked => StopReason::EndTurn,
    };
    if reason == StopReason::EndTurn {
        start_title_search(models, memory, turn);
    }
    Ok(reason)
}

/// Runs the model and its tools until it has answered the last prompt of the conversation, which is
/// a person's prompt or a subagent's task.
async fn run_loop(models: &Models, memory: &mut Memory, turn: &Turn) -> Result<Ended> {
    let mut model = chosen(models, turn);
    report_unknown_window(models, memory, turn, &*model).await?;
    let (mut broken, mut guard) = (0, Guard::default());
    let steps = match memory.conversation.kind() {
        ConversationKind::Agent => MAX_STEPS,
        ConversationKind::Subagent { .. } => MAX_SUBAGENT_STEPS,
    };
    for step in 0..steps {
        report_server_events(memory, turn).await?;
        tell_state(memory, turn, &*model).await?;
        make_room(memory, turn, &*model).await?;
        // Notes about the state may have been removed.
        tell_state(memory, turn, &*model).await?;
        let answer = match answer(&*model, memory, turn).await {
            Ok(answer) => answer,
            Err(unanswered) => match recover(models, memory, turn, &*model, unanswered).await? {
                Next::Answer(answer) => {
                    // The window may have been learned from the error.
                    model = chosen(models, turn);
                    *answer
                }
                Next::Another => {
                    model = chosen(models, turn);
                    report_window(memory, turn, &*model).await?;
                    report_unknown_window(models, memory, turn, &*model).await?;
                    continue;
                }
                Next::Stop(reason) => return Ok(Ended::Because(reason)),
            },
        };
        if answer.is_silent()
            && step == 0
            && matches!(answer.stop, ModelStop::End | ModelStop::Tools)
        {
            // Its thoughts cost as much as an answer.
            charge_failed_attempts(memory, turn, &*model, &answer.lost).await?;
            if answer.usage.is_known() {
                report_usage(memory, turn, &*model, &answer.usage).await?;
            }
            let title = model.title();
            return Err(Error::failed(format!(
                "{title} returned an empty response: retry, or choose another model"
            )));
        }
        charge_failed_attempts(memory, turn, &*model, &answer.lost).await?;
        let stop = answer.stop.clone();
        broken = if stop == ModelStop::BrokenCall { broken + 1 } else { 0 };
        let outcome = run_calls(models, memory, turn, &*model, answer, &mut guard).await?;
        match (stop, outcome) {
            (_, CallsOutcome::Ended(ended)) => return Ok(ended),
            (ModelStop::End | ModelStop::Tools | ModelStop::BrokenCall, CallsOutcome::Some) => {}
            (ModelStop::Paused, _) => {}
            (ModelStop::BrokenCall, CallsOutcome::Nothing) if broken < MAX_BROKEN_CALLS => {}
            (stop, _) => {
                if let Some(words) = refusal(&*model, &stop) {
                    turn.say(&words).await?;
                }
                return stop_reason(&*model, &stop).map(Ended::Because);
            }
        }
    }
    Ok(Ended::Because(StopReason::MaxTurnRequests))
}

/// Runs a subagent on its task, with a nested loop of the turn.
fn run_subagent<'w>(
    models: &'w Models,
    memory: &'w mut Memory,
    turn: &'w Turn,
) -> TurnFuture<'w, Ended> {
    Box::pin(run_loop(models, memory, turn))
}

/// What to do after a failed model call.
enum Next {
    Answer(Box<Answer>),
    /// The fallback model continues.
    Another,
    Stop(StopReason),
}

/// Handles a failed model call. Text that has arrived is kept in the conversation. If the provider
/// refused an image, audio or a document, the call is repeated without it. If the
/// conversation was too long for the model, it is shortened and the call is repeated once. If the
/// provider failed permanently, the fallback model continues.
async fn recover(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    unanswered: FailedCall,
) -> Result<Next> {
    let mut unanswered = unanswered;
    charge_failed_attempts(memory, turn, model, &unanswered.lost).await?;
    if let (FailureReason::Model(error), None) = (&unanswered.why, &unanswered.said)
        && error.may_be_about_media()
        && let Some(accepted) = without_media(memory, turn, model, error).await?
    {
        match accepted {
            Ok(answer) => return Ok(Next::Answer(Box::new(answer))),
            Err(cut) => {
                charge_failed_attempts(memory, turn, model, &cut.lost).await?;
                unanswered = cut;
            }
        }
    }
    if let (
        FailureReason::Model(error @ (ModelError::Overflow { .. } | ModelError::TooLarge { .. })),
        None,
    ) = (&unanswered.why, &unanswered.said)
    {
        learn_window(models, error);
        let model = chosen(models, turn);
        if shorten(memory, turn, &*model).await? {
            tell_state(memory, turn, &*model).await?;
            match answer(&*model, memory, turn).await {
                Ok(answer) => return Ok(Next::Answer(Box::new(answer))),
                Err(still) => {
                    charge_failed_attempts(memory, turn, &*model, &still.lost).await?;
                    unanswered = still;
                }
            }
        }
    }
    if let FailureReason::Model(error) = &unanswered.why
        && fallback::switch(models, turn, error).await?
    {
        // Another model cannot use thoughts without text, or text that its own answer will replace.
        let goes_on =
            |said: &AssistantMessage| !unanswered.replaced && !said.text().trim().is_empty();
        if let Some(said) = unanswered.said.filter(goes_on) {
            memory.add_message(turn, Message::Assistant(said)).await?;
            memory.add_message(turn, Message::Note(fallback::GO_ON.to_owned())).await?;
        }
        return Ok(Next::Another);
    }
    if let Some(said) = unanswered.said {
        memory.add_message(turn, Message::Assistant(said)).await?;
    }
    match unanswered.why {
        FailureReason::Turn(error) => Err(error),
        FailureReason::Model(error @ ModelError::Refused { .. }) => {
            turn.say(&format!("{error}.\n")).await?;
            Ok(Next::Stop(StopReason::Refusal))
        }
        FailureReason::Model(ModelError::Unusable { why }) => Err(Error::AuthRequired(why)),
        // The client offers the login, which names the keys.
        FailureReason::Model(error @ ModelError::Auth { .. }) => {
            Err(Error::AuthRequired(sentence(models, &error)))
        }
        FailureReason::Model(error) => {
            learn_window(models, &error);
            Err(Error::failed(sentence(models, &error)))
        }
    }
}

/// Keeps the limit that a provider stated when it refused the conversation as too long.
fn learn_window(models: &Models, error: &ModelError) {
    if let ModelError::Overflow { model, limit: Some(limit), .. } = error {
        models.learn_limit(model, *limit);
    }
}

/// The message for the person about a failure.
fn sentence(models: &Models, error: &ModelError) -> String {
    match error {
        ModelError::Overflow { model, said, .. } => {
            let said = if said.is_empty() { String::new() } else { format!(" (\"{said}\")") };
            format!(
                "the conversation is too long for {model}{said}, and no more of it can be removed: start a new session, or choose another model"
            )
        }
        ModelError::UnknownModel { model, .. } => match models.replacement(model) {
            Some(other) => format!("{error}; use {other} instead"),
            None => error.to_string(),
        },
        error => error.to_string(),
    }
}

/// The outcome of the tool calls of a message.
enum CallsOutcome {
    /// The model did not call any tools.
    Nothing,
    /// The tools ran, and the model continues with their results.
    Some,
    /// A tool call ended the turn.
    Ended(Ended),
}

/// Stores the model's message, reports its cost, and runs its tool calls. Calls that only read run
/// at the same time, all others in order. The results are stored in the order of the calls.
async fn run_calls(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    answer: Answer,
    guard: &mut Guard,
) -> Result<CallsOutcome> {
    let Answer { message, usage, stop, .. } = answer;
    models.learn_size(&message.model, usage.total());
    // The calls in a message that was cut off do not run, because the model would not get their
    // results.
    let is_stopped = matches!(
        stop,
        ModelStop::MaxTokens | ModelStop::Window | ModelStop::Refusal(_) | ModelStop::Other(_)
    );
    let calls = if is_stopped { Vec::new() } else { calls(&message) };
    if !message.parts.is_empty() {
        memory.add_message(turn, Message::Assistant(message)).await?;
    }
    report_usage(memory, turn, model, &usage).await?;
    use_tools(models, memory, turn, model, &calls, guard).await
}

/// Runs these tools, and stores the results in the order of the calls.
async fn use_tools(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    calls: &[Request],
    guard: &mut Guard,
) -> Result<CallsOutcome> {
    let mut outcome = if calls.is_empty() { CallsOutcome::Nothing } else { CallsOutcome::Some };
    let mut left = calls;
    while !left.is_empty() {
        let results = Toolbox { turn, models, memory, subagent: run_subagent }.next(left).await;
        let (now, later) = left.split_at(results.len().clamp(1, left.len()));
        left = later;
        let (mut stuck, mut error) = (None, None);
        for (Request { id, name, arguments }, result) in now.iter().zip(results) {
            let mut result = match result {
                Ok(result) => result,
                // The results of the other calls are stored before the error ends the turn.
                Err(why) => {
                    error = error.or(Some(why));
                    continue;
                }
            };
            guard.record(name, arguments, &mut result);
            stuck = stuck.or(guard.stuck());
            if result.finding == Finding::Asked {
                outcome = CallsOutcome::Ended(Ended::Asked);
            }
            let answer = reply(model.reads_data(), id.clone(), name.clone(), result);
            memory.add_message(turn, Message::ToolReply(answer)).await?;
        }
        if let Some(error) = error {
            return Err(error);
        }
        if let Some(words) = stuck {
            turn.say(&words).await?;
            return Ok(CallsOutcome::Ended(Ended::Because(StopReason::MaxTurnRequests)));
        }
    }
    Ok(outcome)
}

/// The tool calls in the message.
fn calls(message: &AssistantMessage) -> Vec<Request> {
    let call = |part: &AssistantPart| match part {
        AssistantPart::Call { id, name, arguments, .. } => {
            Some(Request { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
        }
        AssistantPart::Text { .. } | AssistantPart::Thought { .. } => None,
    };
    message.parts.iter().filter_map(call).collect()
}
