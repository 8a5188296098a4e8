//! An agent: its process, the connection to it, its logins and its stored sessions.

pub(crate) mod agent_connection;
pub(crate) mod agent_process;
pub(crate) mod calls;
pub(crate) mod capability;
pub(crate) mod evidence;
mod handshake;
pub(crate) mod incoming_handler;
mod incoming_v2;
pub(crate) mod listing;
pub(crate) mod login;
pub(crate) mod login_environment;
pub(crate) mod options;
pub(crate) mod shared_connection;
pub(crate) mod start_error;
mod stored_sessions;
pub(crate) mod stray_output;
mod text_chunks;
pub(crate) mod undo_requests;
pub(crate) mod version_2_answer;
