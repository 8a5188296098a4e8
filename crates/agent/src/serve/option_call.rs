//! Config options that the client sets: `session/set_config_option`, `set_mode` and the retired
//! `set_model`.

use crate::author::erased_parts::BoxFuture;
use crate::serve::context::Context;
use crate::serve::guard::catch_panic;
use crate::serve::open_sessions::ServedSession;
use crate::session::config_options::{OptionNotice, of_category};
use crate::session::outgoing_slot::{OutgoingSlot, StoredReply};
use crate::{Error, Result};
use attache_connection::{Responder, Work};
use attache_protocol::Error as Refusal;
use attache_protocol::method::Call;
use attache_protocol::v1::{
    ClientCapabilities, SessionConfigId, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionId,
};
use attache_session::ConfigOptions;
use std::sync::Arc;

/// Chooses the option to set, and its value.
type Pick =
    Box<dyn FnOnce(&ConfigOptions) -> Result<(SessionConfigId, SessionConfigOptionValue)> + Send>;

/// Sends the reply with all options.
type Reply = Box<dyn FnOnce(std::result::Result<Vec<SessionConfigOption>, Refusal>) + Send>;

impl Context {
    /// Asks the author, on a thread that may block, which other options change along with this one.
    async fn option_set(
        self: Arc<Self>,
        session: SessionId,
        option: SessionConfigId,
        mut options: Vec<SessionConfigOption>,
    ) -> Result<Vec<SessionConfigOption>> {
        let asked = tokio::task::spawn_blocking(move || {
            catch_panic(|| self.author.option_set(&session, &option, &mut options))?;
            Ok(options)
        });
        asked.await.unwrap_or_else(|error| Err(Error::caused("the agent is shutting down", error)))
    }
}

/// Sets an option (CONF-02, CONF-18): in the order of the calls, and before the turn of a later
/// prompt begins. The replies keep that order too, and each is sent once its change is stored. The
/// author's code runs on another thread, so that nothing else waits for it.
pub(crate) fn change<M: Call>(
    context: &Arc<Context>,
    session: &SessionId,
    notice: OptionNotice,
    responder: Responder<M>,
    pick: impl FnOnce(&ConfigOptions) -> Result<(SessionConfigId, SessionConfigOptionValue)>
    + Send
    + 'static,
    reply: impl FnOnce(Vec<SessionConfigOption>) -> M::Result + Send + 'static,
) -> Work {
    let served = match context.sessions.get(session) {
        Ok(served) => served,
        Err(error) => return responder.send(Err(error)),
    };
    let context = Arc::clone(context);
    let client = responder.peer().client_capabilities().unwrap_or_default();
    responder.later_with(move |responder| {
        let reply: Reply = Box::new(move |options| {
            let _ = responder.send(options.map(reply));
        });
        change_and_reply(context, served, notice, client, Box::new(pick), reply)
    })
}

async fn change_and_reply(
    context: Arc<Context>,
    served: Arc<ServedSession>,
    notice: OptionNotice,
    client: Arc<ClientCapabilities>,
    pick: Pick,
    reply: Reply,
) {
    let session = &served.session;
    let author = Arc::clone(&context.author);
    let change = |config: ConfigOptions| -> BoxFuture<'_, _> {
        Box::pin(async move {
            let (id, value) = pick(&config)?;
            let options = config
                .with_value(id.as_str(), &value, &client)
                .map_err(|error| Error::Invalid(error.to_string()))?;
            context.option_set(session.id.clone(), id, options).await
        })
    };
    let then = |outcome: Result<Vec<SessionConfigOption>>| match outcome {
        Ok(options) => {
            let window = catch_panic(|| Ok(author.window(&options))).unwrap_or_default();
            let mut state = session.state();
            state.report_window(window);
            Ok((StoredReply::new(session, &mut state), options))
        }
        Err(error) => Err((OutgoingSlot::new(session, &mut session.state()), error)),
    };
    match session.change_options(notice, change, then).await {
        Ok((stored, options)) => {
            let send = move |_: &mut _, stored: Result<()>| {
                reply(stored.map(|()| options).map_err(|error| error.to_reply()));
            };
            stored.send_with(Box::new(send)).await;
        }
        Err((slot, error)) => slot.leave(Box::new(move |_| reply(Err(error.to_reply())))),
    }
}

/// Sets the select option of a category, as `session/set_mode` and the retired `session/set_model`
/// do.
pub(crate) fn choose<M: Call>(
    context: &Arc<Context>,
    session: &SessionId,
    category: SessionConfigOptionCategory,
    value: String,
    responder: Responder<M>,
    reply: M::Result,
) -> Work
where
    M::Result: Send,
{
    let pick = move |config: &ConfigOptions| match of_category(config, &category) {
        Some(option) => Ok((option.id.clone(), SessionConfigOptionValue::from(value.as_str()))),
        None => Err(Error::invalid(format!("this session has no {category} to choose"))),
    };
    change(context, session, OptionNotice::Update, responder, pick, |_| reply)
}
