//! One row of the method table, and methods as types.

use super::attributes::{Deadline, Kind, Receiver, Scope, Side, Stability};
use super::gate::Gate;
use crate::common::ProtocolVersion;
use crate::{DecodeError, Fault, FaultKind, Reader, UnknownValues, Wire};

/// One row of the method table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The protocol version that the method belongs to.
    pub version: ProtocolVersion,
    /// The wire name.
    pub name: &'static str,
    /// The name of the handler's function: the wire name in snake case.
    pub function: &'static str,
    /// The receiver. The other end sends it.
    pub receiver: Receiver,
    /// Call or notification.
    pub kind: Kind,
    /// Connection or session.
    pub scope: Scope,
    /// Stable, unstable or retired.
    pub stability: Stability,
    /// The capability that the receiver must have advertised.
    pub gate: Gate,
    /// The rule that a message breaks if it is sent although the gate is closed.
    pub gate_rule: &'static str,
    /// Whether `null` params mean `{}`.
    pub null_params: bool,
    /// Whether a `null` result means `{}`.
    pub null_result: bool,
    /// Whether an agent refuses the call until the user has logged in.
    pub needs_login: bool,
    /// How long a caller should expect to wait.
    pub deadline: Deadline,
    /// The shape of `params`.
    #[cfg(feature = "schema")]
    pub params: fn() -> crate::Shape,
    /// The shape of `result`.
    #[cfg(feature = "schema")]
    pub result: Option<fn() -> crate::Shape>,
}

impl Row {
    /// Returns the text to decode as params: `{}` for absent params, and for `null` where the row
    /// allows it.
    pub fn params_text<'t>(&self, params: Option<&'t str>) -> &'t str {
        match params {
            None => "{}",
            Some("null") if self.null_params => "{}",
            Some(text) => text,
        }
    }

    /// Returns what to do with values outside closed sets in params. In version 1, they are errors
    /// in a call, and a notification keeps them. Version 2 has no closed sets.
    pub fn unknown_in_params(&self) -> UnknownValues {
        match self.kind {
            Kind::Call if self.version == ProtocolVersion::V1 => UnknownValues::Refuse,
            Kind::Call | Kind::Notification => UnknownValues::Keep,
        }
    }

    /// Reads params with `read`, which keeps the value. With `reporting`, returns the values that
    /// were left out or replaced by a default. The list has no unknown fields, because peers may
    /// add fields.
    ///
    /// Not generic, so that it is compiled once for all methods.
    pub fn read_params(
        &self,
        params: Option<&str>,
        reporting: bool,
        read: &mut dyn FnMut(&mut Reader<'_>) -> Result<(), Fault>,
    ) -> Result<Vec<DecodeError>, DecodeError> {
        let text = self.params_text(params);
        let mut reader = match reporting {
            true => Reader::reporting(text, self.unknown_in_params()),
            false => Reader::new(text, self.unknown_in_params()),
        };
        read(&mut reader)
            .and_then(|()| reader.end())
            .map_err(|fault| DecodeError::new(text, fault).under("params"))?;
        let faults = crate::wire::decode::notices(text, reader.into_report()).into_iter();
        let faults = faults.filter(|value| value.kind != FaultKind::NoField);
        Ok(faults.map(|notice| notice.error.under("params")).collect())
    }

    /// Returns the row of `methods` with this wire name that `side` receives.
    pub(super) fn find(
        methods: &'static [&'static Self],
        side: Side,
        name: &str,
        kind: Kind,
    ) -> Option<&'static Self> {
        let receiver = match side {
            Side::Agent => Receiver::Agent,
            Side::Client => Receiver::Client,
        };
        methods.iter().copied().find(|row| {
            row.name == name
                && row.kind == kind
                && (row.receiver == receiver || row.receiver == Receiver::Both)
        })
    }

    /// Returns the text to decode as a result: `{}` for `null` where the row allows it.
    pub fn result_text<'t>(&self, result: &'t str) -> &'t str {
        if result == "null" && self.null_result { "{}" } else { result }
    }
}

/// A method as a type, which connects its row with the type of its params.
pub trait Method: 'static {
    /// Its row in the table.
    const ROW: &'static Row;
    /// The type of `params`.
    type Params: Wire + Send + 'static;

    /// Decodes params. In version 1, a value outside a closed set is an error in a call; a
    /// notification keeps it. Version 2 always keeps it.
    fn decode_params(params: Option<&str>) -> Result<Self::Params, DecodeError> {
        let text = Self::ROW.params_text(params);
        let decoded = match Self::ROW.unknown_in_params() {
            UnknownValues::Refuse => crate::decode_known(text),
            UnknownValues::Keep => crate::decode(text),
        };
        decoded.map_err(|error| error.under("params"))
    }
}

/// A method with a reply.
pub trait Call: Method {
    /// The type of `result`.
    type Result: Wire + Send + 'static;

    /// Decodes a result. Values outside closed sets are kept, and the caller decides what they
    /// mean: an unknown stop reason, for example, ends a turn with an error.
    fn decode_result(result: &str) -> Result<Self::Result, DecodeError> {
        crate::decode(Self::ROW.result_text(result)).map_err(|error| error.under("result"))
    }
}

/// A method without a reply.
pub trait Notification: Method {}
