//! Both sides of version 1.

use super::sides::sides;
use super::{Handler, IncomingCall, Unhandling, decode_for};
use crate::{Peer, Responder, Unhandled, Work};
use attache_protocol::method::{self as methods, Gate, Method, Side};
use attache_protocol::{DecodeError, Raw, each_method};
use std::task::{Context, Poll};

each_method! { sides }
