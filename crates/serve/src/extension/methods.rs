//! The table of the methods.

use super::caller::Caller;
use super::reply::Reply;
use super::{
    answering, device_access, going_back, hub_watch, prompting, reading, refusal, reviewing,
};
use super::{session_watch, sessions, trace_watch};
use crate::Scope;
use attache_connection::{Cancelled, Peer};
use attache_protocol::Error;
use serde::de::DeserializeOwned;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// The reply that will come.
pub(super) type Answering = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// What a method gets of its call.
pub(super) struct OfCall {
    pub(super) peer: Peer,
    pub(super) cancelled: Cancelled,
}

/// A method.
pub(super) struct MethodRow {
    /// Its name.
    pub(super) name: &'static str,
    /// The scope that a client needs.
    pub(super) scope: Scope,
    /// Serves a call with these params.
    pub(super) run: fn(Arc<Caller>, OfCall, String) -> Answering,
}

/// Makes the table. A cancelled call drops the work of its method, unless `stoppable` says that the
/// method watches the cancellation itself.
macro_rules! methods {
    (@serve $name:literal, $function:path) => {
        |caller, call, params| {
            serve($name, params, move |params| async move {
                call.cancelled.or($function(caller, call.peer, params)).await
            })
        }
    };
    (@serve $name:literal, $function:path, stoppable) => {
        |caller, call, params| {
            serve($name, params, move |params| $function(caller, call.cancelled, params))
        }
    };
    ($($name:literal $scope:ident $function:path $(, $stoppable:ident)?;)*) => {
        /// All methods.
        pub(super) const METHODS: &[MethodRow] = &[$(MethodRow {
            name: $name,
            scope: Scope::$scope,
            run: methods!(@serve $name, $function $(, $stoppable)?),
        },)*];
    };
}

methods! {
    "_attache/watch_hub" Watch hub_watch::watch_hub;
    "_attache/watch_session" Watch session_watch::watch_session;
    "_attache/unwatch" Watch session_watch::unwatch;
    "_attache/rows" Watch reading::rows;
    "_attache/whole_call" Watch reading::whole_call;
    "_attache/search" Watch reading::search;
    "_attache/answer" Answer answering::answer;
    "_attache/open" Control sessions::open;
    "_attache/prompt" Control prompting::prompt;
    "_attache/cancel" Control prompting::cancel;
    "_attache/stop_call" Control prompting::stop_call;
    "_attache/restart" Control sessions::restart;
    "_attache/continue" Control sessions::continue_in_new;
    "_attache/queue" Control prompting::queue;
    "_attache/draft" Control prompting::draft;
    "_attache/unsent" Watch prompting::unsent;
    "_attache/option" Control sessions::option;
    "_attache/change" Control sessions::change;
    "_attache/files" Control prompting::files;
    "_attache/review" Watch reviewing::review;
    "_attache/decide" Control reviewing::decide;
    "_attache/checkpoints" Watch going_back::checkpoints;
    "_attache/restore_preview" Control going_back::preview;
    "_attache/restore" Control going_back::restore, stoppable;
    "_attache/devices" Control device_access::list;
    "_attache/device" Control device_access::change;
    "_attache/ask_scope" Watch device_access::ask;
    "_attache/traces" Control trace_watch::list;
    "_attache/watch_trace" Control trace_watch::watch_trace;
}

/// Returns the method with this name.
pub(super) fn find(name: &str) -> Option<&'static MethodRow> {
    METHODS.iter().find(|row| row.name == name)
}

/// Decodes the params and serves the call. Unknown fields are ignored.
fn serve<P, F>(name: &'static str, params: String, function: impl FnOnce(P) -> F) -> Answering
where
    P: DeserializeOwned,
    F: Future<Output = Result<Reply, Error>> + Send + 'static,
{
    let mut reader = serde_json::Deserializer::from_str(&params);
    match serde_path_to_error::deserialize::<_, P>(&mut reader) {
        Ok(params) => Box::pin(function(params)),
        Err(error) => {
            let field = error.path().to_string();
            let place = if field == "." { "the params".to_owned() } else { format!("`{field}`") };
            let why = error.inner();
            let refused = refusal::wrong(format!("{name}: {place}: {why}; see docs/extension.md"));
            Box::pin(std::future::ready(Err(refused)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::METHODS;

    #[test]
    fn the_page_lists_every_method() {
        let page = include_str!("../../../../docs/extension.md");
        let rows: Vec<&str> =
            page.lines().filter(|line| line.starts_with("| `_attache/")).collect();
        assert_eq!(rows.len(), METHODS.len());
        for (row, method) in rows.iter().zip(METHODS) {
            let start = format!("| `{}` | {} | ", method.name, method.scope);
            assert!(row.starts_with(&start), "{row} is not about {start}");
        }
    }
}
