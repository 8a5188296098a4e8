//! Changes of the settings of the screen, and what they lead to.

use crate::app::screen_settings::{SCREEN_SETTINGS, ScreenSetting, ScreenValue};
use crate::app::slot::Slot;
use crate::app::state::App;
use crate::terminal::notification::NotificationMethod;
use crate::terminal::{modes, notification};
use crate::theme::Theme;

impl App {
    /// Returns the settings of the screen with their current values.
    pub(crate) fn screen_values(&self) -> Vec<ScreenValue> {
        let settings = &self.settings;
        let on = |is_on| if is_on { "on" } else { "off" };
        let value = |key| match key {
            "screen.theme" if self.theme.is_light() => "light",
            "screen.theme" => "dark",
            "screen.vim" => on(settings.vim),
            "screen.mouse" => on(settings.mouse),
            "screen.thoughts" if settings.folds_thoughts => "folded",
            "screen.thoughts" => "shown",
            _ => settings.notifications.name(),
        };
        let of =
            |setting: &'static ScreenSetting| ScreenValue { setting, value: value(setting.key) };
        SCREEN_SETTINGS.iter().map(of).collect()
    }

    /// Returns the value behind the current one of a setting.
    pub(crate) fn next_value(&self, key: &str) -> &'static str {
        let found = self.screen_values().into_iter().find(|it| it.setting.key == key);
        let Some(ScreenValue { setting, value }) = found else { return "" };
        let mut behind = setting.values.iter().skip_while(|it| **it != value).skip(1);
        behind.next().or(setting.values.first()).copied().unwrap_or_default()
    }

    /// Changes a setting of the screen now and for the next start.
    pub(crate) fn set_screen(&mut self, key: &str, value: &str) {
        self.is_dirty = true;
        let setting = SCREEN_SETTINGS.iter().find(|setting| setting.key == key);
        let Some(setting) = setting.filter(|setting| setting.values.contains(&value)) else {
            let values = setting.map(|setting| setting.values.join(", ")).unwrap_or_default();
            return self.notices.warning(&format!("choose one of {values}"));
        };
        match key {
            "screen.theme" => self.use_theme(value == "light"),
            "screen.vim" => {
                self.settings.vim = value == "on";
                self.composer.set_vim(self.settings.vim);
            }
            "screen.mouse" => {
                self.settings.mouse = value == "on";
                // A terminal that cannot be written ends the screen with the next frame.
                let _ = modes::set_mouse(self.settings.mouse);
            }
            "screen.thoughts" => {
                self.settings.folds_thoughts = value == "folded";
                let folds = self.settings.folds_thoughts;
                let open = self.slots.iter_mut().filter_map(Slot::conversation_mut);
                open.for_each(|conversation| conversation.transcript.set_folds_thoughts(folds));
            }
            _ => self.settings.notifications = NotificationMethod::named(value).unwrap_or_default(),
        }
        match self.services.store_setting(key, value) {
            Ok(()) => self.notices.info(&format!("{}: {value}", setting.name)),
            Err(why) => {
                let name = setting.name;
                self.notices.warning(&format!("{name}: {value}, only until the end: {why}"));
            }
        }
    }

    fn use_theme(&mut self, light: bool) {
        let (depth, glyphs) = (self.theme.depth(), *self.theme.glyphs());
        self.theme = match light {
            true => Theme::light(depth, glyphs),
            false => Theme::dark(depth, glyphs),
        };
        // A question that is shown keeps the styles with which it was laid out.
        self.drop_question();
    }

    /// Notifies the person of something.
    pub(crate) fn notify_of(&mut self, title: &str, text: &str) {
        let settings = &self.settings;
        notification::notify(settings.notifications, title, text);
        if settings.notifications == NotificationMethod::Automatic {
            let command = settings.notify_command.clone();
            let program = notification::desktop_program(&command, title, text);
            if let Some(program) = program {
                self.tasks.spawn(async move {
                    notification::run(program).await;
                    crate::app::state::Done::Nothing
                });
            }
        }
    }
}
