//! Notices, which the person sees beside the conversation.

use attache_agent::{Result, Turn};
use attache_protocol::v1::Notice;

/// Tells the person something that is not part of the conversation: as a notice if the client
/// supports notices (NOTE-01), or else as a thought.
pub(crate) async fn tell(turn: &Turn, notice: Notice) -> Result<()> {
    match takes_notices(turn) {
        true => turn.notice(notice).await,
        false => turn.think(&format!("{}.\n\n", notice.title.trim_end_matches('.'))).await,
    }
}

/// Whether the client supports notices.
pub(crate) fn takes_notices(turn: &Turn) -> bool {
    turn.client().session.as_ref().is_some_and(|session| session.notices.is_some())
}
