//! Both sides of version 2, a draft. A call of another version is answered through
//! [`Responder::map`].

use super::sides::sides;
use super::{Handler, IncomingCall, Unhandling, decode_for};
use crate::{Peer, Responder, Unhandled, Work};
use attache_protocol::method::{Gate, Method, Side, v2 as methods};
use attache_protocol::{DecodeError, Raw, each_v2_method};
use std::task::{Context, Poll};

each_v2_method! { sides }
