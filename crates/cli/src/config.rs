//! `attache config`: shows and changes the settings of the built-in agent.

pub(crate) mod arguments;
mod page;

use crate::exit::{Exit, Failure};
use crate::settings::setting::{Setting, Shape};
use crate::settings::{From, Settings, models_file};
use crate::show::json::escaped;
use crate::show::paint::Paint;
use crate::terminal;
use arguments::{Config, Task};
use attache_coder::ProviderVariables;
use attache_protocol::Secret;
use attache_screen::keymap::Keymap;
use attache_screen::theme::Theme;
use attache_view::sanitize;
use page::Page;
use serde_json::{Value, json};
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write};

/// The settings that name a model: the default model, and the fallback.
const MODELS: [&str; 2] = ["model", "fallback"];

/// The variable that selects the model.
const WISH: &str = "ATTACHE_MODEL";

/// The maximum length of a key, in bytes.
const LONGEST_KEY: u64 = 16 * 1024;

/// Runs `attache config`.
pub(crate) async fn config(arguments: Config) -> Result<Exit, Failure> {
    let settings = Settings::read();
    match arguments.task {
        None => show(&settings, arguments.json),
        Some(Task::Get { key }) => {
            let setting = find(&settings, &key)?;
            match settings.shown(&setting) {
                Some((value, _)) => print(&[sanitize::line(&value)]),
                None => Err(Failure::usage(format!(
                    "{key} is not set; the default is {}",
                    setting.default
                ))),
            }
        }
        Some(Task::Set { key, value }) => set(settings, &key, &value).await,
        Some(Task::Unset { key }) => {
            let setting = find(&settings, &key)?;
            match settings.file.unset(&setting.key)? {
                true => Exit::report(&format!("removed {key} from {}", settings.file.shown())),
                false => Exit::report(&format!(
                    "{key} is not set in {}; nothing changed",
                    settings.file.shown()
                )),
            }
        }
        Some(Task::Key { provider, remove }) => key(&settings, &provider, remove).await,
        Some(Task::Keymap) => print(&[Keymap::default_file()]),
        Some(Task::Theme { name }) => print(&[Theme::source(&name).unwrap_or_default().to_owned()]),
    }
}

fn find(settings: &Settings, key: &str) -> Result<Setting, Failure> {
    let known = settings.known();
    known.iter().find(|setting| setting.key == key).cloned().ok_or_else(|| {
        let keys: Vec<&str> = known.iter().map(|setting| setting.key.as_str()).collect();
        Failure::usage(format!(
            "unknown setting {}: use one of {}",
            sanitize::line(key),
            keys.join(", ")
        ))
    })
}

/// Asks for a provider and its key, and stores the key.
pub(crate) async fn add_key() -> Result<Exit, Failure> {
    let settings = Settings::read();
    let ids: Vec<&str> = settings.providers.iter().map(|provider| provider.id.as_str()).collect();
    Exit::report(&format!("Which provider? One of {}", ids.join(", ")))?;
    let mut line = String::new();
    let read = io::stdin().lock().take(LONGEST_KEY).read_line(&mut line);
    read.map_err(|error| Failure::usage(format!("the provider cannot be read: {error}")))?;
    key(&settings, line.trim(), false).await
}

async fn set(settings: Settings, key: &str, value: &str) -> Result<Exit, Failure> {
    let setting = find(&settings, key)?;
    let absolute = std::path::absolute(value)
        .ok()
        .filter(|_| setting.shape == Shape::Path && value != crate::store::NONE);
    let value = absolute.map_or_else(|| value.trim().to_owned(), |path| path.display().to_string());
    setting
        .shape
        .check(&value)
        .map_err(|expected| Failure::usage(format!("{key} must be {expected}")))?;
    if MODELS.contains(&setting.key.as_str()) {
        is_usable(&setting, &value).await?;
    }
    settings.file.set(&setting.key, &value)?;
    let hidden = setting
        .variables
        .iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let but =
        hidden.map_or_else(String::new, |name| format!("; {name} in the environment overrides it"));
    Exit::report(&format!("set {key} in {}{but}", settings.file.shown()))
}

/// Refuses a model that cannot be used. The error names the variable of this setting.
async fn is_usable(setting: &Setting, model: &str) -> Result<(), Failure> {
    let with = Settings::read().with(WISH, Some(model));
    let Some(why) = crate::models::models(&with).0.unusable().await else { return Ok(()) };
    let variable = setting.variables.first().map_or(WISH, |name| name);
    let why = why
        .replace(WISH, variable)
        .replace("config set model", &format!("config set {}", setting.key));
    Err(Failure::usage(format!("nothing changed: {why}")))
}

async fn key(settings: &Settings, id: &str, remove: bool) -> Result<Exit, Failure> {
    let Some(provider) = settings.providers.iter().find(|provider| provider.id == id) else {
        let ids: Vec<&str> =
            settings.providers.iter().map(|provider| provider.id.as_str()).collect();
        return Err(Failure::usage(format!(
            "unknown provider {}: use one of {}",
            sanitize::line(id),
            ids.join(", ")
        )));
    };
    let shown = settings.keys.shown();
    if remove {
        return match settings.keys.keep(id, None)? {
            true => Exit::report(&format!("removed the key of {} from {shown}", provider.name)),
            false => Exit::report(&format!("{shown} has no key of {}", provider.name)),
        };
    }
    let key = asked(provider).await?;
    settings.keys.keep(id, Some(&key))?;
    let named = provider
        .keys
        .iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let but =
        named.map_or_else(String::new, |name| format!("; {name} in the environment overrides it"));
    Exit::report(&format!(
        "stored the key of {} in {shown}, which only you can read{but}",
        provider.name
    ))
}

/// Reads the key from the terminal or from stdin.
async fn asked(provider: &ProviderVariables) -> Result<Secret, Failure> {
    let text = match io::stdin().is_terminal() {
        true => {
            let prompt = format!("Key of {} (not shown): ", sanitize::line(&provider.name));
            crate::key::hidden_line(prompt).await.map(Option::unwrap_or_default)
        }
        false => {
            let mut text = String::new();
            io::stdin().lock().take(LONGEST_KEY).read_to_string(&mut text).map(|_| text)
        }
    };
    let text = text.map_err(|error| Failure::usage(format!("the key cannot be read: {error}")))?;
    let key = text.trim();
    match key.is_empty() || key.contains(char::is_whitespace) || key.contains(char::is_control) {
        true => Err(Failure::usage("this is not a key: expected one word".to_owned())),
        false => Ok(Secret::from(key)),
    }
}

fn show(settings: &Settings, json: bool) -> Result<Exit, Failure> {
    match json {
        true => print(&as_json(settings)),
        false => {
            let paint = Paint::of(&io::stdout());
            print(&for_people(settings, paint))?;
            for trouble in settings.troubles() {
                Exit::report(&format!("attache config: {trouble}"))?;
            }
            Ok(Exit::Done)
        }
    }
}

fn as_json(settings: &Settings) -> Vec<String> {
    let from = |from: &From| match from {
        From::Environment(name) => json!({ "environment": name }),
        From::File(line) => json!({ "file": settings.file.shown(), "line": line }),
        From::Keys => json!({ "file": settings.keys.shown() }),
    };
    let setting = |setting: Setting| {
        let value = settings.shown(&setting);
        let from = value.as_ref().map_or(Value::Null, |(_, place)| from(place));
        json!({ "key": setting.key, "value": value.map(|(value, _)| value), "from": from })
    };
    let key = |provider: &ProviderVariables| {
        let place = settings.key(provider);
        let from = place.as_ref().map_or(Value::Null, from);
        json!({ "provider": provider.id, "keySet": place.is_some(), "from": from })
    };
    let lines = settings.known().into_iter().map(setting).chain(settings.providers.iter().map(key));
    let troubles = settings.troubles().iter().map(|trouble| json!({ "trouble": trouble }));
    lines.chain(troubles).map(|line| escaped(&line.to_string())).collect()
}

fn for_people(settings: &Settings, paint: Paint) -> Vec<String> {
    let mut page =
        Page::new(paint, if io::stdout().is_terminal() { terminal::columns() } else { None });
    let there = |exists: bool| if exists { "" } else { "(does not exist)" };
    let file = |name: &str, shown: String, exists: bool| {
        (name.to_owned(), shown, there(exists).to_owned())
    };
    page.part("files");
    page.rows(&[
        file("settings", settings.file.shown(), settings.file.exists()),
        file("keys", settings.keys.shown(), settings.keys.exists()),
        file("models", models_file::shown(), models_file::exists()),
    ]);
    page.part("settings");
    let (mut unset, mut rows) = (Vec::new(), Vec::new());
    for setting in settings.known() {
        match settings.shown(&setting) {
            Some((value, from)) => rows.push((setting.key, sanitize::line(&value), place(&from))),
            // Unset addresses are listed by name only.
            None if setting.shape == Shape::Address => unset.push(setting.key),
            None => {
                rows.push((setting.key, format!("({})", setting.default), "default".to_owned()))
            }
        }
    }
    page.rows(&rows);
    page.list("not set:", &unset);
    page.part("keys (never shown)");
    let (with, without): (Vec<_>, Vec<_>) = settings
        .providers
        .iter()
        .map(|provider| (provider, settings.key(provider)))
        .partition(|(_, key)| key.is_some());
    let set = |(provider, from): &(&ProviderVariables, Option<From>)| {
        (
            sanitize::line(&provider.id),
            "set".to_owned(),
            from.as_ref().map(place).unwrap_or_default(),
        )
    };
    page.rows(&with.iter().map(set).collect::<Vec<_>>());
    let without: Vec<String> =
        without.iter().map(|(provider, _)| sanitize::line(&provider.id)).collect();
    page.list("none:", &without);
    page.lines
}

/// Describes the source of a value.
fn place(from: &From) -> String {
    match from {
        From::Environment(name) => format!("environment, {name}"),
        From::File(line) => format!("settings, line {line}"),
        From::Keys => "keys".to_owned(),
    }
}

fn print(lines: &[String]) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    let written =
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}
