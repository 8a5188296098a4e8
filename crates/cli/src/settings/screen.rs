//! The settings of the screen in the settings file.

use super::Settings;
use super::setting::{HUB, NOTIFIER, OWN};
use crate::exit::Failure;
use crate::{folder, theme};
use attache_host::Launch;
use attache_screen::{NotificationMethod, ScreenSettings};

/// The setting with the name of the theme.
const THEME: &str = "screen.theme";

impl Settings {
    /// Returns the settings of the screen.
    pub(crate) fn screen(&self) -> ScreenSettings {
        let default = ScreenSettings::default();
        let value = |key: &str| self.file.value(key).map(|(value, _)| value);
        let is = |key: &str, wanted: &str, default: bool| {
            value(key).map_or(default, |value| value == wanted)
        };
        let notifications = value("screen.notify").and_then(NotificationMethod::named);
        ScreenSettings {
            vim: is("screen.vim", "on", default.vim),
            mouse: is("screen.mouse", "on", default.mouse),
            notifications: notifications.unwrap_or(default.notifications),
            notify_command: value(NOTIFIER).and_then(words).unwrap_or_default(),
            folds_thoughts: is("screen.thoughts", "folded", default.folds_thoughts),
        }
    }

    /// Whether the screen uses no shared hub.
    pub(crate) fn has_own_hub(&self) -> bool {
        self.file.value(HUB).is_some_and(|(value, _)| value == OWN)
    }

    /// Returns the name of the theme; `None` if none is set.
    pub(crate) fn theme(&self) -> Option<&str> {
        self.file.value(THEME).map(|(value, _)| value)
    }
}

/// Divides the command line of a program into its words. No shell reads it.
fn words(command_line: &str) -> Option<Vec<String>> {
    let launch = Launch::parse(command_line).ok()?;
    let words = std::iter::once(launch.program()).chain(launch.arguments());
    words.map(|word| word.to_str().map(str::to_owned)).collect()
}

/// Stores a setting of the screen. Reads the file once more, because another program may have
/// changed it.
///
/// # Errors
/// Returns an error if the file is broken or cannot be written, or if the setting has no effect at
/// the next start.
pub(crate) fn store(key: &str, value: &str) -> Result<(), Failure> {
    Settings::read().file.set(key, value)?;
    let has_file = folder::configuration().is_some_and(|folder| folder.join(theme::FILE).exists());
    match key == THEME && has_file {
        true => Err(Failure::usage(format!(
            "{} replaces it at the start: change `base` in that file",
            theme::FILE
        ))),
        false => Ok(()),
    }
}
