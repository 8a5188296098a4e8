//! A client's change of options: `session/set_config_option`, `set_mode` and the retired
//! `set_model`.

use crate::guard::calmly;
use crate::kit::Parts;
use crate::line_up::{Place, Promise};
use crate::options::{Told, of_category};
use crate::{Author, Error, Result};
use attache_connection::{Responder, Work};
use attache_protocol::method::Call;
use attache_protocol::v1::{
    SessionConfigId, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionId,
};
use attache_session::ConfigOptions;
use std::sync::Arc;

impl<A: Author> Parts<A> {
    /// Asks the author what else changes with an option, on a thread where that may take its time.
    async fn option_set(
        self: Arc<Self>,
        session: SessionId,
        option: SessionConfigId,
        mut options: Vec<SessionConfigOption>,
    ) -> Result<Vec<SessionConfigOption>> {
        let asked = tokio::task::spawn_blocking(move || {
            calmly(|| self.author.option_set(&session, &option, &mut options))?;
            Ok(options)
        });
        asked.await.unwrap_or_else(|error| Err(Error::caused("the agent is ending", error)))
    }
}

/// A client's change of options (CONF-02, CONF-18): made in the order in which the calls came,
/// before the turn of a later prompt begins, and answered in order once it is stored. The author's
/// code runs on a thread of its own, so that nothing else waits for it.
pub(crate) fn change<A: Author, M: Call>(
    parts: &Arc<Parts<A>>,
    session: &SessionId,
    told: Told,
    answer: Responder<M>,
    pick: impl FnOnce(&ConfigOptions) -> Result<(SessionConfigId, SessionConfigOptionValue)>
    + Send
    + 'static,
    reply: impl FnOnce(Vec<SessionConfigOption>) -> M::Result + Send + 'static,
) -> Work {
    let held = match parts.sessions.get(session) {
        Ok(held) => held,
        Err(error) => return answer.send(Err(error)),
    };
    let parts = Arc::clone(parts);
    let client = answer.peer().client_capabilities().unwrap_or_default();
    answer.later_with(move |answer| async move {
        let session = &held.session;
        let change = |config: ConfigOptions| async move {
            let (id, value) = pick(&config)?;
            let options = config
                .with_value(id.as_str(), &value, &client)
                .map_err(|error| Error::Invalid(error.to_string()))?;
            parts.option_set(session.id.clone(), id, options).await
        };
        let then = |outcome: Result<Vec<SessionConfigOption>>| match outcome {
            Ok(options) => Ok((Promise::new(session, &mut session.state()), options)),
            Err(error) => Err((Place::new(session, &mut session.state()), error)),
        };
        match session.change_options(told, change, then).await {
            Ok((promise, options)) => {
                promise.answer(answer, move |stored| stored.map(|()| reply(options))).await;
            }
            Err((place, error)) => place.leave(move |_, _| {
                let _ = answer.send(Err(error.to_reply()));
            }),
        }
    })
}

/// What `session/set_mode` and the retired `session/set_model` mean: a value of the select of that
/// category.
pub(crate) fn choose<A: Author, M: Call>(
    parts: &Arc<Parts<A>>,
    session: &SessionId,
    category: SessionConfigOptionCategory,
    value: String,
    answer: Responder<M>,
    reply: M::Result,
) -> Work
where
    M::Result: Send,
{
    let pick = move |config: &ConfigOptions| match of_category(config, &category) {
        Some(option) => Ok((option.id.clone(), SessionConfigOptionValue::from(value.as_str()))),
        None => Err(Error::invalid(format!("this session has no {category} to choose"))),
    };
    change(parts, session, Told::ByUpdate, answer, pick, |_| reply)
}
