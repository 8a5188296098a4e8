//! The command `usage`, which shows the session's tokens and cost.

use crate::models::Model;
use crate::session::memory::Memory;
use crate::tools::fit::{counted, grouped};
use crate::turn::answer::brief;
use attache_session::UsageLevel;

/// Returns a table that shows how full the context window is, how many tokens the models read and
/// wrote, and the cost.
pub(super) fn usage(memory: &Memory, model: &dyn Model) -> String {
    let conversation = &memory.conversation;
    let used = conversation.fill(model, &brief(memory));
    let mut rows = vec![("Model", model.title().to_owned())];
    match model.window() {
        Some(window) => {
            let percent = u128::from(used) * 100 / u128::from(window.max(1));
            let advice = UsageLevel::of(used, window).advice().map(|advice| format!(": {advice}"));
            rows.push(("Window", counted(window, "token")));
            rows.push((
                "Filled",
                format!(
                    "about {} ({percent} %){}",
                    counted(used, "token"),
                    advice.unwrap_or_default()
                ),
            ));
        }
        None => rows.push((
            "Filled",
            format!("about {}; the context window is unknown", counted(used, "token")),
        )),
    }
    let tokens = memory.spending.tokens();
    let some = |words: String, number: u64| if number > 0 { words } else { String::new() };
    let cached =
        some(format!(", {} more from the cache", grouped(tokens.cached_read)), tokens.cached_read);
    let written =
        some(format!(", {} into the cache", grouped(tokens.cached_write)), tokens.cached_write);
    let thought = tokens.thought.unwrap_or_default();
    let thought = some(format!(", {} of them thoughts", grouped(thought)), thought);
    rows.push(("Read so far", format!("{}{cached}{written}", counted(tokens.input, "token"))));
    rows.push(("Written so far", format!("{}{thought}", counted(tokens.output, "token"))));
    let cost = match memory.spending.cost() {
        Some(cost) => {
            let known = format!("{} {}", cost.short_amount(), cost.currency);
            match memory.spending.uncounted() {
                Some(models) => format!("at least {known}: the calls of {models} are not included"),
                None => known,
            }
        }
        None if memory.spending.is_free() => "nothing".to_owned(),
        None => "unknown: a model without a known price was used".to_owned(),
    };
    rows.push(("Cost so far", cost));
    let rows =
        rows.iter().map(|(name, value)| format!("| {name} | {} |\n", value.replace('|', "\\|")));
    format!("| Session | |\n|---|---|\n{}", rows.collect::<String>())
}
