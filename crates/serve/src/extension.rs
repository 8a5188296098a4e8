//! The methods `_attache/*`: what a front end shows, and a command for each of its actions.
//!
//! A client asks for them in `initialize` with `"clientCapabilities": {"_meta": {"attache":
//! {"version": 1}}}`; the hub agrees with [`messages::Negotiated`] at the same place in
//! `agentCapabilities`. Without that, the methods do not exist.
//!
//! A *watch* begins with the whole state, or with what changed since a position that the client
//! got earlier, and then follows the changes. A slow reader gets fewer, larger changes; nothing is
//! queued for it.

pub mod messages;
