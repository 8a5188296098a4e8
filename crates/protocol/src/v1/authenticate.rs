//! Logging in and out, and the login state (requirements §4.3; `auth/status` is unstable).

use super::AuthMethodId;
use crate::Secret;
use crate::wire::declare::wire_struct;
use crate::{Fault, Map, Members, ObjectWriter, Reader, Wire, Writer};

/// A way to log in that an agent offers. Only the type `terminal` is treated differently. A method
/// without a type, or with any other type, is for `authenticate`. A malformed `terminal` method is
/// an error and is never read as another kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AuthMethod {
    /// The client calls `authenticate` with the method's id.
    Agent(AuthMethodAgent),
    /// The client starts the agent's program in a terminal. The method is never passed to
    /// `authenticate`.
    Terminal(AuthMethodTerminal),
}

impl AuthMethod {
    /// The method's id.
    pub fn id(&self) -> &AuthMethodId {
        match self {
            Self::Agent(method) => &method.id,
            Self::Terminal(method) => &method.id,
        }
    }

    /// The method's human-readable name.
    pub fn name(&self) -> &str {
        match self {
            Self::Agent(method) => &method.name,
            Self::Terminal(method) => &method.name,
        }
    }

    /// A human-readable description.
    pub fn description(&self) -> Option<&str> {
        match self {
            Self::Agent(method) => method.description.as_deref(),
            Self::Terminal(method) => method.description.as_deref(),
        }
    }
}

impl From<AuthMethodAgent> for AuthMethod {
    fn from(method: AuthMethodAgent) -> Self {
        Self::Agent(method)
    }
}

impl From<AuthMethodTerminal> for AuthMethod {
    fn from(method: AuthMethodTerminal) -> Self {
        Self::Terminal(method)
    }
}

impl Wire for AuthMethod {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.tag("type")?.as_deref() {
            Some("terminal") => {
                let start = reader.place();
                reader.taken(start, &["type"]);
                AuthMethodTerminal::read(reader).map(Self::Terminal)
            }
            _ => AuthMethodAgent::read(reader).map(Self::Agent),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| self.write_members(object, &[]));
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Union {
            name: "AuthMethod",
            tag: "type",
            variants: vec![
                ("terminal", AuthMethodTerminal::shape()),
                ("", AuthMethodAgent::shape()),
            ],
            open: false,
        }
    }
}

impl Members for AuthMethod {
    fn write_members(&self, object: &mut ObjectWriter<'_>, except: &[&str]) {
        match self {
            Self::Agent(method) => method.write_members(object, except),
            Self::Terminal(method) => {
                object.key("type").string("terminal");
                method.write_members(object, except);
            }
        }
    }
}

wire_struct! {
    /// A login that the agent performs itself when `authenticate` is called.
    pub struct AuthMethodAgent {
        /// The id for `authenticate`.
        must id: AuthMethodId = "id",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
        /// The type that the agent gave, kept so that it can be written back. It has no meaning and
        /// is never `terminal`.
        lenient kind: Option<String> = "type",
    }
}

wire_struct! {
    /// A login in a terminal. The client runs the agent's own command with these additional
    /// arguments and variables.
    pub struct AuthMethodTerminal {
        /// The method's id.
        must id: AuthMethodId = "id",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
        /// Arguments added after the usual ones.
        null args: Vec<String> = "args",
        /// Environment variables set on top of the usual ones.
        null env: Map<Secret> = "env",
    }
}

wire_struct! {
    /// Params of `authenticate`.
    pub struct AuthenticateRequest {
        /// The id of an advertised [`AuthMethod::Agent`].
        must method_id: AuthMethodId = "methodId",
    }
}

wire_struct! {
    /// Result of `authenticate`: the login succeeded.
    pub struct AuthenticateResponse {}
}

wire_struct! {
    /// Params of `logout`.
    pub struct LogoutRequest {}
}

wire_struct! {
    /// Result of `logout`: new sessions need a login again.
    pub struct LogoutResponse {}
}
