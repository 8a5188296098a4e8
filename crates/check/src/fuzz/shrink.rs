//! Reduces a failing case to a smaller one that fails in the same way.

use super::case::{Case, Step};
use super::play::Played;
use super::{Broken, Fuzz};
use crate::client::run::ClientRunError;
use serde_json::Value;
use tokio::time::Instant;

/// The largest number of smaller cases to try.
const TRIES: usize = 300;

/// The smallest case so far and its failure.
struct SmallestCase {
    case: Case,
    played: Played,
    broken: Broken,
    tries: usize,
    until: Instant,
}

impl Fuzz {
    /// Reduces a failing case until `until` at the latest.
    pub(super) async fn shrink(
        &mut self,
        case: Case,
        played: Played,
        broken: Broken,
        until: Instant,
    ) -> Result<(Case, Played, Broken), ClientRunError> {
        let mut smallest = SmallestCase { case, played, broken, tries: 0, until };
        self.without_steps(&mut smallest).await?;
        let bare = Case { answers: Vec::new(), ..smallest.case.clone() };
        if !self.is_smaller(&mut smallest, bare).await? {
            self.without_answers(&mut smallest).await?;
        }
        self.simplify_steps(&mut smallest).await?;
        self.without_members(&mut smallest).await?;
        self.without_steps(&mut smallest).await?;
        Ok((smallest.case, smallest.played, smallest.broken))
    }

    /// Removes steps: first many at a time, then fewer.
    async fn without_steps(&mut self, smallest: &mut SmallestCase) -> Result<(), ClientRunError> {
        let mut length = smallest.case.steps.len().div_ceil(2);
        while length > 0 {
            let mut at = 0;
            while at < smallest.case.steps.len() {
                let mut case = smallest.case.clone();
                let end = (at + length).min(case.steps.len());
                case.steps.drain(at..end);
                if !self.is_smaller(smallest, case).await? {
                    at += length;
                }
            }
            length /= 2;
        }
        Ok(())
    }

    async fn without_answers(&mut self, smallest: &mut SmallestCase) -> Result<(), ClientRunError> {
        let mut at = 0;
        while at < smallest.case.answers.len() {
            let mut case = smallest.case.clone();
            case.answers.remove(at);
            if !self.is_smaller(smallest, case).await? {
                at += 1;
            }
        }
        Ok(())
    }

    /// Sends each step at once, in one write, without white space after it.
    async fn simplify_steps(&mut self, smallest: &mut SmallestCase) -> Result<(), ClientRunError> {
        for at in 0..smallest.case.steps.len() {
            let plain = |step: &Step| Step {
                text: step.text.clone(),
                is_unended: step.is_unended,
                ..Step::default()
            };
            let mut case = smallest.case.clone();
            if let Some(step) = case.steps.get_mut(at)
                && plain(step) != *step
            {
                *step = plain(step);
                self.is_smaller(smallest, case).await?;
            }
        }
        Ok(())
    }

    /// Removes members of params, beginning with the last.
    async fn without_members(&mut self, smallest: &mut SmallestCase) -> Result<(), ClientRunError> {
        for at in 0..smallest.case.steps.len() {
            for pointer in ["/params", "/params/update", ""] {
                let message = smallest.case.steps.get(at).and_then(Step::value).unwrap_or_default();
                let members = message.pointer(pointer).and_then(Value::as_object);
                let keys: Vec<String> =
                    members.into_iter().flat_map(|members| members.keys().cloned()).rev().collect();
                for key in keys {
                    let mut case = smallest.case.clone();
                    let Some(step) = case.steps.get_mut(at) else { continue };
                    let Some(mut message) = step.value() else { continue };
                    if let Some(Value::Object(members)) = message.pointer_mut(pointer) {
                        members.remove(&key);
                    }
                    step.text = message.to_string().into_bytes();
                    self.is_smaller(smallest, case).await?;
                }
            }
        }
        Ok(())
    }

    /// Plays a smaller case. If it fails in the same way, keeps it as the smallest and returns
    /// `true`.
    async fn is_smaller(
        &mut self,
        smallest: &mut SmallestCase,
        case: Case,
    ) -> Result<bool, ClientRunError> {
        if smallest.tries >= TRIES || Instant::now() >= smallest.until || case == smallest.case {
            return Ok(false);
        }
        smallest.tries += 1;
        let mut played = self.play(&case).await?;
        match played.broken.take() {
            Some(broken) if broken.is_like(&smallest.broken) => {
                (smallest.case, smallest.played, smallest.broken) = (case, played, broken);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
