//! Measures and reports how full the model's window is.
use crate::conversation::Conversation;
use crate::conversation::conversation_kind::ConversationKind;
use crate::models::{Brief, Model};
use crate::session::memory::Memory;
use attache_agent::{Result, Turn};
use attache_models::answer_reserve;
use attache_protocol::v1::{Cost, Notice, NoticeSeverity};
use attache_session::UsageLevel;

impl Conversation {
    /// The estimated number of tokens in a request with this brief.
    pub(crate) fn fill(&self, model: &dyn Model, brief: &Brief) -> u64 {
        let estimated = u128::from(self.estimated(model, brief));
        u64::try_from(estimated * self.gauge.tokens_per_thousand(model) / 1000).unwrap_or(u64::MAX)
    }

    /// The room for the conversation in a request with this brief, in estimated tokens.
    pub(crate) fn room(&self, model: &dyn Model, brief: &Brief) -> u64 {
        let size = model.size();
        let share =
            u128::from(size - answer_reserve(size)) * 1000 / self.gauge.tokens_per_thousand(model);
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        // The room is not zero even for a tiny window. If a request does not fit, the provider
        // reports an error.
        share.saturating_sub(model.brief_tokens(brief)).max(size / 4)
    }

    /// Records the number of tokens that the model's provider counted.
    pub(crate) fn measure(&mut self, model: &dyn Model, brief: &Brief, counted: u64) {
        let estimated = self.estimated(model, brief).max(1);
        self.gauge.measured = Some((model.title().to_owned(), counted, estimated));
    }

    /// Whether the window has so little room that an answer may not fit.
    pub(super) fn is_full(&self, model: &dyn Model, brief: &Brief) -> bool {
        let size = model.size();
        self.fill(model, brief) > size - answer_reserve(size)
    }

    fn estimated(&self, model: &dyn Model, brief: &Brief) -> u64 {
        model.brief_tokens(brief) + self.tokens()
    }
}

/// Reports the last usage again if this model has another window than the last one.
pub(crate) async fn report_window(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<()> {
    match memory.conversation.gauge.told_fill() {
        Some((used, size)) if model.window() != Some(size) => {
            report_fill(memory, turn, model, used).await
        }
        _ => Ok(()),
    }
}

/// Reports how full the window is and what the session cost (USE-03, USE-04). As the window fills
/// up, the person is told once for each level, if the client supports notices (NOTE-01).
pub(crate) async fn report_fill(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    used: u64,
) -> Result<()> {
    // The cost covers the whole session, so it is not reported for a subagent.
    let cost =
        memory.spending.cost().filter(|_| memory.conversation.kind() == ConversationKind::Agent);
    let Some(window) = model.window() else {
        return report_cost(memory, turn, model, used, cost).await;
    };
    turn.usage(used, window, cost.clone()).await?;
    memory.conversation.gauge.told_cost = cost;
    memory.conversation.gauge.told_fill = Some((used, window));
    let level = UsageLevel::of(used, window);
    let before = memory.conversation.gauge.told.replace(level);
    let reached = level > before.unwrap_or(UsageLevel::Normal);
    let Some(advice) = level.advice().filter(|_| reached) else { return Ok(()) };
    let percent = u128::from(used) * 100 / u128::from(window.max(1));
    let title = format!("The context window of {} is {percent} % full: {advice}", model.title());
    let severity =
        if level == UsageLevel::Elevated { NoticeSeverity::Info } else { NoticeSeverity::Warning };
    let mut notice = Notice::new(severity, title);
    let what = match level {
        UsageLevel::Critical => {
            "`/compact` summarizes the older part; `/handoff` writes a summary for starting a new session."
        }
        _ => {
            "`/compact` summarizes the older part; you can add what to keep. It also runs automatically before the window is full."
        }
    };
    notice.description = Some(what.to_owned());
    turn.notice(notice).await
}

/// Reports a changed cost if the window is unknown, so that a budget has an effect. The protocol
/// has no cost without a window (USE-03), so the window is the one that the agent works with.
async fn report_cost(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    used: u64,
    cost: Option<Cost>,
) -> Result<()> {
    if cost.is_none() || cost == memory.conversation.gauge.told_cost {
        return Ok(());
    }
    turn.usage(used, model.size(), cost.clone()).await?;
    memory.conversation.gauge.told_cost = cost;
    Ok(())
}
