//! Messages that a connection could not use.

use attache_protocol::envelope::NotAMessage;
use attache_protocol::{DecodeError, RequestId};

/// Something that arrived and had no use.
#[derive(Debug)]
pub enum Unhandled<'l> {
    /// A line that is no message, with what was answered, if anything.
    Line(&'l [u8], &'l NotAMessage),
    /// A reply to a call that is not open: unknown, answered before, or given up long ago (RPC-22).
    UnknownReply(&'l RequestId),
    /// A reply to a call whose caller gave up before. It was folded; nobody waited for it.
    LateReply(&'l RequestId),
    /// A notification whose params cannot be decoded (RPC-24).
    Notification(&'l str, DecodeError),
    /// Values of a call's or a notification's params that were left out or replaced by a default,
    /// with the method's wire name. Shown only to a side that asks for it.
    Dropped(&'l str, &'l [DecodeError]),
    /// A line at which this side's handler panicked. A call in it was answered with an internal
    /// error.
    HandlerPanicked(&'l [u8]),
}
