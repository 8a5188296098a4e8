//! Messages that a connection could not use.

use attache_protocol::envelope::NotAMessage;
use attache_protocol::{DecodeError, RequestId};

/// A message that could not be used.
#[derive(Debug)]
pub enum Unhandled<'l> {
    /// A frame that is not a message, and why. [`NotAMessage::error`] returns the answer to it, if
    /// any.
    Frame(&'l [u8], &'l NotAMessage),
    /// A reply to a call that is not open: it is unknown, was answered before, or was abandoned
    /// long ago.
    UnknownReply(&'l RequestId),
    /// A reply to a call whose caller had given up. Its callback ran.
    LateReply(&'l RequestId),
    /// A notification whose params cannot be decoded.
    Notification(&'l str, DecodeError),
    /// Values of params that were left out or replaced by a default, with the method's wire name.
    /// Only sides that ask for it get this.
    Dropped(&'l str, &'l [DecodeError]),
    /// A frame at which this side's handler panicked. If the frame was a call, the call was
    /// answered with an internal error.
    HandlerPanicked(&'l [u8]),
}
