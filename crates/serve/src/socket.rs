//! The Unix socket of a hub, for programs of the same person on this machine.
//!
//! The first line of each side is JSON: a [`Hello`] of the client, and a [`Reply`] of the hub.
//! After a hello that wants ACP, and the reply that agrees, the stream is plain ACP, one message in
//! each line. After any other hello, the hub sends replies, one in each line, and closes the
//! connection.
//!
//! Only processes of the same user are served, and none that descends from an agent of the hub: a
//! process that can use the socket can approve its own requests.

mod connecting;
mod hub_end;
mod hub_name;
mod hub_socket;
mod lines;
mod peer;
mod runtime_folder;
mod serving;
mod shake_hands;

pub use connecting::{ConnectError, HubConnection};
pub use hub_end::{Ending, HubEnd};
pub use hub_name::HubName;
pub use hub_socket::{HubSocket, SocketError};
pub use runtime_folder::{FolderError, RuntimeFolder};
pub use serving::{HubFacts, serve};
pub use shake_hands::{
    AgentStatus, DeviceChange, DeviceStatus, Hello, RefusalKind, Reply, Status, Wants,
};
