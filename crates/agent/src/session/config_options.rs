//! Config options and modes, kept consistent. The options are the source; modes are a view of the
//! first select option of the category `mode`.

use crate::session::open_session::OpenSession;
use crate::session::state::State;
use crate::{Error, Result};
use attache_protocol::v1::{SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory};
use attache_session::{ConfigOptions, EventBody};
use std::future::Future;

/// How the client learns about new options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionNotice {
    /// By an update, `config_option_update`.
    Update,
    /// By the reply to its own call. An update is sent only if the mode changed as well.
    // CONF-22, MODE-07.
    Reply,
}

impl OpenSession {
    /// Changes the options and gives the result to `then`, which queues the reply if one is owed.
    /// Changes do not overlap, so the last options that the client receives are the current ones
    /// (CONF-24). On an error nothing changes (CONF-07). `change` may wait; the connection does not
    /// wait for it.
    pub(crate) async fn change_options<T, F>(
        &self,
        notice: OptionNotice,
        change: impl FnOnce(ConfigOptions) -> F,
        then: impl FnOnce(Result<Vec<SessionConfigOption>>) -> T,
    ) -> T
    where
        F: Future<Output = Result<Vec<SessionConfigOption>>>,
    {
        let _exclusive = self.changing_options.lock().await;
        let config = self.state().session.config().clone();
        let changed = change(config).await.and_then(|options| {
            check(&options)?;
            self.state().adopt_options(notice, options)
        });
        then(changed)
    }

    /// Waits for all earlier changes of options.
    pub(crate) async fn wait_for_options(&self) {
        drop(self.changing_options.lock().await);
    }
}

impl State {
    fn adopt_options(
        &mut self,
        notice: OptionNotice,
        options: Vec<SessionConfigOption>,
    ) -> Result<Vec<SessionConfigOption>> {
        let config = self.session.config();
        if config.options() == options {
            return Ok(options);
        }
        let old_mode = config.current_mode();
        let body = EventBody::ConfigOptions(options.clone());
        let update = self.update(&body);
        self.record(body);
        // A mode is announced only in sessions that had one from the start (MODE-04).
        let new_mode = self.session.config().current_mode().filter(|_| old_mode.is_some());
        let mode_changed = new_mode != old_mode;
        if let Some(update) = update.filter(|_| notice == OptionNotice::Update || mode_changed) {
            self.send_in_order(update)?;
        }
        if let Some(mode) = new_mode.filter(|_| mode_changed) {
            let body = EventBody::CurrentMode(mode);
            let update = self.update(&body);
            self.record(body);
            if let Some(update) = update {
                self.send_in_order(update)?;
            }
        }
        Ok(options)
    }
}

/// Returns the first select option of a category, which the older calls for modes and models set.
pub(crate) fn of_category<'o>(
    config: &'o ConfigOptions,
    category: &SessionConfigOptionCategory,
) -> Option<&'o SessionConfigOption> {
    let is_it = |option: &&SessionConfigOption| {
        option.category() == Some(category) && matches!(option.kind, SessionConfigKind::Select(_))
    };
    config.options().iter().find(is_it)
}

/// Checks the conditions of ACP for options (CONF-06, CONF-14, CONF-19).
pub(crate) fn check(options: &[SessionConfigOption]) -> Result<()> {
    for (index, option) in options.iter().enumerate() {
        let id = &option.id;
        if options.iter().take(index).any(|earlier| earlier.id == *id) {
            return Err(Error::failed(format!("two config options have the id {id}")));
        }
        if let Some(SessionConfigOptionCategory::Unknown(name)) = option.category()
            && !name.starts_with('_')
        {
            return Err(Error::failed(format!(
                "the category {name} of the config option {id} must begin with \"_\""
            )));
        }
        let Some(current) = option.current_value() else {
            return Err(Error::failed(format!(
                "the config option {id} has a type that ACP does not define"
            )));
        };
        if !option.accepts(&current) {
            return Err(Error::failed(format!(
                "the current value of the config option {id} is not one of its values"
            )));
        }
        let values: Vec<_> = option.values().map(|value| &value.value).collect();
        if values
            .iter()
            .enumerate()
            .any(|(index, value)| values.iter().take(index).any(|earlier| earlier == value))
        {
            return Err(Error::failed(format!("the config option {id} has the same value twice")));
        }
    }
    Ok(())
}
