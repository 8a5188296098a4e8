//! A person's settings for the built-in agent: what the environment says, else the files of the
//! configuration folder, else nothing.
//!
//! Each setting has a key in the file and a variable; the agent asks for variables and does not
//! know where a value stands.

pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod models_file;
pub(crate) mod setting;

use attache_coder::ProviderVariables;
use file::SettingsFile;
use keys::KeysFile;
use setting::{PERMISSIONS, Setting, Shape, known};
use std::env;
use std::path::{Path, PathBuf};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    /// This variable of the environment.
    Environment(String),
    /// This line of the file, from 1.
    File(usize),
    /// The file of keys.
    Keys,
}

/// The settings as they are when a process begins.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) file: SettingsFile,
    pub(crate) keys: KeysFile,
    pub(crate) providers: Vec<ProviderVariables>,
    /// What was given on the command line, by variable.
    flags: Vec<(&'static str, String)>,
    troubles: Vec<String>,
}

impl Settings {
    /// Reads the files. What cannot be used is left out, and is a trouble. A project's own files
    /// are not looked at: whoever wrote the project does not decide what this program does.
    pub(crate) fn read() -> Self {
        let mut troubles = Vec::new();
        let own = models_file::text().ok().flatten();
        let providers = attache_coder::provider_variables(own.as_deref());
        let file = SettingsFile::read(&known(&providers), &mut troubles);
        let keys = KeysFile::read(&mut troubles);
        Self { file, keys, providers, flags: Vec::new(), troubles }
    }

    /// The same with what was given on the command line, which counts before all else.
    pub(crate) fn with(mut self, variable: &'static str, value: Option<&str>) -> Self {
        self.flags.extend(value.map(|value| (variable, value.to_owned())));
        self
    }

    /// What is wrong with the files, one sentence each.
    pub(crate) fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// The value of a variable: that of the command line, else that of the environment, else that
    /// of the files.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let flag = self.flags.iter().find(|(variable, _)| *variable == name);
        flag.map(|(_, value)| value.clone()).or_else(|| set(name)).or_else(|| self.filed(name))
    }

    /// The same as a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    /// The person's file of rules, which need not be there; none where the setting says `none`, or
    /// where there is no folder for it.
    pub(crate) fn permissions(&self) -> Option<PathBuf> {
        match self.path(PERMISSIONS) {
            Some(path) if path == Path::new(setting::NONE) => None,
            Some(path) => Some(std::path::absolute(&path).unwrap_or(path)),
            None => crate::folder::configuration().map(|folder| folder.join("permissions.toml")),
        }
    }

    /// What the files say in place of a variable. Where the environment says the same by another
    /// name, it says it.
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

    /// All settings that there are.
    pub(crate) fn known(&self) -> Vec<Setting> {
        known(&self.providers)
    }

    /// What a setting is now, and where that comes from; nothing where the default holds.
    pub(crate) fn value(&self, setting: &Setting) -> Option<(String, From)> {
        let named = setting
            .variables
            .iter()
            .find_map(|name| Some((set(name)?, From::Environment(name.clone()))));
        named.or_else(|| {
            self.file.value(&setting.key).map(|(value, line)| (value.to_owned(), From::File(line)))
        })
    }

    /// The same to be shown: an address without what logs in.
    pub(crate) fn shown(&self, setting: &Setting) -> Option<(String, From)> {
        let (value, from) = self.value(setting)?;
        let value = if setting.shape == Shape::Address {
            attache_coder::without_login(&value)
        } else {
            value
        };
        Some((value, from))
    }

    /// Where the key of a provider comes from, if there is one.
    pub(crate) fn key(&self, provider: &ProviderVariables) -> Option<From> {
        let named = provider.keys.iter().find(|name| set(name).is_some());
        let kept = || self.keys.key(&provider.id).map(|_| From::Keys);
        named.map(|name| From::Environment(name.clone())).or_else(kept)
    }
}

/// A variable of the environment that is not blank.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}
