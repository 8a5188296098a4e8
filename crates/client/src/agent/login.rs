//! Logging in to an agent.

use attache_connection::CallError;
use attache_host::Launch;
use attache_protocol::Meta;
use attache_protocol::v1::{AuthMethod, AuthMethodId};
use serde_json::Value;
use std::fmt;

/// The key of `_meta` under which several agents describe a login command in methods whose type is
/// not `terminal`. Clients use the same key to say that they run such commands.
pub(crate) const TERMINAL_AUTH: &str = "terminal-auth";

/// How a person logs in with one of an agent's methods.
#[derive(Debug)]
pub enum Login {
    /// This program calls [`crate::AgentConnection::authenticate`], and the agent does the rest,
    /// for example by opening a page.
    ByAgent,
    /// The person logs in with a program in a terminal. An exit code of 0 means that the login
    /// succeeded. Restart the agent afterwards.
    InTerminal(Launch),
}

impl Login {
    /// Returns how to log in with `method`; `agent` is the launch of the agent itself. A method of
    /// the type `terminal` runs the agent's program with additional arguments and variables. A
    /// method that describes a command in `_meta` runs that command.
    ///
    /// ```
    /// use attache_client::Login;
    /// use attache_host::Launch;
    /// use attache_protocol::v1::{AuthMethodAgent, AuthMethodTerminal};
    ///
    /// let agent = || Launch::parse("robot --acp").unwrap();
    /// let method = AuthMethodTerminal { args: vec!["login".into()], ..AuthMethodTerminal::new("a", "A") };
    /// let Login::InTerminal(launch) = Login::of(&method.into(), agent()) else { panic!() };
    /// assert_eq!(launch.command_line(), "robot --acp login");
    /// assert!(matches!(Login::of(&AuthMethodAgent::new("b", "B").into(), agent()), Login::ByAgent));
    /// ```
    pub fn of(method: &AuthMethod, agent: Launch) -> Self {
        match method {
            AuthMethod::Terminal(method) => {
                let launch = agent.args(method.args.iter().cloned());
                let variables = method.env.0.iter();
                Self::InTerminal(
                    variables
                        .fold(launch, |launch, (name, value)| launch.env(name, value.expose())),
                )
            }
            AuthMethod::Agent(method) => {
                let described = method.meta.as_ref().and_then(described);
                described.map_or(Self::ByAgent, Self::InTerminal)
            }
        }
    }
}

/// The command that `_meta` describes, if it describes one.
fn described(meta: &Meta) -> Option<Launch> {
    let described: Value = meta.get(TERMINAL_AUTH)?;
    let launch =
        Launch::new(described.get("command")?.as_str().filter(|command| !command.is_empty())?);
    let args = described.get("args").and_then(Value::as_array).into_iter().flatten();
    let launch = args.filter_map(Value::as_str).fold(launch, Launch::arg);
    let env = described.get("env").and_then(Value::as_object).into_iter().flatten();
    Some(
        env.filter_map(|(name, value)| Some((name, value.as_str()?)))
            .fold(launch, |launch, (name, value)| launch.env(name, value)),
    )
}

/// Why a login failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginError {
    /// The agent does not offer this method.
    UnknownMethod {
        /// The requested method.
        id: AuthMethodId,
        /// The methods that the agent offers.
        offered: Vec<AuthMethodId>,
    },
    /// This method is a login in a terminal, which `authenticate` cannot do.
    InTerminal(AuthMethodId),
    /// The agent refused, or is gone.
    Call(CallError),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMethod { id, offered } if offered.is_empty() => {
                write!(
                    f,
                    "the agent does not offer the login \"{id}\" or any other: log in with its own program"
                )
            }
            Self::UnknownMethod { id, offered } => {
                let offered: Vec<&str> = offered.iter().map(AuthMethodId::as_str).collect();
                write!(
                    f,
                    "the agent does not offer the login \"{id}\": use one of {}",
                    offered.join(", ")
                )
            }
            Self::InTerminal(id) => {
                write!(
                    f,
                    "the login \"{id}\" runs in a terminal: run its program there, then restart the agent"
                )
            }
            Self::Call(error) => write!(f, "the login failed: {error}"),
        }
    }
}

impl std::error::Error for LoginError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call(error) => Some(error),
            Self::UnknownMethod { .. } | Self::InTerminal(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Login;
    use attache_host::Launch;
    use attache_protocol::decode;
    use attache_protocol::v1::AuthMethod;

    fn command(method: &str) -> Option<String> {
        let method: AuthMethod = decode(method).unwrap();
        match Login::of(&method, Launch::parse("KEY=a robot --acp").unwrap()) {
            Login::ByAgent => None,
            Login::InTerminal(launch) => Some(launch.command_line()),
        }
    }

    /// AUTH-08, AUTH-15.
    #[test]
    fn a_method_is_a_call_or_a_command_in_a_terminal() {
        assert_eq!(command(r#"{"id":"a","name":"A"}"#), None);
        assert_eq!(
            command(r#"{"id":"a","name":"A","type":"env_var","vars":[{"name":"KEY"}]}"#),
            None
        );
        let terminal = r#"{"id":"a","name":"A","type":"terminal","args":["log in"],"env":{"B":"c"},"_meta":{"terminal-auth":{"command":"x"}}}"#;
        assert_eq!(command(terminal).as_deref(), Some("KEY=a B=c robot --acp 'log in'"));
        let described = r#"{"id":"a","name":"A","_meta":{"terminal-auth":{"command":"robot","args":["auth",7,"login"],"env":{"B":"c"}}}}"#;
        assert_eq!(command(described).as_deref(), Some("B=c robot auth login"));
        for none in ["7", "{}", r#"{"command":""}"#, r#"{"command":["x"]}"#] {
            assert_eq!(
                command(&format!(r#"{{"id":"a","name":"A","_meta":{{"terminal-auth":{none}}}}}"#)),
                None
            );
        }
    }
}
