//! Selection of rules by an id or a prefix that a person types.

use crate::rules::rule::{Group, Rule};
use crate::rules::table::groups;
use std::fmt;

/// A selected rule or group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// One rule, by its id.
    Rule(&'static Rule),
    /// A whole group, by its prefix.
    Group(&'static Group),
}

/// Whether the rule with this id is selected. An empty selection selects every rule.
pub(crate) fn is_chosen(only: &[Selection], rule: &str) -> bool {
    let has = |chosen: &Selection| match chosen {
        Selection::Rule(only) => only.id == rule,
        Selection::Group(group) => group.rules.iter().any(|of_group| of_group.id == rule),
    };
    only.is_empty() || only.iter().any(has)
}

/// The error for an unknown rule or prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRule {
    /// The requested text.
    pub asked: String,
    /// Suggestions: every id of the group, or prefixes, best first. The list is never empty.
    pub suggestions: Vec<&'static str>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = match self.suggestions.as_slice() {
            [first, .., last] if first.contains('-') => format!("{first} to {last}"),
            all => all.join(", "),
        };
        write!(f, "there is no rule {:?}; use one of {meant}", self.asked)
    }
}

impl std::error::Error for UnknownRule {}

/// Finds the rule with the id `asked`, or the group with the prefix `asked`. Case and zeros before
/// the number do not matter: `conf-7` is `CONF-07`.
///
/// # Errors
/// Returns [`UnknownRule`] with the ids of the group if only the number is wrong, otherwise with
/// the nearest prefixes.
pub fn select(asked: &str) -> Result<Selection, UnknownRule> {
    let word = asked.trim().to_ascii_uppercase();
    let (prefix, number) = match word.split_once('-') {
        Some((prefix, number)) => (prefix, Some(number)),
        None => (word.as_str(), None),
    };
    let unknown = |suggestions| UnknownRule { asked: asked.to_owned(), suggestions };
    let Some(group) = groups().iter().find(|group| group.prefix == prefix) else {
        return Err(unknown(nearest(prefix)));
    };
    let Some(number) = number else { return Ok(Selection::Group(group)) };
    let position = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match position.and_then(|position| group.rules.get(position)) {
        Some(rule) => Ok(Selection::Rule(rule)),
        None => Err(unknown(group.rules.iter().map(|rule| rule.id).collect())),
    }
}

/// Returns the likely prefixes: those with the same beginning or with at most two different
/// letters. Returns all prefixes if there are none.
fn nearest(asked: &str) -> Vec<&'static str> {
    let far = |prefix: &str| match prefix.starts_with(asked) || asked.starts_with(prefix) {
        true => 0,
        false => strsim::levenshtein(asked, prefix),
    };
    let all = groups().iter().map(|group| group.prefix);
    let mut near: Vec<(usize, &str)> = all
        .clone()
        .map(|prefix| (far(prefix), prefix))
        .filter(|(far, prefix)| *far <= prefix.len() / 2 && *far <= 2)
        .collect();
    near.sort_by_key(|(far, _)| *far);
    if asked.is_empty() || near.is_empty() {
        all.collect()
    } else {
        near.into_iter().map(|(_, prefix)| prefix).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Selection, select};

    #[test]
    fn an_id_is_found_in_any_case_and_without_zeros() {
        for word in ["CONF-07", "conf-07", "Conf-7", " CONF-007 "] {
            assert!(
                matches!(select(word), Ok(Selection::Rule(rule)) if rule.id == "CONF-07"),
                "{word}"
            );
        }
        assert!(matches!(
            select("plan"),
            Ok(Selection::Group(group)) if group.prefix == "PLAN" && group.rules.len() == 5
        ));
    }

    #[test]
    fn an_unknown_id_is_answered_with_suggestions() {
        let suggestions = |word| select(word).unwrap_err().suggestions;
        assert_eq!(suggestions("STAT-9"), ["STAT-01", "STAT-02", "STAT-03"]);
        for word in ["STAT-0", "STAT-", "STAT-x", "STAT--1", "STAT-99999999999999999999"] {
            assert_eq!(suggestions(word).len(), 3, "{word}");
        }
        assert_eq!(suggestions("CONFIG-01"), ["CONF"]);
        assert_eq!(suggestions("SES").first(), Some(&"SESS"));
        assert_eq!(suggestions("CANCLE").first(), Some(&"CANCEL"));
        for word in ["", "-", "🙂", "NONSENSE-01"] {
            assert!(suggestions(word).len() > 30, "{word}");
        }
    }
}
