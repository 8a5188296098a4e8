//! The params and results of the methods `_attache/*`, as JSON.
//!
//! | Method | From | Scope | Params → result |
//! |---|---|---|---|
//! | `_attache/watch_hub` | client | watch | [`WatchHub`] → [`Watching`] |
//! | `_attache/hub` | hub, notification | | [`HubChanged`] |
//! | `_attache/watch_session` | client | watch | [`WatchSession`] → [`Watching`] |
//! | `_attache/session` | hub, notification | | [`SessionChanged`] |
//! | `_attache/unwatch` | client | watch | [`Unwatch`] → `{}` |
//! | `_attache/rows` | client | watch | [`ReadRows`] → [`Rows`] |
//! | `_attache/whole_call` | client | watch | [`WholeCall`] → `ToolCallRow` |
//! | `_attache/search` | client | watch | [`Search`] → [`Found`] |
//! | `_attache/answer` | client | answer | [`AnswerQuestion`] → `{}` |
//! | `_attache/open` | client | control | [`OpenSession`] → [`Opened`] |
//! | `_attache/prompt` | client | control | [`SendPrompt`] → `{}` |
//! | `_attache/cancel` | client | control | [`OfSession`] → `{}` |
//! | `_attache/stop_call` | client | control | [`StopCall`] → `{}` |
//! | `_attache/restart` | client | control | [`OfAgent`] → `{}` |
//! | `_attache/continue` | client | control | [`OfSession`] → [`Opened`] |
//! | `_attache/queue` | client | control | [`ChangeQueue`] → `{}` |
//! | `_attache/draft` | client | control | [`SetDraft`] → `{}` |
//! | `_attache/unsent` | client | watch | [`OfSession`] → [`Unsent`] |
//! | `_attache/option` | client | control | [`SetOption`] → `{}` |
//! | `_attache/change` | client | control | [`ChangeSession`] → `{}` |
//! | `_attache/files` | client | control | [`FindFiles`] → [`Files`] |
//! | `_attache/review` | client | watch | [`ReadReview`] → [`ReviewItems`] |
//! | `_attache/decide` | client | control | [`DecideHunks`] → [`Decided`] |
//! | `_attache/checkpoints` | client | watch | [`OfSession`] → [`Checkpoints`] |
//! | `_attache/restore_preview` | client | control | [`PreviewRestore`] → [`RestorePreview`] |
//! | `_attache/restore` | client | control | [`ConfirmRestore`] → [`Restored`] |
//! | `_attache/devices` | client | control | [`ListDevices`] → [`Devices`] |
//! | `_attache/device` | client of this machine | control | [`ChangeDevice`] → `{}` |
//! | `_attache/ask_scope` | client | watch | [`AskScope`] → `{}` |
//! | `_attache/traces` | client | control | [`ListTraces`] → [`Traces`] |
//! | `_attache/watch_trace` | client | control | [`WatchTrace`] → [`Watching`] |
//! | `_attache/trace` | hub, notification | | [`TraceChanged`] |

/// Declares values that are sent as JSON objects with names in camel case.
macro_rules! messages {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[cfg_attr(test, derive(ts_rs::TS))]
            #[serde(rename_all = "camelCase")]
            pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }
        )*

        /// Visits these messages.
        #[cfg(test)]
        pub(super) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $(visitor.visit::<$name>();)*
        }
    };
}

mod command;
mod hub;
mod review;
mod session;
mod trace;

pub use command::*;
pub use hub::*;
pub use review::*;
pub use session::*;
pub use trace::*;

/// Visits all messages.
#[cfg(test)]
pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
    command::visit_types(visitor);
    hub::visit_types(visitor);
    review::visit_types(visitor);
    session::visit_types(visitor);
    trace::visit_types(visitor);
}
