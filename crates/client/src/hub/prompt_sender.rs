//! Sends the prompts of one session, one after the other, over the current connection.

use super::agent_entry::{Phase, Up};
#[cfg(feature = "checkpoints")]
use super::checkpoints::{RequestedUndo, taking};
use super::reopening::{attach_stored, reopen};
use super::session_entry::SessionEntry;
use super::{first_title, housekeeping};
use crate::observe::queued_prompt::{HoldReason, QueuedPrompt};
use crate::race::{Raced, race};
use crate::session::outcome::{Outcome, TurnError};
use crate::session::prompt::{Prompt, PromptError};
use crate::session::prompting::begin_turn;
use crate::session::turn::Turn;
use crate::session::turn_tracker::TurnTracker;
use attache_protocol::v1::{ContentBlock, NoticeSeverity, StopReason};
use std::sync::Arc;

/// Runs the session until it is closed.
pub(crate) async fn run_session(entry: Arc<SessionEntry>) {
    let life = async {
        let mut phases = entry.agent.phase.subscribe();
        while !entry.state().closed {
            let phase = phases.borrow_and_update().clone();
            let Phase::Up(up) = phase else {
                match race(phases.changed(), closed(&entry)).await {
                    Raced::First(Ok(())) => continue,
                    Raced::First(Err(_)) | Raced::Second(()) => return,
                }
            };
            let read_only = entry.state().read_only.as_ref().map(|(generation, _)| *generation);
            let goes_on = entry.is_attached_to(&up)
                || (read_only != Some(up.generation) && open_again(&entry, &up).await);
            if goes_on {
                work(&entry, &up).await;
            }
            // An agent that cannot continue the session may be able to after a restart.
            let over = async {
                up.connection.ended().await;
                let is_over = |phase: &Phase| match phase {
                    Phase::Up(now) => now.generation != up.generation,
                    _ => true,
                };
                drop(phases.wait_for(is_over).await);
            };
            if let Raced::Second(()) = race(over, closed(&entry)).await {
                return;
            }
        }
    };
    // Housekeeping never ends by itself.
    race(life, housekeeping::run(&entry)).await;
}

/// Opens the session at an agent that does not have it open. Returns whether the session continues.
async fn open_again(entry: &Arc<SessionEntry>, up: &Up) -> bool {
    let first = entry.state().first_attach;
    match first {
        None => reopen(entry, up).await,
        Some(prefer) => match race(attach_stored(entry, up, prefer), closed(entry)).await {
            Raced::First(is_open) => is_open,
            Raced::Second(()) => false,
        },
    }
}

/// Waits until the session is closed.
async fn closed(entry: &SessionEntry) {
    while !entry.state().closed {
        entry.work.notified().await;
    }
}

/// Sends prompts until the session is closed or the agent ends.
async fn work(entry: &Arc<SessionEntry>, up: &Up) {
    while let Raced::First(Some((queued, tracker))) =
        race(entry.next_prompt(), up.connection.ended()).await
    {
        let Some(handle) = entry.handle() else {
            put_back(entry, queued, tracker);
            return;
        };
        #[cfg(feature = "checkpoints")]
        {
            taking::before_prompt(entry, &queued.prompt).await;
            entry.checkpoints.prompt_is_sent();
            entry.state().undo = RequestedUndo::of(&queued.prompt);
        }
        let note = note_for(entry, &queued.prompt);
        let prompt = with_note(&note, queued.prompt.clone());
        let began = || first_title::give(entry);
        match begin_turn(&handle.live, &handle.shared, prompt, &tracker, began).await {
            Ok(turn) => {
                #[cfg(feature = "checkpoints")]
                entry.checkpoints.turn_began();
                note_is_sent(entry, &note);
                await_turn(entry, turn).await;
                #[cfg(feature = "checkpoints")]
                {
                    entry.state().undo = None;
                    taking::turn_ended(entry);
                }
            }
            Err(error) => {
                not_sent(entry, queued, tracker, &error);
                if matches!(error, PromptError::Disconnected(_)) {
                    return;
                }
            }
        }
    }
}

/// Returns the text with which a prompt begins. It is empty for a command: an agent would not
/// recognize a command with a text before it.
fn note_for(entry: &SessionEntry, prompt: &Prompt) -> String {
    let text = prompt.0.first().and_then(ContentBlock::as_text).unwrap_or_default();
    match text.trim_start().starts_with('/') {
        true => String::new(),
        false => entry.state().note.clone(),
    }
}

/// Returns the prompt with a text before it.
fn with_note(note: &str, prompt: Prompt) -> Prompt {
    match note {
        "" => prompt,
        note => Prompt(std::iter::once(ContentBlock::text(note)).chain(prompt.0).collect()),
    }
}

/// Removes the text that was sent. What was added to it meanwhile stays for the next prompt.
fn note_is_sent(entry: &SessionEntry, note: &str) {
    let mut state = entry.state();
    if !note.is_empty()
        && let Some(rest) = state.note.strip_prefix(note)
    {
        state.note = rest.trim_start().to_owned();
        state.unsaved.note = true;
    }
}

fn put_back(entry: &SessionEntry, queued: QueuedPrompt, tracker: Arc<TurnTracker>) {
    let mut state = entry.state();
    state.turn = None;
    state.sending = None;
    state.queue.put_back(queued, tracker);
    state.unsaved.queue = true;
    drop(state);
    entry.housekeeping.notify_one();
    entry.touch();
}

fn not_sent(
    entry: &SessionEntry,
    queued: QueuedPrompt,
    tracker: Arc<TurnTracker>,
    error: &PromptError,
) {
    put_back(entry, queued, tracker);
    if !matches!(error, PromptError::Disconnected(_)) {
        entry.hold(HoldReason::Refused(error.to_string()));
    }
}

/// Waits for the end of a turn, or cancels it when the budget is used up.
async fn await_turn(entry: &Arc<SessionEntry>, mut turn: Turn) {
    {
        let mut state = entry.state();
        state.sending = None;
        state.unsaved.queue = true;
        state.unsaved.turn = true;
    }
    entry.pending.forget_withdrawn();
    entry.fold.hear();
    entry.housekeeping.notify_one();
    entry.touch();
    let mut over_budget = false;
    let outcome = match race(turn.outcome(), entry.budget_passed()).await {
        Raced::First(outcome) => outcome,
        Raced::Second(passed) => {
            over_budget = true;
            turn.cancel();
            entry.say(NoticeSeverity::Warning, format!("The turn was stopped: {passed}"), None);
            turn.outcome().await
        }
    };
    ended(entry, &outcome, over_budget);
}

/// Updates the session and its queue after the end of a turn.
fn ended(entry: &SessionEntry, outcome: &Result<Outcome, TurnError>, over_budget: bool) {
    let passed = {
        let budget = entry.state().budget.clone();
        budget.and_then(|budget| entry.fold.with(|session| budget.passed(session.usage())))
    };
    let mut state = entry.state();
    state.turn = None;
    state.unresponsive = matches!(outcome, Err(TurnError::CancelUnanswered { .. }));
    let hold = match outcome {
        _ if over_budget || passed.is_some() => Some(HoldReason::Budget),
        Ok(Outcome { stop_reason: StopReason::Cancelled, .. }) if !state.sending_now => {
            Some(HoldReason::Cancelled)
        }
        Ok(_) => None,
        Err(_) => Some(HoldReason::TurnFailed),
    };
    state.sending_now = false;
    state.unsaved.turn = true;
    let stopped = hold == Some(HoldReason::Budget) && !state.queue.waiting().is_empty();
    hold.into_iter().for_each(|hold| state.queue.hold(hold));
    drop(state);
    entry.housekeeping.notify_one();
    if outcome.is_ok() {
        entry.agent.succeeded();
    }
    if let (true, false, Some(passed)) = (stopped, over_budget, passed) {
        entry.say(NoticeSeverity::Warning, format!("The queue is paused: {passed}"), None);
    }
    entry.touch();
}
