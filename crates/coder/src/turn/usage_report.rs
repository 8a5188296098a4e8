//! The tokens and the cost of model calls, as they are counted and reported.

use crate::context::report_fill;
use crate::models::{Model, TokenUsage};
use crate::session::memory::Memory;
use crate::turn::answer::brief;
use attache_agent::{Result, Turn};

/// Counts the tokens of interrupted attempts, because the provider bills them too.
pub(crate) async fn charge_failed_attempts(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    lost: &[TokenUsage],
) -> Result<()> {
    for usage in lost.iter().filter(|usage| usage.is_known()) {
        memory.charge(turn, model, usage).await?;
    }
    Ok(())
}

/// Reports the window usage and the cost of a call, as far as they are known. The window usage is
/// estimated if the provider did not count.
pub(super) async fn report_usage(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    usage: &TokenUsage,
) -> Result<()> {
    if !model.writes() {
        // The offline model is free, and its window usage is estimated.
        memory.spending.count(usage);
        let used = memory.conversation.tokens();
        return report_fill(memory, turn, model, used).await;
    }
    memory.charge(turn, model, usage).await?;
    let brief = brief(memory);
    let used = match usage.is_known() {
        true => {
            memory.conversation.measure(model, &brief, usage.total());
            usage.total()
        }
        false => memory.conversation.fill(model, &brief),
    };
    report_fill(memory, turn, model, used).await
}
