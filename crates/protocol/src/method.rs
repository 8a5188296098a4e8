//! The two tables of the protocol: every method, and every update variant and gated field.
//!
//! Dispatch, the `Agent` and `Client` traits, gating, the support matrix and the judge's coverage
//! all come from these rows. To add a method is to add a row.

mod rows;
mod update;

pub use rows::*;
pub use update::{FIELDS, FieldRow, UPDATES, UpdateRow};

use crate::v1::{AgentCapabilities, ClientCapabilities};
use crate::{DecodeError, Wire};

/// An end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The editor, terminal or page.
    Client,
    /// The coding agent.
    Agent,
}

impl Side {
    /// The word for it, as people and records have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
        }
    }

    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }
}

/// Who receives a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Agents.
    Agent,
    /// Clients.
    Client,
    /// Either end.
    Both,
    /// A proxy or its conductor; types only, no connection of ours dispatches these.
    Proxy,
}

/// Whether a method is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Answered exactly once.
    Call,
    /// Never answered.
    Notification,
}

/// What a method is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The connection as a whole.
    Connection,
    /// The session named by `params.sessionId`.
    Session,
}

/// How settled a part of the protocol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stability {
    /// In the stable v1 schema.
    Stable,
    /// In the unstable v1 schema only.
    Unstable,
    /// Gone from the schema; read from old peers, never sent by us unasked (requirements §1.4).
    Retired,
}

/// How long a caller may reasonably wait; the durations are the caller's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deadline {
    /// The first exchange: a peer that is silent here will stay silent.
    Handshake,
    /// Looking something up or changing a setting.
    Quick,
    /// Setting a session up: history, MCP servers, a login.
    Setup,
    /// A turn, a person or a running command: no deadline makes sense.
    Open,
}

/// What the receiving side must have advertised before a method, update or field may be sent
/// (INIT-16).
#[derive(Debug, Clone, Copy)]
pub enum Gate {
    /// Baseline: always allowed.
    Always,
    /// Allowed by something other than a capability, as said: a mode list returned, an earlier
    /// message.
    Given(&'static str),
    /// A path under `agentCapabilities`.
    Agent(&'static str, fn(&AgentCapabilities) -> bool),
    /// A path under `clientCapabilities`.
    Client(&'static str, fn(&ClientCapabilities) -> bool),
}

impl Gate {
    /// The capability's path, for messages and reports.
    pub fn path(&self) -> Option<&'static str> {
        match self {
            Self::Always | Self::Given(_) => None,
            Self::Agent(path, _) | Self::Client(path, _) => Some(path),
        }
    }

    /// Whether an agent with these capabilities lets a client send it. Gates that ask the client
    /// are open here.
    pub fn opened_by_agent(&self, capabilities: &AgentCapabilities) -> bool {
        match self {
            Self::Agent(_, open) => open(capabilities),
            Self::Always | Self::Given(_) | Self::Client(..) => true,
        }
    }

    /// Whether a client with these capabilities lets an agent send it. Gates that ask the agent are
    /// open here.
    pub fn opened_by_client(&self, capabilities: &ClientCapabilities) -> bool {
        match self {
            Self::Client(_, open) => open(capabilities),
            Self::Always | Self::Given(_) | Self::Agent(..) => true,
        }
    }
}

/// One row of the method table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The wire name.
    pub name: &'static str,
    /// The name of the handler's function, which is the wire name in Rust's spelling.
    pub function: &'static str,
    /// Who receives it; the other end sends it.
    pub receiver: Receiver,
    /// Whether it is answered.
    pub kind: Kind,
    /// Connection or session.
    pub scope: Scope,
    /// Stable, unstable or retired.
    pub stability: Stability,
    /// What must have been advertised.
    pub gate: Gate,
    /// Whether absent or null `params` mean `{}` (RPC-25).
    pub null_params: bool,
    /// Whether `null` is read as the empty result (DEC-14).
    pub null_result: bool,
    /// How long a caller may wait.
    pub deadline: Deadline,
    /// The shape of `params`.
    #[cfg(feature = "schema")]
    pub params: fn() -> crate::Shape,
    /// The shape of `result`.
    #[cfg(feature = "schema")]
    pub result: Option<fn() -> crate::Shape>,
}

impl Row {
    /// The row of a wire name as received by `side`; `None` for extensions and unknown methods.
    pub fn received_by(side: Side, name: &str, kind: Kind) -> Option<&'static Row> {
        let receiver = match side {
            Side::Agent => Receiver::Agent,
            Side::Client => Receiver::Client,
        };
        METHODS.iter().copied().find(|row| {
            row.name == name
                && row.kind == kind
                && (row.receiver == receiver || row.receiver == Receiver::Both)
        })
    }
}

/// A method as a type: what ties its name to its params.
pub trait Method: 'static {
    /// Its row in the table.
    const ROW: &'static Row;
    /// What is sent.
    type Params: Wire + Send + 'static;

    /// Decodes params; absent and null count as `{}` where the table says so. Values outside closed
    /// sets are kept for notifications; a call that needs them known is refused (§4.17).
    fn decode_params(params: Option<&str>) -> Result<Self::Params, DecodeError> {
        let text = params_text::<Self>(params);
        let decoded = match Self::ROW.kind {
            Kind::Call => crate::decode_known(text),
            Kind::Notification => crate::decode(text),
        };
        decoded.map_err(|error| error.under("params"))
    }

    /// Decodes params and lists the values that were left out or replaced by a default. Fields that
    /// this side does not know are not listed: they are no fault (RPC-26).
    fn decode_params_reporting(
        params: Option<&str>,
    ) -> (Result<Self::Params, DecodeError>, Vec<DecodeError>) {
        let unknown = match Self::ROW.kind {
            Kind::Call => crate::Unknown::Refuse,
            Kind::Notification => crate::Unknown::Keep,
        };
        let (decoded, notices) = crate::decode_reporting(params_text::<Self>(params), unknown);
        let faults = notices.into_iter().filter(|notice| notice.why != crate::Why::NoField);
        let dropped = faults.map(|notice| notice.error.under("params")).collect();
        (decoded.map_err(|error: DecodeError| error.under("params")), dropped)
    }
}

/// The text that stands for params; absent and null count as `{}` where the table says so.
fn params_text<M: Method + ?Sized>(params: Option<&str>) -> &str {
    match params {
        None => "{}",
        Some("null") if M::ROW.null_params => "{}",
        Some(text) => text,
    }
}

/// A method that is answered.
pub trait Call: Method {
    /// What the answer holds.
    type Result: Wire + Send + 'static;

    /// Decodes a result; `null` counts as `{}` where the table says so. Values outside closed sets
    /// are kept: what they mean is up to the caller (an unknown stop reason ends a turn with an
    /// error, PROMPT-16).
    fn decode_result(result: &str) -> Result<Self::Result, DecodeError> {
        let text = if result == "null" && Self::ROW.null_result { "{}" } else { result };
        crate::decode(text).map_err(|error| error.under("result"))
    }
}

/// A method that is not answered.
pub trait Notification: Method {}
