//! One attached client, to which the hub is an ACP agent.

use crate::{AttachedClient, SharedHub};
use attache_connection::ConnectionEnd;
use attache_connection::transport::Transport;
use std::sync::Arc;

/// Serves a client until its connection ends or its device is revoked.
pub async fn serve_client(
    shared: Arc<SharedHub>,
    client: Arc<AttachedClient>,
    transport: Box<dyn Transport>,
) -> ConnectionEnd {
    drop((client, transport));
    drop(shared);
    ConnectionEnd::Closed
}
