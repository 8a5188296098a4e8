//! The settings of the screen itself, which the person changes on the screen or in the
//! configuration file.

use crate::terminal::notification::NotificationMethod;

/// What the person sets for the screen, besides the theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenSettings {
    /// Whether prompts are edited with the keys of vim.
    pub vim: bool,
    /// Whether the screen uses the mouse, instead of the terminal.
    pub mouse: bool,
    /// How the person is notified while the terminal is not focused.
    pub notifications: NotificationMethod,
    /// The program that shows notifications, with its arguments. The title and the text become
    /// further arguments. Without one, an installed program of the desktop is used.
    pub notify_command: Vec<String>,
    /// Whether the reasoning of the agent is folded.
    pub folds_thoughts: bool,
}

impl Default for ScreenSettings {
    fn default() -> Self {
        Self {
            vim: false,
            mouse: true,
            notifications: NotificationMethod::default(),
            notify_command: Vec::new(),
            folds_thoughts: true,
        }
    }
}

/// A setting that the person chooses on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSetting {
    /// The key in the configuration file.
    pub key: &'static str,
    /// The values, the default first.
    pub values: &'static [&'static str],
    /// The name for people.
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// The settings that the person chooses on the screen.
pub const SCREEN_SETTINGS: &[ScreenSetting] = &[
    ScreenSetting {
        key: "screen.theme",
        values: &["dark", "light"],
        name: "Theme",
        description: "The colours for dark or light terminals",
    },
    ScreenSetting {
        key: "screen.vim",
        values: &["off", "on"],
        name: "Vim keys",
        description: "Edit prompts with the keys of vim",
    },
    ScreenSetting {
        key: "screen.mouse",
        values: &["on", "off"],
        name: "Mouse",
        description: "The mouse scrolls and clicks; off: the terminal selects text",
    },
    ScreenSetting {
        key: "screen.notify",
        values: &["on", "bell", "off"],
        name: "Notifications",
        description: "While the terminal is not focused: a message, only a bell, or nothing",
    },
    ScreenSetting {
        key: "screen.thoughts",
        values: &["folded", "shown"],
        name: "Reasoning",
        description: "The reasoning of the agent begins folded, or is shown",
    },
];

/// A setting of the screen with its current value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScreenValue {
    pub(crate) setting: &'static ScreenSetting,
    pub(crate) value: &'static str,
}
