//! The methods of an agent with a store: `session/load`, `resume`, `fork` and `status`, and changes
//! of sessions that are not open.

use crate::Result;
use crate::author::erased_parts::BoxFuture;
use crate::serve::context::{Context, StoreMethods};
use crate::serve::served::reply_with;
use crate::serve::{fork, load, resume};
use crate::store::record_numbers::{self, KeepCheckpoint};
use attache_connection::{Responder, Work};
use attache_protocol::method;
use attache_protocol::v1::{
    ForkSessionRequest, LoadSessionRequest, ResumeSessionRequest, SessionId, SessionStatusRequest,
};
use attache_session::EventBody;
use std::sync::Arc;

/// Serves the methods from the store of the context.
pub(crate) struct StoredMethods;

impl StoreMethods for StoredMethods {
    fn load(
        &self,
        context: Arc<Context>,
        params: LoadSessionRequest,
        responder: Responder<method::SessionLoad>,
    ) -> Work {
        responder.later_with(|responder| load::load(context, params, responder))
    }

    fn resume(
        &self,
        context: Arc<Context>,
        params: ResumeSessionRequest,
        responder: Responder<method::SessionResume>,
    ) -> Work {
        responder.later_with(|responder| resume::resume(context, params, responder))
    }

    fn fork(
        &self,
        context: Arc<Context>,
        params: ForkSessionRequest,
        responder: Responder<method::SessionFork>,
    ) -> Work {
        responder.later_with(|responder| fork::fork(context, params, responder))
    }

    fn status(
        &self,
        context: Arc<Context>,
        params: SessionStatusRequest,
        responder: Responder<method::SessionStatusQuery>,
    ) -> Work {
        reply_with(responder, async move { context.status(&params.session_id).await })
    }

    fn append<'c>(
        &self,
        context: &'c Context,
        session: &'c SessionId,
        body: EventBody,
    ) -> BoxFuture<'c, Result<()>> {
        Box::pin(context.append_to_log(session, body))
    }

    fn keep_checkpoint(&self) -> KeepCheckpoint {
        record_numbers::keep_checkpoint
    }
}
