//! The spending of sessions in money and tokens, by agent and day, and the budget of one session.

use attache_protocol::Patch;
use attache_protocol::v1::{Cost, SessionId};
use attache_session::{Event, EventBody, Timestamp, Tokens, UsageState};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A day in UTC, as the number of days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day of this moment.
    pub fn of(at: Timestamp) -> Self {
        Self(at.0.div_euclid(86_400_000))
    }
}

impl fmt::Display for Day {
    /// Formats the day as `2026-11-21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Timestamp(self.0.saturating_mul(86_400_000)).rfc3339();
        f.write_str(text.split('T').next().unwrap_or_default())
    }
}

/// The spending of one agent's sessions on one day.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct DailySpending {
    /// The cost in each currency, sorted by its name. Amounts of different currencies are never
    /// added.
    pub costs: Vec<Cost>,
    /// Tokens as the agent counts them (USE-10).
    pub tokens: Tokens,
    /// The number of turns that ended.
    pub turns: u64,
}

/// The spending by agent and day: the sum of the events of any number of sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spending {
    days: BTreeMap<(String, Day), DailySpending>,
    /// The cost of each session so far, by currency. Agents state the sum since the session began.
    costs: HashMap<(String, SessionId), HashMap<String, f64>>,
}

impl Spending {
    pub(crate) fn apply(&mut self, agent: &str, session: &SessionId, event: &Event) {
        match &event.body {
            EventBody::Usage { cost: Patch::Set(cost), .. } => {
                let known = self.costs.entry((agent.to_owned(), session.clone())).or_default();
                let before = known.insert(cost.currency.clone(), cost.amount).unwrap_or(0.0);
                let more = cost.amount - before;
                if more > 0.0 {
                    self.day(agent, event.at).add(&cost.currency, more);
                }
            }
            EventBody::TurnEnded { usage, .. } => {
                let spent = self.day(agent, event.at);
                spent.turns += 1;
                let Some(usage) = usage else { return };
                let sums = &mut spent.tokens;
                for (sum, tokens) in [
                    (&mut sums.total, Some(usage.total_tokens)),
                    (&mut sums.input, Some(usage.input_tokens)),
                    (&mut sums.output, Some(usage.output_tokens)),
                    (&mut sums.thought, usage.thought_tokens),
                    (&mut sums.cached_read, usage.cached_read_tokens),
                    (&mut sums.cached_write, usage.cached_write_tokens),
                    (&mut sums.turns, Some(1)),
                ] {
                    *sum = sum.saturating_add(tokens.unwrap_or(0));
                }
            }
            _ => {}
        }
    }

    /// Adds the spending of other sessions.
    pub(crate) fn add(&mut self, other: &Self) {
        for (place, spent) in &other.days {
            let sum = self.days.entry(place.clone()).or_default();
            spent.costs.iter().for_each(|cost| sum.add(&cost.currency, cost.amount));
            sum.turns += spent.turns;
            let (sums, tokens) = (&mut sum.tokens, &spent.tokens);
            for (sum, tokens) in [
                (&mut sums.total, tokens.total),
                (&mut sums.input, tokens.input),
                (&mut sums.output, tokens.output),
                (&mut sums.thought, tokens.thought),
                (&mut sums.cached_read, tokens.cached_read),
                (&mut sums.cached_write, tokens.cached_write),
                (&mut sums.turns, tokens.turns),
            ] {
                *sum = sum.saturating_add(tokens);
            }
        }
    }

    fn day(&mut self, agent: &str, at: Timestamp) -> &mut DailySpending {
        self.days.entry((agent.to_owned(), Day::of(at))).or_default()
    }

    /// The spending, by agent and then by day.
    pub(crate) fn days(&self) -> Vec<(String, Day, DailySpending)> {
        self.days.iter().map(|((agent, day), spent)| (agent.clone(), *day, spent.clone())).collect()
    }
}

impl DailySpending {
    fn add(&mut self, unit: &str, amount: f64) {
        match self.costs.binary_search_by(|cost| cost.currency.as_str().cmp(unit)) {
            Ok(index) => {
                if let Some(cost) = self.costs.get_mut(index) {
                    cost.amount += amount;
                    *cost = cost.clone().rounded();
                }
            }
            Err(index) => self.costs.insert(index, Cost::new(amount, unit).rounded()),
        }
    }
}

/// The budget of a session, set by a person. When the session exceeds it, the hub cancels the
/// running turn and holds the queue.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Budget {
    /// An amount of money in one currency. Costs in other currencies do not count.
    Cost(Cost),
    /// A number of tokens, as the agent counts them. Agents report tokens only when a turn has
    /// ended, so the turn that exceeds the budget runs to its end.
    Tokens(u64),
}

impl Budget {
    /// A message if the session has exceeded the budget; `None` if it has not.
    pub fn passed(&self, usage: &UsageState) -> Option<String> {
        match self {
            Self::Cost(limit) => {
                let same = |cost: &&Cost| cost.currency.eq_ignore_ascii_case(&limit.currency);
                let spent = usage.costs().iter().find(same)?.clone().rounded();
                (spent.amount > limit.amount).then(|| {
                    // The unit is the person's own.
                    let spent = Cost::new(spent.amount, limit.currency.as_str());
                    format!("the session has cost {spent}, and its budget is {self}")
                })
            }
            Self::Tokens(limit) => {
                let taken = usage.total().total;
                (taken > *limit).then(|| {
                    format!("the session has used {taken} tokens, and its budget is {self}")
                })
            }
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(cost) => cost.fmt(f),
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::{StopReason, Usage};
    use attache_session::{Session, TurnOutcome};

    #[test]
    fn spending_is_counted_once_on_its_day() {
        const DAY: i64 = 86_400_000;
        let mut spending = Spending::default();
        let mut say = |session: &str, at: i64, body: EventBody| {
            let event = Event { sequence: 1, at: Timestamp(at), body };
            spending.apply("gemini", &session.into(), &event);
        };
        let cost = |amount: f64| EventBody::Usage {
            used: 1,
            size: None,
            cost: Patch::Set(Cost::new(amount, "USD")),
        };
        say("s1", 0, cost(1.0));
        say("s1", 1, cost(1.5));
        say("s2", 2, cost(1.0));
        say("s1", DAY, cost(1.5));
        say("s1", DAY + 1, cost(2.0));
        let outcome = TurnOutcome::Stopped(StopReason::EndTurn);
        say(
            "s1",
            DAY,
            EventBody::TurnEnded { outcome, usage: Some(Usage::new(10_u64, 7_u64, 3_u64)) },
        );
        let days = spending.days();
        let costs: Vec<_> =
            days.iter().map(|(_, day, spent)| (day.to_string(), spent.costs[0].amount)).collect();
        assert_eq!(costs, [("1970-01-01".to_owned(), 2.5), ("1970-01-02".to_owned(), 0.5)]);
        assert_eq!((days[1].2.tokens.total, days[1].2.turns), (10, 1));
    }

    /// The noise of binary fractions neither exceeds a budget nor appears in its message.
    #[test]
    fn budget_compares_and_shows_rounded_amounts() {
        let budget = |amount| Budget::Cost(Cost::new(amount, "USD"));
        let passed = |cost: f64, limit: f64| {
            let mut session = Session::new("s");
            let cost = Patch::Set(Cost::new(cost, "USD"));
            let body = EventBody::Usage { used: 1, size: None, cost };
            session.apply(&Event { sequence: 1, at: Timestamp(0), body });
            budget(limit).passed(session.usage())
        };
        assert_eq!(passed(0.1 + 0.2, 0.3), None);
        assert_eq!(
            passed(0.6044999999999999, 0.6).as_deref(),
            Some("the session has cost 0.6045 USD, and its budget is 0.6 USD")
        );
    }
}
