//! The kit against a scripted agent over memory, and against real processes.

mod file;
mod handshake;
mod permission;
mod process;
mod scripted_agent;
mod session;
mod turn;
