//! Connections of version 2: the handshake, sessions, turns and permissions.

mod handshake;
mod permission;
mod scripted;
mod session;
mod turn;
