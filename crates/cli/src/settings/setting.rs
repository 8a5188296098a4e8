//! The settings that the file and the environment can hold, and the values that they take.

use attache_coder::{Coder, ProviderVariables};

/// The variable that names the file of rules.
pub(super) const PERMISSIONS: &str = "ATTACHE_PERMISSIONS";

/// A setting that the file can contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key in the file and on the command line, such as `base_url.openai`.
    pub(crate) key: String,
    /// The variables for the setting; the first is the one passed to the agent.
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
            Self::Words | Self::Mode | Self::Path => Ok(()),
        }
    }
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
    plain.map(setting).into_iter().chain(addresses).collect()
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
        ] {
            assert_eq!(shape.check(value), Ok(()), "{value}");
        }
        for (shape, value) in [
            (Shape::Words, " "),
            (Shape::Words, "a\nb"),
            (Shape::Mode, "fast"),
            (Shape::Address, "localhost:8080"),
            (Shape::Address, "https://"),
            (Shape::Address, "https://me:secret@host/v1"),
        ] {
            assert!(shape.check(value).is_err(), "{value}");
        }
    }
}
