//! Measures and reports how full a model's window is.
use crate::conversation::Conversation;
use crate::conversation::conversation_kind::ConversationKind;
use crate::models::{Brief, Model};
use crate::session::memory::Memory;
use attache_agent::{Result, Turn};
use attache_models::answer_reserve;
use attache_protocol::v1::{Notice, NoticeSeverity};
use attache_session::UsageLevel;

impl Conversation {
    /// How many tokens the model takes in with this brief.
    pub(crate) fn fill(&self, model: &dyn Model, brief: &Brief) -> u64 {
        let estimated = u128::from(self.estimated(model, brief));
        u64::try_from(estimated * self.gauge.rate(model) / 1000).unwrap_or(u64::MAX)
    }

    /// How much of a conversation the model can be given with this brief, in tokens as they are
    /// estimated.
    pub(crate) fn room(&self, model: &dyn Model, brief: &Brief) -> u64 {
        let size = model.size();
        let share = u128::from(size - answer_reserve(size)) * 1000 / self.gauge.rate(model);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        // However small the window: the provider says so itself if it is too small.
        share.saturating_sub(model.around(brief)).max(size / 4)
    }

    /// The model's provider counted so many.
    pub(crate) fn measure(&mut self, model: &dyn Model, brief: &Brief, counted: u64) {
        let estimated = self.estimated(model, brief).max(1);
        self.gauge.measured = Some((model.title().to_owned(), counted, estimated));
    }

    /// Whether so little is left of the window that an answer may not fit.
    pub(super) fn is_full(&self, model: &dyn Model, brief: &Brief) -> bool {
        let size = model.size();
        self.fill(model, brief) > size - answer_reserve(size)
    }

    fn estimated(&self, model: &dyn Model, brief: &Brief) -> u64 {
        model.around(brief) + self.tokens()
    }
}

/// Says how full the window is and what the session cost (USE-03, USE-04). The person is told once
/// of each level that is reached on the way up, where the client takes notices (NOTE-01).
pub(crate) async fn tell_fill(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    used: u64,
) -> Result<()> {
    let Some(window) = model.window() else { return Ok(()) };
    // The cost is that of the whole session, so a subagent does not report it.
    let cost =
        memory.spending.cost().filter(|_| memory.conversation.kind() == ConversationKind::Agent);
    turn.usage(used, window, cost).await?;
    memory.conversation.gauge.told_fill = Some((used, window));
    let level = UsageLevel::of(used, window);
    let before = memory.conversation.gauge.told.replace(level);
    let reached = level > before.unwrap_or(UsageLevel::Normal);
    let Some(advice) = level.advice().filter(|_| reached) else { return Ok(()) };
    let percent = u128::from(used) * 100 / u128::from(window.max(1));
    let title = format!("The window of {} is {percent} % full: {advice}", model.title());
    let severity =
        if level == UsageLevel::Elevated { NoticeSeverity::Info } else { NoticeSeverity::Warning };
    let mut notice = Notice::new(severity, title);
    let what = match level {
        UsageLevel::Critical => {
            "`/compact` makes a summary of the older part; `/handoff` writes one to begin a new session with."
        }
        _ => {
            "`/compact` makes a summary of the older part, and takes words on what to keep. Before the window is full I do that by myself."
        }
    };
    notice.description = Some(what.to_owned());
    turn.notice(notice).await
}
