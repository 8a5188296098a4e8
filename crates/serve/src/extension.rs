//! The methods `_attache/*`: what a front end shows, and a command for each of its actions.
//!
//! A client asks for them in `initialize` with `"clientCapabilities": {"_meta": {"attache":
//! {"version": 1}}}`; the hub agrees with [`messages::Negotiated`] at the same place in
//! `agentCapabilities`. Without that, the methods do not exist.
//!
//! A *watch* begins with the whole state, or with what changed since a position that the client
//! got earlier, and then follows the changes. A slow reader gets fewer, larger changes; nothing is
//! queued for it.

mod answering;
mod caller;
mod device_access;
mod form_values;
mod going_back;
mod hub_watch;
pub mod messages;
mod methods;
mod outgoing;
mod preview;
mod prompting;
mod reading;
mod refusal;
mod reply;
mod reviewing;
mod session_watch;
mod sessions;
mod trace_watch;
mod watches;

use crate::{AttachedClient, SharedHub};
use attache_connection::{IncomingCall, Work};
use attache_protocol::{Meta, Raw};
use caller::Caller;
use messages::Negotiated;
use methods::OfCall;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The version of the methods.
pub const VERSION: u32 = 1;

/// The key of the methods in the metadata of capabilities.
const KEY: &str = "attache";

/// Serves the methods `_attache/*` of one connection. It owns the watches of the connection, which
/// end when it is dropped.
pub struct Extension {
    caller: Arc<Caller>,
    is_negotiated: AtomicBool,
}

/// What a client asks for.
#[derive(Deserialize)]
struct Wanted {
    version: u32,
}

impl Extension {
    /// Returns the methods of a connection of this client. They do not exist for the client until
    /// it negotiates them. A client of one agent has them without that.
    pub fn new(shared: Arc<SharedHub>, client: Arc<AttachedClient>) -> Self {
        let is_negotiated = AtomicBool::new(client.only_agent().is_some());
        Self { caller: Arc::new(Caller::new(shared, client)), is_negotiated }
    }

    /// Negotiates the methods. `meta` is the metadata of the client's capabilities. Returns that of
    /// the hub's capabilities, or `None` if the client does not ask for the methods, or asks for a
    /// version that does not exist.
    pub fn negotiate(&self, meta: &Meta) -> Option<Meta> {
        let wanted: Wanted = meta.get(KEY)?;
        if wanted.version < VERSION {
            return None;
        }
        let hub = env!("CARGO_PKG_VERSION").to_owned();
        let client = &self.caller.client;
        let (scope, local) = (client.scope()?, !client.is_remote());
        let negotiated = Negotiated { version: VERSION, scope, hub, local };
        let meta = Meta::new(Raw::of(&json!({ KEY: negotiated })).ok()?)?;
        self.is_negotiated.store(true, Ordering::Relaxed);
        Some(meta)
    }

    /// Serves a call whose name begins with `_attache/`. An unknown method, and any method before
    /// [`Extension::negotiate`], is answered with `-32601`.
    pub fn call(&self, call: IncomingCall<'_>) -> Work {
        let is_negotiated = self.is_negotiated.load(Ordering::Relaxed);
        let Some(row) = methods::find(call.name).filter(|_| is_negotiated) else {
            return call.method_not_found();
        };
        if !self.caller.client.may(row.scope) {
            let own = self.caller.client.scope();
            return call.refuse(&refusal::needs_scope(row.name, row.scope, own));
        }
        let params = call.params.unwrap_or("{}").to_owned();
        let of_call = OfCall { peer: call.peer().clone(), cancelled: call.cancelled().clone() };
        let answering = (row.run)(self.caller.clone(), of_call, params);
        // What follows the reply is done once the reply is in the outbound queue.
        let after = Arc::new(Mutex::new(None));
        let keep = after.clone();
        let work = call.later_whole(async move {
            let reply = answering.await?;
            *keep.lock().unwrap_or_else(PoisonError::into_inner) = reply.after;
            Ok(reply.result)
        })?;
        Some(Box::pin(async move {
            work.await;
            let after = after.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(after) = after {
                after();
            }
        }))
    }

    /// Ends all watches. Call this when the connection ends.
    pub fn ended(&self) {
        self.caller.watches.end();
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        self.ended();
    }
}

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extension").field("client", &self.caller.client).finish_non_exhaustive()
    }
}
