//! The person's settings for the built-in agent: from the environment, or from the files of the
//! configuration folder.
//!
//! Each setting has a key in the file and a variable. The agent reads variables and does not know
//! the source of a value.

pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod models_file;
pub(crate) mod screen;
pub(crate) mod setting;

use attache_coder::ProviderVariables;
use file::SettingsFile;
use keys::KeysFile;
use setting::{PERMISSIONS, Setting, Shape, known};
use std::env;
use std::path::{Path, PathBuf};

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    /// A variable of the environment.
    Environment(String),
    /// A line of the settings file, counted from 1.
    File(usize),
    /// The file of keys.
    Keys,
}

/// The settings at the start of a process.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) file: SettingsFile,
    pub(crate) keys: KeysFile,
    pub(crate) providers: Vec<ProviderVariables>,
    /// Values of flags, by variable.
    flags: Vec<(&'static str, String)>,
    troubles: Vec<String>,
}

impl Settings {
    /// Reads the files. Unusable values are ignored and reported as troubles. A project's own files
    /// are never read, because the author of a project must not control this program.
    pub(crate) fn read() -> Self {
        let mut troubles = Vec::new();
        let own = models_file::text().ok().flatten();
        let providers = attache_coder::provider_variables(own.as_deref());
        let file = SettingsFile::read(&known(&providers), &mut troubles);
        let keys = KeysFile::read(&mut troubles);
        Self { file, keys, providers, flags: Vec::new(), troubles }
    }

    /// Adds the value of a flag, which overrides everything else.
    pub(crate) fn with(mut self, variable: &'static str, value: Option<&str>) -> Self {
        self.flags.extend(value.map(|value| (variable, value.to_owned())));
        self
    }

    /// Returns the problems of the files, one sentence each.
    pub(crate) fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Returns the value of a variable: from a flag, the environment, or the files, in this order.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let flag = self.flags.iter().find(|(variable, _)| *variable == name);
        flag.map(|(_, value)| value.clone()).or_else(|| set(name)).or_else(|| self.filed(name))
    }

    /// Returns the value as a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    /// Returns the person's file of rules, which need not exist; `None` if the setting is `none` or
    /// no folder is known.
    pub(crate) fn permissions(&self) -> Option<PathBuf> {
        match self.path(PERMISSIONS) {
            Some(path) if path == Path::new(setting::NONE) => None,
            Some(path) => Some(std::path::absolute(&path).unwrap_or(path)),
            None => crate::folder::configuration().map(|folder| folder.join("permissions.toml")),
        }
    }

    /// Returns the value that the files have for a variable; `None` if the environment sets any of
    /// its names.
    fn filed(&self, name: &str) -> Option<String> {
        let meant = |variables: &[String]| {
            variables.first().is_some_and(|first| first == name)
                && variables.iter().all(|name| set(name).is_none())
        };
        if let Some(provider) = self.providers.iter().find(|provider| meant(&provider.keys)) {
            return self.keys.key(&provider.id).map(|key| key.expose().to_owned());
        }
        let setting = self.known().into_iter().find(|setting| meant(&setting.variables))?;
        self.file.value(&setting.key).map(|(value, _)| value.to_owned())
    }

    /// Returns all settings.
    pub(crate) fn known(&self) -> Vec<Setting> {
        known(&self.providers)
    }

    /// Returns the value of a setting and its source; `None` for the default.
    pub(crate) fn value(&self, setting: &Setting) -> Option<(String, From)> {
        let named = setting
            .variables
            .iter()
            .find_map(|name| Some((set(name)?, From::Environment(name.clone()))));
        named.or_else(|| {
            self.file.value(&setting.key).map(|(value, line)| (value.to_owned(), From::File(line)))
        })
    }

    /// Returns the value for display: a URL without its login.
    pub(crate) fn shown(&self, setting: &Setting) -> Option<(String, From)> {
        let (value, from) = self.value(setting)?;
        let value = if setting.shape == Shape::Address {
            attache_coder::without_login(&value)
        } else {
            value
        };
        Some((value, from))
    }

    /// Returns the source of a provider's key, if there is one.
    pub(crate) fn key(&self, provider: &ProviderVariables) -> Option<From> {
        let named = provider.keys.iter().find(|name| set(name).is_some());
        let kept = || self.keys.key(&provider.id).map(|_| From::Keys);
        named.map(|name| From::Environment(name.clone())).or_else(kept)
    }
}

/// Returns a variable of the environment that is not blank.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}
