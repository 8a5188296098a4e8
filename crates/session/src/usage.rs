//! How full the context is, the session's cost, and its tokens. These figures are for display, not
//! for accounting (USE-12).

use crate::{Change, Parts};
use attache_protocol::Patch;
use attache_protocol::v1::{Cost, Usage};
use std::sync::Arc;

/// Context, cost and tokens of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageState {
    pub(crate) used: Option<u64>,
    pub(crate) size: Option<u64>,
    pub(crate) costs: Vec<Cost>,
    pub(crate) counted_by: Option<Arc<str>>,
    pub(crate) last_turn: Option<Usage>,
    pub(crate) total: Tokens,
    /// Whether the figures of any turn contradict each other.
    pub(crate) inconsistent: bool,
}

/// Tokens by kind, summed over turns. A sum saturates instead of overflowing.
///
/// Attaché's own agents report the tokens of all model calls in a turn, including those of
/// subagents, and of no other turn. `total = input + output + cached_read + cached_write`; the
/// input excludes cached tokens, and the output includes reasoning. Foreign agents may use the same
/// names differently, for example for the last call of the turn or for the whole session so far;
/// see [`UsageState::counted_by`] and [`UsageState::consistent`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// All tokens, as reported.
    pub total: u64,
    /// Sent to the model, without cached tokens.
    pub input: u64,
    /// Written by the model, including reasoning.
    pub output: u64,
    /// Used for reasoning. Part of the output.
    pub thought: u64,
    /// Read from the provider's cache.
    pub cached_read: u64,
    /// Written to the provider's cache.
    pub cached_write: u64,
    /// The number of turns that reported tokens.
    pub turns: u64,
}

/// How full the context is, in levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageLevel {
    /// Below 75 %, or the size is unknown.
    Normal,
    /// From 75 %: the context is filling up.
    Elevated,
    /// From 90 %: the user should start a new session or compact.
    High,
    /// Above 95 %: the next prompt may fail, so the user should hand off to a new session.
    Critical,
}

impl UsageLevel {
    /// Returns the level of a context of `size` tokens that contains `used`.
    pub fn of(used: u64, size: u64) -> Self {
        let (used, size) = (u128::from(used) * 100, u128::from(size));
        match used {
            _ if size == 0 => Self::Normal,
            _ if used > size * 95 => Self::Critical,
            _ if used >= size * 90 => Self::High,
            _ if used >= size * 75 => Self::Elevated,
            _ => Self::Normal,
        }
    }

    /// Returns advice for the user as a part of a sentence, or `None` if there is nothing to do.
    pub fn advice(self) -> Option<&'static str> {
        match self {
            Self::Normal => None,
            Self::Elevated => Some("the context is filling up"),
            Self::High => Some("start a new session or compact"),
            Self::Critical => Some("the next prompt may fail: hand off"),
        }
    }
}

impl UsageState {
    /// The number of tokens in the context, as last reported. May exceed the size, and decreases
    /// when the agent compacts.
    pub fn used(&self) -> Option<u64> {
        self.used
    }

    /// The context's size in tokens as last reported, or `None` if it is unknown. May be 0, and
    /// changes with the model.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Remaining tokens, never below 0. `None` if the size is unknown.
    pub fn remaining(&self) -> Option<u64> {
        let (used, size) = self.measured()?;
        Some(size.saturating_sub(used))
    }

    /// The fill of the context in percent, rounded down and at most 100. `None` if the size is
    /// unknown or 0.
    pub fn percentage(&self) -> Option<u8> {
        let (used, size) = self.measured()?;
        let percent = u128::from(used) * 100 / u128::from(size);
        Some(u8::try_from(percent.min(100)).unwrap_or(100))
    }

    /// How full the context is.
    pub fn level(&self) -> UsageLevel {
        self.measured().map_or(UsageLevel::Normal, |(used, size)| UsageLevel::of(used, size))
    }

    /// The cost since the session began, in the currency that was reported last. It is never
    /// converted. A smaller amount replaces a greater one, because an agent may correct itself.
    pub fn cost(&self) -> Option<&Cost> {
        self.costs.last()
    }

    /// The latest cost in each currency, in the order of the latest reports. Amounts in different
    /// currencies are never added.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The foreign agent that counted [`UsageState::last_turn`] and [`UsageState::total`]. `None`
    /// if they follow the definition at [`Tokens`]. Figures from different agents are never added:
    /// when the session moves to another agent, both start again.
    pub fn counted_by(&self) -> Option<&str> {
        self.counted_by.as_deref()
    }

    /// The tokens of the last turn that reported any, as its agent counts them.
    pub fn last_turn(&self) -> Option<&Usage> {
        self.last_turn.as_ref()
    }

    /// The sum of the tokens that the turns reported. It is reliable only if
    /// [`UsageState::counted_by`] is `None` and [`UsageState::consistent`] holds. If an agent
    /// reports the whole session in every turn, the sum counts most tokens several times.
    pub fn total(&self) -> &Tokens {
        &self.total
    }

    /// Whether the figures of every turn fit the definition at [`Tokens`]: the kinds add up to the
    /// total, and reasoning is at most the output. If they do not, show only the last turn's
    /// figures under the agent's name, and no sum.
    pub fn consistent(&self) -> bool {
        !self.inconsistent
    }

    fn measured(&self) -> Option<(u64, u64)> {
        Some((self.used?, self.size.filter(|size| *size > 0)?))
    }

    /// Records that the session continues with this agent, or with one of Attaché's own agents if
    /// `None`.
    pub(crate) fn count_by(&mut self, agent: Option<&str>) -> Parts {
        if self.counted_by.as_deref() == agent {
            return Parts::NONE;
        }
        self.counted_by = agent.map(Arc::from);
        self.last_turn = None;
        self.total = Tokens::default();
        self.inconsistent = false;
        Parts::USAGE
    }

    pub(crate) fn replace(&mut self, used: u64, size: Option<u64>, cost: &Patch<Cost>) -> Change {
        self.used = Some(used);
        self.size = size;
        if let Patch::Set(cost) = cost {
            self.costs.retain(|known| known.currency != cost.currency);
            self.costs.push(cost.clone());
            // A peer that sends many currencies must not exhaust the memory.
            if self.costs.len() > 16 {
                self.costs.remove(0);
            }
        } else if cost == &Patch::Clear {
            self.costs.clear();
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
        self.inconsistent |= !adds_up(usage);
        self.last_turn = Some(usage.clone());
        Parts::USAGE
    }
}

fn adds_up(usage: &Usage) -> bool {
    let kinds = [
        Some(usage.input_tokens),
        Some(usage.output_tokens),
        usage.cached_read_tokens,
        usage.cached_write_tokens,
    ];
    let sum: u128 = kinds.into_iter().flatten().map(u128::from).sum();
    sum == u128::from(usage.total_tokens)
        && usage.thought_tokens.unwrap_or(0) <= usage.output_tokens
}
