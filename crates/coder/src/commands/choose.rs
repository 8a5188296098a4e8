//! The commands `model` and `mode`, which set an option of the session by name.

use crate::models::Models;
use crate::session::options;
use crate::tools::fit::{code, one_line};
use attache_agent::{Result, Turn};
use attache_protocol::v1::{
    SessionConfigOption, SessionConfigOptionValue, SessionConfigSelectOption,
};

/// The maximum number of choices in a list.
const MAX_LISTED: usize = 60;

/// Sets the option `id` to the value that matches `asked`, and tells the client (CONF-03, MODE-07).
/// Lists the choices if `asked` is empty, matches no value or matches several.
pub(super) async fn choose(models: &Models, turn: &Turn, id: &str, asked: &str) -> Result<String> {
    let mut now = turn.options();
    let Some(option) = now.iter().find(|option| option.id.as_str() == id) else {
        return Ok(format!("This session has no option {}.\n", code(id)));
    };
    let matching = matching(option, asked);
    let (value, name) = match matching.as_slice() {
        [one] => (one.value.clone(), one.name.clone()),
        _ if asked.is_empty() => {
            return Ok(listed(&format!("Choose one with `/{id} NAME`."), option, &matching));
        }
        [] => {
            let all: Vec<_> = option.values().collect();
            let asked = code(&one_line(asked, 60));
            return Ok(listed(
                &format!("There is no {id} {asked}. Choose one of these."),
                option,
                &all,
            ));
        }
        several => {
            let asked = code(&one_line(asked, 60));
            return Ok(listed(
                &format!("{asked} matches several. Choose one of these."),
                option,
                several,
            ));
        }
    };
    let words = option
        .values()
        .find(|other| other.value == value)
        .and_then(|value| value.description.clone());
    options::set(models, &mut now, id, value.as_str());
    turn.config(now).await?;
    let words = words.map(|words| format!(" {words}.")).unwrap_or_default();
    Ok(format!("The {id} is now {name} ({}).{words}\n", code(value.as_str())))
}

/// Returns all values if `asked` is empty. Otherwise returns the value with this id or name or, if
/// there is none, the values that contain its words.
fn matching<'o>(
    option: &'o SessionConfigOption,
    asked: &str,
) -> Vec<&'o SessionConfigSelectOption> {
    let asked = asked.trim_matches(['`', '"', '\'']).to_lowercase();
    let short = |value: &str| value.rsplit('/').next().unwrap_or_default().to_lowercase();
    let exact = |value: &&SessionConfigSelectOption| {
        let id = value.value.as_str();
        id.to_lowercase() == asked || value.name.to_lowercase() == asked || short(id) == asked
    };
    let exact: Vec<_> = option.values().filter(exact).collect();
    if !exact.is_empty() {
        return exact;
    }
    let has = |value: &&SessionConfigSelectOption| {
        value.value.as_str().to_lowercase().contains(&asked)
            || value.name.to_lowercase().contains(&asked)
    };
    option.values().filter(has).collect()
}

/// A sentence and the choices, with the current one marked.
fn listed(
    sentence: &str,
    option: &SessionConfigOption,
    choices: &[&SessionConfigSelectOption],
) -> String {
    let now = option.current_value();
    let row = |value: &&SessionConfigSelectOption| {
        let here = match &now {
            Some(SessionConfigOptionValue::ValueId(now)) if *now == value.value => " (now)",
            _ => "",
        };
        let about =
            value.description.as_deref().map(|about| format!(": {about}")).unwrap_or_default();
        format!("- {} {}{here}{about}\n", code(value.value.as_str()), value.name)
    };
    let mut text =
        format!("{sentence}\n\n{}", choices.iter().take(MAX_LISTED).map(row).collect::<String>());
    if let Some(more) = choices.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("- and {more} more\n"));
    }
    text
}
