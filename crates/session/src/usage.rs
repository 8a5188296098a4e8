//! How full the context is, what the session cost, and how many tokens it took: for display, not for accounting (USE-12).

use crate::{Change, Parts};
use attache_protocol::v1::{Cost, Usage};

/// Context, cost and tokens of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageState {
    used: Option<u64>,
    size: Option<u64>,
    costs: Vec<Cost>,
    last_turn: Option<Usage>,
    total: Tokens,
}

/// Tokens by kind, summed over turns. A sum stops at its greatest value instead of overflowing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// All tokens.
    pub total: u64,
    /// Sent to the model, without cached ones.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Thought with; part of the output.
    pub thought: u64,
    /// Read from the provider's cache.
    pub cached_read: u64,
    /// Written to the provider's cache.
    pub cached_write: u64,
    /// How many turns reported any.
    pub turns: u64,
}

/// How full the context is, by integer edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageLevel {
    /// Below 75 %, or the size is not known.
    Normal,
    /// From 75 %: the context is filling up.
    Elevated,
    /// From 90 %: start a new session or compact.
    High,
    /// Above 95 %: the next prompt may fail; hand off.
    Critical,
}

impl UsageState {
    /// Tokens in the context as stated; `None` until stated. May exceed the size (USE-07).
    pub fn used(&self) -> Option<u64> {
        self.used
    }

    /// The context's size in tokens as stated; `None` if it is not known. May be 0 (USE-07).
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Tokens that are left, never below 0; `None` if the size is not known.
    pub fn remaining(&self) -> Option<u64> {
        let (used, size) = self.measured()?;
        Some(size.saturating_sub(used))
    }

    /// How full the context is in whole percent, rounded down and never above 100; `None` if the size is not known or 0.
    pub fn percentage(&self) -> Option<u8> {
        let (used, size) = self.measured()?;
        let percent = u128::from(used) * 100 / u128::from(size);
        Some(u8::try_from(percent.min(100)).unwrap_or(100))
    }

    /// How full the context is.
    pub fn level(&self) -> UsageLevel {
        let Some((used, size)) = self.measured() else { return UsageLevel::Normal };
        let (used, size) = (u128::from(used) * 100, u128::from(size));
        match used {
            _ if used > size * 95 => UsageLevel::Critical,
            _ if used >= size * 90 => UsageLevel::High,
            _ if used >= size * 75 => UsageLevel::Elevated,
            _ => UsageLevel::Normal,
        }
    }

    /// The cost since the session began, in the unit that was stated last; never converted.
    pub fn cost(&self) -> Option<&Cost> {
        self.costs.last()
    }

    /// The latest cost in each unit the session was charged in; the unit stated last is the last. Amounts of different units are never added.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// What the last turn that reported tokens reported, in the words of its agent (USE-10).
    pub fn last_turn(&self) -> Option<&Usage> {
        self.last_turn.as_ref()
    }

    /// The sum of what the turns reported; right if the agent counts turns, see USE-10.
    pub fn total(&self) -> &Tokens {
        &self.total
    }

    fn measured(&self) -> Option<(u64, u64)> {
        Some((self.used?, self.size.filter(|size| *size > 0)?))
    }

    pub(crate) fn replace(&mut self, used: u64, size: Option<u64>, cost: Option<&Cost>) -> Change {
        self.used = Some(used);
        self.size = size;
        if let Some(cost) = cost {
            self.costs.retain(|known| known.currency != cost.currency);
            self.costs.push(cost.clone());
            // Nobody pays in more units; a peer that invents them does not fill the memory.
            if self.costs.len() > 16 {
                self.costs.remove(0);
            }
        }
        Change::of(Parts::USAGE)
    }

    pub(crate) fn turn_ended(&mut self, usage: &Usage) -> Parts {
        let total = &mut self.total;
        for (sum, tokens) in [
            (&mut total.total, Some(usage.total_tokens)),
            (&mut total.input, Some(usage.input_tokens)),
            (&mut total.output, Some(usage.output_tokens)),
            (&mut total.thought, usage.thought_tokens),
            (&mut total.cached_read, usage.cached_read_tokens),
            (&mut total.cached_write, usage.cached_write_tokens),
            (&mut total.turns, Some(1)),
        ] {
            *sum = sum.saturating_add(tokens.unwrap_or(0));
        }
        self.last_turn = Some(usage.clone());
        Parts::USAGE
    }
}
