//! The tokens that a turn used.

use crate::Turn;
use attache_protocol::v1::Usage;

impl Turn {
    /// Adds these tokens to those that the reply to the prompt reports for this turn. Does nothing
    /// after the turn.
    ///
    /// ACP does not define these numbers exactly. In this kit they have the following meaning. The
    /// tokens of a turn are those of all model calls in it, including subagents. `input` excludes
    /// cached tokens; `cached_read` and `cached_write` were read from and written to the provider's
    /// cache; `output` is the model's output, including its thoughts; `thought` is the thought part
    /// of the output. `total` is input + output + cached read + cached write: the kit computes it
    /// and ignores the given value.
    // USE-10.
    pub fn add_usage(&self, tokens: Usage) {
        if !self.is_muted() {
            // Tokens of a turn that is over are discarded.
            let _ = self.open_session().in_turn_even_cancelled(self.accepted(), |state| {
                if let Some(turn) = state.turn() {
                    turn.usage = Some(sum(turn.usage.take(), &tokens));
                }
            });
        }
        if let Some(parent) = self.parent() {
            parent.add_usage(tokens);
        }
    }
}

fn sum(spent: Option<Usage>, more: &Usage) -> Usage {
    let optional = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    let mut sum = spent
        .unwrap_or_else(|| Usage { meta: more.meta.clone(), ..Usage::new(0_u64, 0_u64, 0_u64) });
    sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
    sum.thought_tokens = optional(sum.thought_tokens, more.thought_tokens);
    sum.cached_read_tokens = optional(sum.cached_read_tokens, more.cached_read_tokens);
    sum.cached_write_tokens = optional(sum.cached_write_tokens, more.cached_write_tokens);
    let cached = [sum.cached_read_tokens, sum.cached_write_tokens];
    let parts =
        [sum.input_tokens, sum.output_tokens].into_iter().chain(cached.into_iter().flatten());
    sum.total_tokens = parts.fold(0, u64::saturating_add);
    sum
}
