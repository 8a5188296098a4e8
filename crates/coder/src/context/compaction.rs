//! Replaces the older part of a conversation by a summary.

use super::cut::Cut;
use super::fill::tell_fill;
use super::summary;
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::message::Message;
use crate::conversation::summary::{Compacted, Summary};
use crate::conversation::{Conversation, Forgotten};
use crate::models::{Brief, Model, ModelEvent, ModelStop, input};
use crate::session::memory::{Memory, Record};
use crate::tools::fit::counted;
use crate::turn::answer::{brief, spent, takes_notices, tell, waits};
use attache_agent::{CompactionHandle, Error, Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity};

/// How much of the window the turns may take that stay, in percent, when it is full, and when a
/// person wants a summary.
const STAYS: u64 = 25;
const STAYS_ON_REQUEST: u64 = 10;

/// How much of the window a request for a summary may take, in percent. A provider may count half
/// as many tokens again as we do.
const REQUEST: u64 = 50;

/// The least that a summary has to save, in tokens and in percent of the conversation: less is not
/// worth a word.
const SAVED: u64 = 200;
const SAVED_PERCENT: u64 = 5;

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// The conversation is shorter: so many tokens before, and after, as they are estimated.
    Done { before: u64, after: u64 },
    /// There is nothing that could give way.
    Nothing,
    /// No summary could be written, for this reason; the conversation is as it was.
    Failed(String),
}

/// What a person or the window wants.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'w> {
    /// The window is full.
    Room,
    /// A person wants it, and perhaps says what must be kept.
    ByPerson(Option<&'w str>),
}

/// Sees to it that the model can be given the conversation: where its window is nearly full the
/// older part gives way to a summary; where that does not help the oldest is forgotten, and the
/// person is told.
pub(crate) async fn make_room(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<()> {
    let brief = brief(memory, turn);
    if memory.conversation.is_full(model, &brief) {
        full(memory, turn, model).await?;
    }
    let room = memory.conversation.room(model, &brief);
    forget(memory, turn, model, room).await?;
    Ok(())
}

/// The provider says that the conversation is too long: makes it shorter, and says whether it is.
pub(crate) async fn overflowed(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<bool> {
    if full(memory, turn, model).await? {
        return Ok(true);
    }
    let half = memory.conversation.tokens() / 2;
    forget(memory, turn, model, half).await
}

/// A summary because there is no room. Whether there is one now; the person is told where the
/// client shows no compactions.
async fn full(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<bool> {
    let (done, title) = match compact(memory, turn, model, Wanted::Room).await? {
        Compaction::Nothing => return Ok(false),
        Compaction::Done { before, after } => {
            if shows_compactions(turn) {
                return Ok(true);
            }
            let after = counted(after, "token");
            (
                true,
                format!(
                    "The conversation filled the window: its older part is a summary now, {after} instead of {before}"
                ),
            )
        }
        // The client shows it with the compaction; what follows from it, the forgetting, is said in
        // any case.
        Compaction::Failed(_) if shows_compactions(turn) => return Ok(false),
        Compaction::Failed(why) => (
            false,
            format!("The older part of the conversation should be a summary now, but {why}"),
        ),
    };
    let severity = if done { NoticeSeverity::Info } else { NoticeSeverity::Warning };
    tell(turn, Notice::new(severity, title)).await?;
    Ok(done)
}

/// Whether a conversation of `before` tokens that has `after` now is so much shorter that it
/// matters.
fn is_worth(before: u64, after: u64) -> bool {
    before.saturating_sub(after) >= SAVED.max(before * SAVED_PERCENT / 100)
}

/// Tells a person who asked for a summary what became of the conversation, where the client does
/// not show it as a compaction. Whether it was told; else it is for the reply.
pub(crate) async fn told_saving(turn: &Turn, words: &str) -> Result<bool> {
    if shows_compactions(turn) {
        return Ok(true);
    }
    if takes_notices(turn) {
        turn.notice(Notice::new(NoticeSeverity::Info, words)).await?;
        return Ok(true);
    }
    Ok(false)
}

/// The saving in words, with numbers where they matter.
pub(crate) fn saving(before: u64, after: u64) -> String {
    let numbers = match is_worth(before, after) {
        true => format!(": about {} instead of {before}", counted(after, "token")),
        false => String::new(),
    };
    format!("The older part of the conversation is a summary now{numbers}")
}

fn shows_compactions(turn: &Turn) -> bool {
    turn.client().session.as_ref().is_some_and(|session| session.compaction.is_some())
}

/// Puts a summary in the place of the older part of the conversation, here and in the store, and
/// shows it as a compaction (COMP-03): never as something said. While a model writes it the turn
/// can be cancelled like at any time, and the conversation stays as it was.
pub(crate) async fn compact(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    wanted: Wanted<'_>,
) -> Result<Compaction> {
    let size = model.size();
    let (cut, wish) = match wanted {
        Wanted::Room => (memory.conversation.cut(size * STAYS / 100), None),
        Wanted::ByPerson(wish) => {
            (memory.conversation.cut_on_request(size * STAYS_ON_REQUEST / 100), wish)
        }
    };
    let Some(Cut { at, within_turn }) = cut else { return Ok(Compaction::Nothing) };
    let older: Vec<Message> = memory.conversation.messages().iter().take(at).cloned().collect();
    let before = memory.conversation.tokens();
    let by_itself = matches!(wanted, Wanted::Room);
    // Not even an empty summary would make room.
    if by_itself && !is_worth(before, before - older.iter().map(Message::tokens).sum::<u64>()) {
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
    if by_itself && !is_worth(before, memory.conversation.tokens_with(&compacted)) {
        let why = "the summary is hardly shorter than what it would replace";
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
    let used = memory.conversation.fill(model, &brief(memory, turn));
    tell_fill(memory, turn, model, used).await?;
    Ok(Compaction::Done { before, after })
}

/// The pieces in which a summary is shown, in bytes: no line gets long.
const PIECE: usize = 16 * 1024;

async fn show(handle: &mut CompactionHandle, markdown: &str) -> Result<()> {
    let mut rest = markdown;
    while let Some((piece, more)) =
        rest.split_at_checked(rest.floor_char_boundary(PIECE)).filter(|_| !rest.is_empty())
    {
        handle.summary(piece).await?;
        rest = more;
    }
    Ok(())
}

/// The summary of these messages, in the words of the model if it has any, else without; or why
/// there is none.
async fn written(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    older: &[Message],
    wish: Option<&str>,
) -> Result<std::result::Result<Summary, String>> {
    // A token is at least two bytes of what models read.
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
            () = turn.cancelled() => return Err(Error::Cancelled),
            event = step.next() => event,
        };
        match event {
            Some(Ok(ModelEvent::Text(text))) => words.push_str(&text),
            Some(Ok(ModelEvent::Waiting { why, wait, lost, .. })) => {
                words.clear();
                turn.add_usage(spent(&lost));
                if lost.total() > 0 {
                    memory.charge(turn, model, &lost).await?;
                }
                waits(turn, &why, wait).await?;
            }
            Some(Ok(ModelEvent::Thought(_) | ModelEvent::CallBegan { .. })) => {}
            Some(Ok(ModelEvent::Done { stop, usage, .. })) => {
                turn.add_usage(spent(&usage));
                memory.charge(turn, model, &usage).await?;
                let whole = matches!(stop, ModelStop::End | ModelStop::MaxTokens)
                    && !words.trim().is_empty();
                return Ok(match whole {
                    true => Ok(Summary::of(&words, older)),
                    false => Err(format!("{} wrote no summary", model.title())),
                });
            }
            Some(Err(error)) => return Ok(Err(error.to_string())),
            None => return Ok(Err(format!("{} wrote no summary", model.title()))),
        }
    }
}

/// Makes the conversation fit into `room`, and says what was forgotten. Whether anything was.
async fn forget(memory: &mut Memory, turn: &Turn, model: &dyn Model, room: u64) -> Result<bool> {
    let forgotten = memory.conversation.fit(room);
    if forgotten == Forgotten::default() {
        return Ok(false);
    }
    tell(turn, Notice::new(NoticeSeverity::Warning, words(forgotten, model.window()))).await?;
    Ok(true)
}

fn words(forgotten: Forgotten, window: Option<u64>) -> String {
    let what = match forgotten {
        Forgotten { turns: 0, results } => {
            format!("{} of this turn", counted(results as u64, "tool result"))
        }
        Forgotten { turns, results: 0 } => counted(turns as u64, "turn"),
        Forgotten { turns, results } => {
            format!(
                "{} and {} of this one",
                counted(turns as u64, "turn"),
                counted(results as u64, "tool result")
            )
        }
    };
    let window = window.map_or_else(
        || "the model's window".to_owned(),
        |window| format!("the window of {}", counted(window, "token")),
    );
    format!("The conversation passed {window}: I forgot the oldest {what}")
}
