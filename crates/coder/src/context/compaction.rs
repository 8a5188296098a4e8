//! Replaces the older part of a conversation with a summary.

use super::cut::Cut;
use super::fill::report_fill;
use super::summary;
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::message::Message;
use crate::conversation::summary::{Compacted, Summary};
use crate::conversation::{Conversation, Forgotten};
use crate::models::{Brief, Model, ModelEvent, ModelStop, TokenUsage, input};
use crate::notices::{takes_notices, tell};
use crate::session::memory::{Memory, Record};
use crate::tools::fit::counted;
use crate::turn::answer::{brief, count, waits};
use crate::turn::usage_report::charge_failed_attempts;
use attache_agent::{CompactionHandle, Error, Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity};

/// When the window is full, the maximum share of it that the kept turns may fill, in percent.
const KEPT_PERCENT: u64 = 25;

/// When a person asks for a summary, the maximum share of the window that the kept turns may fill,
/// in percent.
const KEPT_PERCENT_ON_REQUEST: u64 = 10;

/// The maximum share of the window that a summary request may fill, in percent. A provider may
/// count one and a half times as many tokens as the estimate.
const REQUEST: u64 = 50;

/// How many tokens a summary must save for the saving to be reported.
const MIN_SAVED: u64 = 200;

/// What percentage of the conversation's tokens a summary must save for the saving to be reported.
/// This limit and [`MIN_SAVED`] must both be reached.
const MIN_SAVED_PERCENT: u64 = 5;

/// The result of a compaction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// The conversation is shorter. The numbers are its estimated tokens before and after.
    Done { before: u64, after: u64 },
    /// Nothing can be summarized.
    Nothing,
    /// No summary was written, for this reason. The conversation is unchanged.
    Failed(String),
}

/// The reason for a compaction.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CompactionReason<'w> {
    /// The window is full.
    Room,
    /// A person asked for it, and may have said what to keep.
    ByPerson(Option<&'w str>),
}

/// Makes the conversation fit the model. If the window is nearly full, a summary replaces the older
/// part. If that does not help, the oldest part is removed, and a notice says so.
///
/// Nothing is removed because of an assumption: if the window is unknown, the provider refuses what
/// is too long, and states its limit. Only a server that silently cuts gets no more than is
/// assumed.
pub(crate) async fn make_room(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<()> {
    if model.window().is_none() && !model.is_cut_silently() {
        return Ok(());
    }
    let brief = brief(memory);
    if memory.conversation.is_full(model, &brief) {
        summarize_for_room(memory, turn, model).await?;
    }
    let room = memory.conversation.room(model, &brief);
    forget(memory, turn, model, room).await?;
    Ok(())
}

/// Shortens the conversation after the provider has rejected it as too long. Returns whether it is
/// now shorter.
pub(crate) async fn shorten(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<bool> {
    if summarize_for_room(memory, turn, model).await? {
        return Ok(true);
    }
    let half = memory.conversation.tokens() / 2;
    forget(memory, turn, model, half).await
}

/// Summarizes the older part because the window is full. Returns whether there is room now. If the
/// client does not show compactions, a notice says so.
async fn summarize_for_room(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<bool> {
    let (done, title) = match compact(memory, turn, model, CompactionReason::Room).await? {
        Compaction::Nothing => return Ok(false),
        Compaction::Done { before, after } => {
            if shows_compactions(turn) {
                return Ok(true);
            }
            let after = counted(after, "token");
            (
                true,
                format!(
                    "The conversation filled the context window: a summary replaces its older part (about {after} instead of {before})"
                ),
            )
        }
        // The client shows the failure with the compaction, but the removal that follows is always
        // reported.
        Compaction::Failed(_) if shows_compactions(turn) => return Ok(false),
        Compaction::Failed(why) => {
            (false, format!("The older part of the conversation could not be summarized: {why}"))
        }
    };
    let severity = if done { NoticeSeverity::Info } else { NoticeSeverity::Warning };
    tell(turn, Notice::new(severity, title)).await?;
    Ok(done)
}

/// Whether the saving from `before` to `after` tokens is worth a message.
fn is_worthwhile(before: u64, after: u64) -> bool {
    before.saturating_sub(after) >= MIN_SAVED.max(before * MIN_SAVED_PERCENT / 100)
}

/// Tells a person who asked for a summary about the result, if the client does not show
/// compactions. Returns whether the person was told; if not, the reply must contain the result.
pub(crate) async fn report_saving(turn: &Turn, words: &str) -> Result<bool> {
    if shows_compactions(turn) {
        return Ok(true);
    }
    if takes_notices(turn) {
        turn.notice(Notice::new(NoticeSeverity::Info, words)).await?;
        return Ok(true);
    }
    Ok(false)
}

/// Describes the saving, with numbers if it is large enough.
pub(crate) fn saving(before: u64, after: u64) -> String {
    let numbers = match is_worthwhile(before, after) {
        true => format!(": about {} instead of {before}", counted(after, "token")),
        false => String::new(),
    };
    format!("A summary replaces the older part of the conversation{numbers}")
}

fn shows_compactions(turn: &Turn) -> bool {
    turn.client().session.as_ref().is_some_and(|session| session.compaction.is_some())
}

/// Replaces the older part of the conversation with a summary, in memory and in the store, and
/// shows it as a compaction (COMP-03), never as part of the conversation. The turn can be cancelled
/// while a model writes the summary, and then the conversation is unchanged.
pub(crate) async fn compact(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    wanted: CompactionReason<'_>,
) -> Result<Compaction> {
    let size = model.size();
    let (cut, wish) = match wanted {
        CompactionReason::Room => (memory.conversation.cut(size * KEPT_PERCENT / 100), None),
        CompactionReason::ByPerson(wish) => {
            (memory.conversation.cut_on_request(size * KEPT_PERCENT_ON_REQUEST / 100), wish)
        }
    };
    let Some(Cut { at, within_turn }) = cut else { return Ok(Compaction::Nothing) };
    let older: Vec<Message> = memory.conversation.messages().iter().take(at).cloned().collect();
    let before = memory.conversation.tokens();
    let by_itself = matches!(wanted, CompactionReason::Room);
    // Even an empty summary would not make enough room.
    if by_itself && !is_worthwhile(before, before - older.iter().map(Message::tokens).sum::<u64>())
    {
        return Ok(Compaction::Nothing);
    }
    let mut handle = turn.compaction().await?;
    let summary = match written(memory, turn, model, &older, wish).await? {
        Ok(summary) => summary,
        Err(why) => {
            handle.fail(&why).await?;
            return Ok(Compaction::Failed(why));
        }
    };
    let kept = memory.conversation.messages().len() - at;
    let compacted = Compacted { summary, kept, with_prompt: within_turn };
    if by_itself && !is_worthwhile(before, memory.conversation.tokens_with(&compacted)) {
        let why = "the summary is not much shorter than the text that it replaces";
        handle.fail(why).await?;
        return Ok(Compaction::Failed(why.to_owned()));
    }
    show(&mut handle, &compacted.summary.markdown()).await?;
    if memory.conversation.kind() == ConversationKind::Agent {
        turn.remember(&Record::Compacted(Box::new(compacted.clone()))).await?;
    }
    memory.conversation.compact(compacted);
    handle.complete().await?;
    let after = memory.conversation.tokens();
    let used = memory.conversation.fill(model, &brief(memory));
    report_fill(memory, turn, model, used).await?;
    Ok(Compaction::Done { before, after })
}

/// The size of the pieces in which a summary is sent, in bytes. Small pieces keep the lines of the
/// protocol short.
const PIECE_SIZE: usize = 16 * 1024;

async fn show(handle: &mut CompactionHandle, markdown: &str) -> Result<()> {
    let mut rest = markdown;
    while let Some((piece, more)) =
        rest.split_at_checked(rest.floor_char_boundary(PIECE_SIZE)).filter(|_| !rest.is_empty())
    {
        handle.summary(piece).await?;
        rest = more;
    }
    Ok(())
}

/// Summarizes these messages with the model, or without it if the model does not return any text.
/// The inner error is the reason for a failure.
async fn written(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    older: &[Message],
    wish: Option<&str>,
) -> Result<std::result::Result<Summary, String>> {
    // The limit assumes that a token is at least two bytes of text.
    let limit = usize::try_from(model.size() * REQUEST / 100 * 3).unwrap_or(usize::MAX);
    if !model.writes() {
        return Ok(Ok(Summary::listed(older, wish)));
    }
    let conversation = Conversation::of(&summary::request(older, wish, limit));
    let mut step = model.stream(input(model, &conversation, Brief::to_write(summary::SYSTEM)));
    let mut words = String::new();
    loop {
        let event = tokio::select! {
            biased;
            () = turn.cancelled() => {
                charge_lost(memory, turn, model, step.unreported_usage()).await?;
                return Err(Error::Cancelled);
            }
            event = step.next() => event,
        };
        match event {
            Some(Ok(ModelEvent::Text(text))) => words.push_str(&text),
            Some(Ok(ModelEvent::Waiting { why, wait, lost, .. })) => {
                words.clear();
                count(turn, &lost);
                if lost.total() > 0 {
                    memory.charge(turn, model, &lost).await?;
                }
                waits(turn, &why, wait).await?;
            }
            Some(Ok(ModelEvent::Thought(_) | ModelEvent::CallBegan { .. })) => {}
            Some(Ok(ModelEvent::Done { stop, usage, .. })) => {
                count(turn, &usage);
                memory.charge(turn, model, &usage).await?;
                let whole = matches!(stop, ModelStop::End | ModelStop::MaxTokens)
                    && !words.trim().is_empty();
                return Ok(match whole {
                    true => Ok(Summary::of(&words, older)),
                    false => Err(format!("{} wrote no summary", model.title())),
                });
            }
            Some(Err(error)) => {
                charge_lost(memory, turn, model, step.unreported_usage()).await?;
                return Ok(Err(error.to_string()));
            }
            None => return Ok(Err(format!("{} wrote no summary", model.title()))),
        }
    }
}

/// Counts the tokens of a call that did not end, because the provider bills them too.
async fn charge_lost(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    lost: TokenUsage,
) -> Result<()> {
    count(turn, &lost);
    charge_failed_attempts(memory, turn, model, &[lost]).await
}

/// Removes the oldest parts until the conversation fits into `room` tokens, and tells the person.
/// Returns whether anything was removed.
async fn forget(memory: &mut Memory, turn: &Turn, model: &dyn Model, room: u64) -> Result<bool> {
    let forgotten = memory.conversation.fit(room);
    if forgotten == Forgotten::default() {
        return Ok(false);
    }
    tell(turn, Notice::new(NoticeSeverity::Warning, words(forgotten, model))).await?;
    Ok(true)
}

fn words(forgotten: Forgotten, model: &dyn Model) -> String {
    let what = match forgotten {
        Forgotten { turns: 0, results } => {
            format!("{} of this turn", counted(results as u64, "tool result"))
        }
        Forgotten { turns, results: 0 } => counted(turns as u64, "turn"),
        Forgotten { turns, results } => {
            format!(
                "{} and {} of this turn",
                counted(turns as u64, "turn"),
                counted(results as u64, "tool result")
            )
        }
    };
    let were = if forgotten.turns + forgotten.results == 1 { "was" } else { "were" };
    let window = match model.window() {
        Some(window) => format!("the context window of {}", counted(window, "token")),
        None if model.is_cut_silently() => {
            format!("the assumed context window of {}", counted(model.size(), "token"))
        }
        // The provider has refused the conversation, without its limit.
        None => "the model's context window".to_owned(),
    };
    format!("The conversation exceeded {window}: the oldest {what} {were} removed")
}
