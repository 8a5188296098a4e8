//! Config options and modes, in step (requirements §4.11, §4.12). The options are the one truth;
//! modes are a view of the first select of the category `mode`.

use crate::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::{SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory};
use attache_session::{ConfigOptions, EventBody};
use std::future::Future;

/// How the client learns of new options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// By `config_option_update`.
    ByUpdate,
    /// By the reply to its own call (CONF-22); an update goes out only where the mode changed with
    /// them (MODE-07).
    ByReply,
}

impl OpenSession {
    /// Changes the options and hands all of them, or the refusal, to `then`, which queues the reply
    /// if one is owed. Changes do not overlap, so what the client is told last is what holds
    /// (CONF-24). On an error nothing has changed (CONF-07). `change` may wait; the connection does
    /// not wait for it.
    pub(crate) async fn change_options<T, F>(
        &self,
        told: Told,
        change: impl FnOnce(ConfigOptions) -> F,
        then: impl FnOnce(Result<Vec<SessionConfigOption>>) -> T,
    ) -> T
    where
        F: Future<Output = Result<Vec<SessionConfigOption>>>,
    {
        let _alone = self.changing_options.lock().await;
        let config = self.state().session.config().clone();
        let changed = change(config).await.and_then(|options| {
            check(&options)?;
            self.adopt(told, options)
        });
        then(changed)
    }

    /// Waits for the changes of options that came before.
    pub(crate) async fn options_are_set(&self) {
        drop(self.changing_options.lock().await);
    }

    fn adopt(
        &self,
        told: Told,
        options: Vec<SessionConfigOption>,
    ) -> Result<Vec<SessionConfigOption>> {
        let mut state = self.state();
        let config = state.session.config();
        if config.options() == options {
            return Ok(options);
        }
        let old_mode = config.current_mode();
        let body = EventBody::ConfigOptions(options.clone());
        let update = body.to_update_for(&self.peer.client_capabilities().unwrap_or_default());
        state.record(body);
        // A mode is announced only in sessions that had one to begin with (MODE-04).
        let new_mode = state.session.config().current_mode().filter(|_| old_mode.is_some());
        let mode_changed = new_mode != old_mode;
        if let Some(update) = update.filter(|_| told == Told::ByUpdate || mode_changed) {
            self.send_in_order(&mut state, update)?;
        }
        if let Some(mode) = new_mode.filter(|_| mode_changed) {
            let body = EventBody::CurrentMode(mode);
            let update = body.to_update();
            state.record(body);
            if let Some(update) = update {
                self.send_in_order(&mut state, update)?;
            }
        }
        Ok(options)
    }
}

/// The first select of a category: what the older calls for modes and models mean.
pub(crate) fn of_category<'o>(
    config: &'o ConfigOptions,
    category: &SessionConfigOptionCategory,
) -> Option<&'o SessionConfigOption> {
    let is_it = |option: &&SessionConfigOption| {
        option.category() == Some(category) && matches!(option.kind, SessionConfigKind::Select(_))
    };
    config.options().iter().find(is_it)
}

/// What the wire wants of options (CONF-06, CONF-14, CONF-19).
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
                "the category {name} of the option {id} must begin with \"_\""
            )));
        }
        let Some(current) = option.current_value() else {
            return Err(Error::failed(format!(
                "the option {id} has a type that ACP does not have"
            )));
        };
        if !option.accepts(&current) {
            return Err(Error::failed(format!(
                "the current value of the option {id} is none of its values"
            )));
        }
        let values: Vec<_> = option.values().map(|value| &value.value).collect();
        if values
            .iter()
            .enumerate()
            .any(|(index, value)| values.iter().take(index).any(|earlier| earlier == value))
        {
            return Err(Error::failed(format!("the option {id} has the same value twice")));
        }
    }
    Ok(())
}
