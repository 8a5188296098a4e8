//! The second step of a question: the choice of a rule to remember.

use super::rules::Rules;
use super::{By, Verdict};
use crate::show::paint::{BOLD, DIM, Paint, YELLOW};
use crate::show::width;
use attache_client::{Effect, PermissionRequest, Rule, RuleScope};
use attache_view::sanitize;
use std::io::{self, Write};

/// The key for this step.
pub(super) const KEY: char = 'r';

/// Returns whether any rule can be remembered for this request.
pub(super) fn is_possible(request: &PermissionRequest, rules: &Rules) -> bool {
    [Effect::Allow, Effect::Deny].into_iter().any(|effect| can(request, rules, effect))
}

/// Returns whether a rule with this effect can be remembered for this request.
fn can(request: &PermissionRequest, rules: &Rules, effect: Effect) -> bool {
    rules.about(request, effect, RuleScope::Always).is_some()
}

/// Lets the person choose a rule and remembers it; `None` if they go back to the question.
///
/// # Errors
/// Returns an error if the terminal cannot be read.
pub(super) async fn choose(
    request: &PermissionRequest,
    rules: &Rules,
) -> io::Result<Option<Verdict>> {
    // For some calls, only a rule that rejects is possible: a rule that allows would also allow
    // other calls.
    let mut effect = if can(request, rules, Effect::Allow) { Effect::Allow } else { Effect::Deny };
    loop {
        let choices = choices(request, rules, effect);
        let (other, word, opposite) = match effect {
            Effect::Allow => ('n', "reject", Effect::Deny),
            Effect::Ask | Effect::Deny => ('y', "allow", Effect::Allow),
        };
        let opposite = Some(opposite).filter(|opposite| can(request, rules, *opposite));
        show(&choices, opposite.map(|_| (other, word)))?;
        let other = opposite.map(|_| other);
        let keys: Vec<char> =
            choices.iter().map(|(key, _)| *key).chain(other).chain(['b']).collect();
        match super::pressed(&keys, "remember?").await? {
            key if Some(key) == other => effect = opposite.unwrap_or(effect),
            key => {
                let chosen = choices.into_iter().find(|(choice, _)| *choice == key);
                return Ok(chosen.map(|(_, rule)| remembered(request, rules, rule)));
            }
        }
    }
}

/// Returns the keys, each with the rule that it adds.
fn choices(request: &PermissionRequest, rules: &Rules, effect: Effect) -> Vec<(char, Rule)> {
    let scopes = [
        ('s', RuleScope::Session(request.session_id.clone())),
        ('p', RuleScope::Project(rules.cwd.clone())),
        ('a', RuleScope::Always),
    ];
    let rule = |(key, scope)| Some((key, rules.about(request, effect, scope)?));
    scopes.into_iter().filter_map(rule).collect()
}

fn show(choices: &[(char, Rule)], other: Option<(char, &str)>) -> io::Result<()> {
    let mut out = io::stderr().lock();
    let paint = Paint::of(&out);
    let columns = crate::terminal::columns().unwrap_or(80);
    // The cursor is after the key that the person pressed.
    writeln!(out)?;
    writeln!(out, "  Which rule should be remembered? `attache permissions` lists all rules.")?;
    for (key, rule) in choices {
        // Nothing is cut, because the person would approve the omitted text unseen.
        let wrapped =
            |text: &str| width::wrap(&sanitize::visible_line(text), columns.saturating_sub(6));
        let meaning = wrapped(&attache_view::rule_meaning(rule)).join("\n      ");
        writeln!(out, "  [{}] {meaning}", paint.paint(BOLD, key))?;
        let lines = wrapped(&rule.to_line());
        lines.into_iter().try_for_each(|line| writeln!(out, "      {}", paint.paint(DIM, line)))?;
    }
    if let Some((key, word)) = other {
        writeln!(out, "  [{}] {word} instead", paint.paint(BOLD, key))?;
    }
    writeln!(out, "  [{}] back", paint.paint(BOLD, 'b'))
}

/// Remembers a rule and decides by it. If the rule cannot be stored, the decision applies only
/// once.
fn remembered(request: &PermissionRequest, rules: &Rules, rule: Rule) -> Verdict {
    let verdict = Verdict { by: By::Person, ..Verdict::by_rule(request, rule.clone()) };
    let (style, said) = match rules.broker.remember(rule.clone()) {
        Ok(()) => (DIM, format!("remembered: {}", rule.to_line())),
        Err(error) => (
            YELLOW,
            format!("the rule was not remembered, so the decision applies only once: {error}"),
        ),
    };
    let mut out = io::stderr().lock();
    let line = Paint::of(&out).paint(style, sanitize::visible_line(&said));
    // An error is ignored: if stderr is closed, the terminal cannot be read either.
    let _ = write!(out, "\n  {line}");
    verdict
}
