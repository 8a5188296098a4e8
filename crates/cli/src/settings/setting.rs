//! The settings that the file and the environment can hold, and the values that they take.

use attache_coder::{Coder, ProviderVariables};
use attache_host::Launch;
use attache_screen::SCREEN_SETTINGS;

/// The variable that names the file of rules.
pub(super) const PERMISSIONS: &str = "ATTACHE_PERMISSIONS";

/// A setting that the file can contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key in the file and on the command line, such as `base_url.openai`.
    pub(crate) key: String,
    /// The variables for the setting; the first is the one passed to the agent. Settings of the
    /// screen have none.
    pub(crate) variables: Vec<String>,
    /// The kind of value.
    pub(crate) shape: Shape,
    /// A description of the default.
    pub(crate) default: &'static str,
}

/// The kind of value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Text on one line.
    Words,
    /// One of the modes.
    Mode,
    /// A file, or the word `none`.
    Path,
    /// A URL that begins with `http://` or `https://`.
    Address,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A program with its arguments.
    Command,
    /// A number of bytes with a unit, such as `2GB`.
    Size,
    /// A number of milliseconds.
    Milliseconds,
    /// A number of seconds.
    Seconds,
}

impl Shape {
    /// Checks a value. The error describes the expected value.
    pub(crate) fn check(self, value: &str) -> Result<(), String> {
        let blank = value.trim().is_empty() || value.chars().any(char::is_control);
        match self {
            _ if blank => Err("text on one line".to_owned()),
            Self::Mode if Coder::modes().all(|mode| mode != value) => {
                Err(format!("one of {}", Coder::modes().collect::<Vec<_>>().join(", ")))
            }
            Self::Address => address(value),
            Self::OneOf(words) if !words.contains(&value) => {
                Err(format!("one of {}", words.join(", ")))
            }
            Self::Command => match Launch::parse(value) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("a program with its arguments: {error}")),
            },
            Self::Size => size(value).map(drop).ok_or_else(|| {
                "a whole number with a unit: KB, MB, GB or TB, such as 500MB".to_owned()
            }),
            Self::Milliseconds => match value.trim().parse::<u32>() {
                Ok(_) => Ok(()),
                Err(_) => Err("a whole number of milliseconds".to_owned()),
            },
            Self::Seconds => match value.trim().parse::<u32>() {
                Ok(_) => Ok(()),
                Err(_) => Err("a whole number of seconds".to_owned()),
            },
            Self::OneOf(_) | Self::Words | Self::Mode | Self::Path => Ok(()),
        }
    }
}

/// Returns the number of bytes of a size such as `2GB`. A unit is a power of 1000, as in the sizes
/// that `attache doctor` shows.
pub(crate) fn size(value: &str) -> Option<u64> {
    let value = value.trim();
    let digits = value.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = value.split_at_checked(digits)?;
    let unit: u64 = match unit.trim().to_ascii_uppercase().as_str() {
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn address(value: &str) -> Result<(), String> {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    let host =
        rest.and_then(|rest| rest.split(['/', '?', '#']).next()).filter(|host| !host.is_empty());
    match host {
        Some(host) if host.contains('@') => {
            Err("a URL without a name or password: store keys with `attache config key`".to_owned())
        }
        Some(_) => Ok(()),
        None => Err("a URL that begins with https:// or http://".to_owned()),
    }
}

/// The variable with the file of sessions.
pub(crate) const STORE: &str = "ATTACHE_STORE";

/// The variable with the folder of checkpoints.
pub(crate) const CHECKPOINTS: &str = "ATTACHE_CHECKPOINTS";

/// The variable with the size that all checkpoints together may have.
pub(crate) const CHECKPOINTS_DISK: &str = "ATTACHE_CHECKPOINTS_DISK";

/// The variable with the size up to which checkpoints keep a file.
pub(crate) const CHECKPOINTS_FILE: &str = "ATTACHE_CHECKPOINTS_FILE";

/// The variable that decides whether checkpoints keep files with secrets.
pub(crate) const CHECKPOINTS_SECRETS: &str = "ATTACHE_CHECKPOINTS_SECRETS";

/// The variable with the time that a prompt waits for a checkpoint.
pub(crate) const CHECKPOINTS_WAIT: &str = "ATTACHE_CHECKPOINTS_WAIT";

/// The value that selects no file.
pub(crate) const NONE: &str = "none";

/// Returns all settings, including the URLs of these providers.
pub(super) fn known(providers: &[ProviderVariables]) -> Vec<Setting> {
    let plain = [
        (
            "model",
            "ATTACHE_MODEL",
            Shape::Words,
            "the first model of the first provider with a key, or offline",
        ),
        ("fallback", "ATTACHE_FALLBACK", Shape::Words, "none"),
        ("mode", "ATTACHE_MODE", Shape::Mode, "ask"),
        ("thought_level", "ATTACHE_THOUGHT_LEVEL", Shape::Words, "the model's own"),
        ("titles", "ATTACHE_TITLES", Shape::Words, "on: a model writes session titles"),
        ("permissions", PERMISSIONS, Shape::Path, "permissions.toml in the configuration folder"),
        ("store", STORE, Shape::Path, "sessions.db in the data folder"),
        (
            "checkpoints.store",
            CHECKPOINTS,
            Shape::Path,
            "checkpoints beside the store of sessions; none takes no checkpoints",
        ),
        ("checkpoints.disk", CHECKPOINTS_DISK, Shape::Size, "2GB"),
        ("checkpoints.file", CHECKPOINTS_FILE, Shape::Size, "5MB"),
        (
            "checkpoints.secrets",
            CHECKPOINTS_SECRETS,
            Shape::OneOf(&["on", "off"]),
            "off: files with secrets are not kept",
        ),
        (
            "checkpoints.wait",
            CHECKPOINTS_WAIT,
            Shape::Milliseconds,
            "300: a prompt waits so many ms",
        ),
    ];
    let setting = |(key, variable, shape, default): (&str, &str, Shape, &'static str)| Setting {
        key: key.to_owned(),
        variables: vec![variable.to_owned()],
        shape,
        default,
    };
    let addresses =
        providers.iter().filter(|provider| !provider.base_urls.is_empty()).map(|provider| {
            Setting {
                key: format!("base_url.{}", provider.id),
                variables: provider.base_urls.clone(),
                shape: Shape::Address,
                default: "the provider's own",
            }
        });
    let wires = providers.iter().filter_map(|provider| {
        Some(Setting {
            key: format!("wire.{}", provider.id),
            variables: vec![provider.wire.clone()?],
            shape: Shape::OneOf(&["chat", "responses"]),
            default: "responses at the provider's own addresses, chat elsewhere",
        })
    });
    let plain = plain.map(setting).into_iter();
    plain.chain(addresses).chain(wires).chain(of_screen()).chain(of_hub()).collect()
}

/// The setting with the program that shows notifications.
pub(crate) const NOTIFIER: &str = "screen.notifier";

/// The setting that says whose hub the screen uses.
pub(crate) const HUB: &str = "screen.hub";

/// The value of [`HUB`] for a hub of the screen itself.
pub(crate) const OWN: &str = "own";

/// Returns the settings of the screen.
fn of_screen() -> impl Iterator<Item = Setting> {
    let setting = |key: &str, shape, default| Setting {
        key: key.to_owned(),
        variables: Vec::new(),
        shape,
        default,
    };
    let chosen = SCREEN_SETTINGS.iter().map(move |it| {
        let default = it.values.first().copied().unwrap_or_default();
        setting(it.key, Shape::OneOf(it.values), default)
    });
    let usual = "notify-send or terminal-notifier, if it is installed";
    let others = [
        setting(NOTIFIER, Shape::Command, usual),
        setting(HUB, Shape::OneOf(&["shared", OWN]), "shared, if `attache serve` runs"),
    ];
    chosen.chain(others)
}

/// The setting with the program that the shared hub runs for a person who does not look.
pub(crate) const HUB_COMMAND: &str = "hub.notify_command";

/// The setting with the address to which the shared hub posts the same.
pub(crate) const HUB_URL: &str = "hub.notify_url";

/// The setting with the file that holds the token for this address.
pub(crate) const HUB_TOKEN: &str = "hub.notify_token";

/// The setting with the time after which the shared hub notifies.
pub(crate) const HUB_AFTER: &str = "hub.notify_after";

/// Returns the settings of the shared hub.
fn of_hub() -> impl Iterator<Item = Setting> {
    let all = [
        (HUB_COMMAND, Shape::Command, "none"),
        (HUB_URL, Shape::Address, "none"),
        (HUB_TOKEN, Shape::Path, "ATTACHE_NOTIFY_TOKEN, or no token"),
        (HUB_AFTER, Shape::Seconds, "60 seconds"),
    ];
    let setting = |(key, shape, default): (&str, Shape, &'static str)| Setting {
        key: key.to_owned(),
        variables: Vec::new(),
        shape,
        default,
    };
    all.map(setting).into_iter()
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn a_value_must_have_its_shape() {
        for (shape, value) in [
            (Shape::Words, "openai/gpt"),
            (Shape::Mode, "plan"),
            (Shape::Address, "http://localhost:8080/v1"),
            (Shape::Path, "none"),
            (Shape::OneOf(&["dark", "light"]), "light"),
            (Shape::Command, "notify-send '--icon=a b'"),
            (Shape::Size, "2GB"),
            (Shape::Milliseconds, "300"),
            (Shape::Seconds, "60"),
            (Shape::OneOf(&["on", "off"]), "off"),
        ] {
            assert_eq!(shape.check(value), Ok(()), "{value}");
        }
        for (shape, value) in [
            (Shape::Words, " "),
            (Shape::Words, "a\nb"),
            (Shape::Mode, "fast"),
            (Shape::OneOf(&["dark", "light"]), "blue"),
            (Shape::Command, "notify-send '"),
            (Shape::Address, "localhost:8080"),
            (Shape::Address, "https://"),
            (Shape::Address, "https://me:secret@host/v1"),
            (Shape::Size, "2"),
            (Shape::Size, "99999999999TB"),
            (Shape::Milliseconds, "0.3 s"),
            (Shape::Seconds, "1 min"),
        ] {
            assert!(shape.check(value).is_err(), "{value}");
        }
    }
}
