//! Notifications to the client.

use attache_connection::{ConnectionEnd, Peer};
use serde::Serialize;

/// A notification.
#[derive(Serialize)]
struct Outgoing<'p, P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: &'p P,
}

/// Sends a notification. Parts that are JSON already are copied, not made again.
pub(super) fn notify(
    peer: &Peer,
    method: &'static str,
    params: &impl Serialize,
) -> Result<(), ConnectionEnd> {
    match encoded(method, params) {
        Some(message) => peer.send_encoded(|out| out.extend_from_slice(&message)),
        None => Ok(()),
    }
}

/// Returns a notification as JSON. Messages of this crate have no values that JSON cannot express.
pub(super) fn encoded(method: &'static str, params: &impl Serialize) -> Option<Vec<u8>> {
    serde_json::to_vec(&Outgoing { jsonrpc: "2.0", method, params }).ok()
}
