//! A shared hub: one hub of agents and sessions that many front ends use at the same time, such as
//! a terminal, an editor, a page in a browser and a phone.
//!
//! To every client the hub is an ACP agent. A client that negotiates the extension methods
//! `_attache/*` also gets what a front end shows, as the rows of `attache-view`, and a command for
//! each of a front end's actions.
//!
//! | Module | Purpose |
//! |---|---|
//! | [`SharedHub`] | The hub, and who is attached to it. |
//! | [`acp`] | One attached client, over any transport. |
//! | [`extension`] | The methods `_attache/*`. |
//! | [`socket`] | The Unix socket, for programs of the same person on this machine. |
//! | [`devices`] | The devices that may reach the hub over TCP. |
//! | [`http`] | The HTTP server for the page and for remote ACP. |
//! | [`remote`] | ACP over WebSocket and streamable HTTP. |
//! | [`page`] | The page in a browser. |
//!
//! This crate knows no agent, no settings and no terminal: the program around it supplies them
//! through [`HubServices`].
//!
//! # Example
//!
//! A program shares its hub with other programs of the same person:
//!
//! ```no_run
//! use attache_client::Hub;
//! use attache_serve::socket::{HubEnd, HubFacts, HubName, HubSocket, RuntimeFolder, serve};
//! use attache_serve::{HubServices, SharedHub};
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! async fn share(
//!     hub: Hub,
//!     services: Arc<dyn HubServices>,
//!     facts: HubFacts,
//!     folder: &Path,
//!     name: &HubName,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     let socket = HubSocket::bind(&RuntimeFolder::create(folder)?, name)?;
//!     let (shared, end) = (Arc::new(SharedHub::new(hub, services)), Arc::new(HubEnd::default()));
//!     tokio::select! {
//!         () = serve(socket, shared, facts, Arc::clone(&end)) => {}
//!         _ = end.ended() => {} // a client asked for the end
//!     }
//!     Ok(())
//! }
//! ```

pub mod acp;
mod acp_sessions;
mod activity;
mod attached_client;
mod attention;
pub mod devices;
pub mod extension;
pub mod http;
mod live;
pub mod page;
mod participant;
pub mod remote;
mod scope;
mod scope_requests;
mod services;
mod session_editors;
mod shared_hub;
pub mod socket;
mod traces;
#[cfg(test)]
mod types;

pub use activity::Activity;
pub use attached_client::{AttachedClient, ClientId, DeviceId, Place, Uses};
pub use attention::{AttentionKind, AttentionNotice, follow_attention};
pub use scope::Scope;
pub use services::{AgentChoice, FoundText, HubServices, Served, SessionChange};
pub use shared_hub::SharedHub;
pub use traces::AgentTraces;
