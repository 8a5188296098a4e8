//! The agent that `--agent` selects: a known name or a command line.

use crate::agents::own::OwnAgents;
use crate::exit::{Exit, Failure};
use crate::remote_agent;
use attache_client::{AgentConnection, AgentSource, HubError, KnownAgent, Options, StartError};
use attache_host::Launch;
use attache_protocol::v1::ProtocolVersion;
use attache_view::sanitize;
use std::path::Path;

/// The names of the built-in agent.
pub(crate) const BUILT_IN: [&str; 2] = ["attache", "built-in"];

/// The display name.
pub(crate) const BUILT_IN_NAME: &str = "attache";

/// An agent to start or to connect to.
pub(crate) struct ChosenAgent {
    start: Start,
    /// The display name.
    pub(crate) name: String,
    /// The value of `--agent` that selects it, quoted for a command line.
    pub(crate) word: String,
    /// The entry of a known agent.
    pub(crate) known: Option<&'static KnownAgent>,
    /// Whether this is the built-in agent.
    pub(crate) built_in: bool,
    /// The version of the protocol to ask the agent for.
    pub(crate) protocol: ProtocolVersion,
}

/// How an agent is reached.
enum Start {
    /// By starting a program.
    Program(Launch),
    /// At an address.
    Remote(String),
}

impl ChosenAgent {
    /// Returns the agent that `--agent` selects, and the source with which a hub starts and
    /// restarts it. The agent works in `cwd`. `protocol` overrides the version of its entry.
    /// `token_file` holds the token for a remote agent.
    ///
    /// # Errors
    /// The same as for [`ChosenAgent::of`] and [`remote_agent::source`].
    pub(crate) fn source(
        given: Option<&str>,
        variables: &[(String, String)],
        cwd: &Path,
        protocol: Option<ProtocolVersion>,
        token_file: Option<&Path>,
    ) -> Result<(Self, AgentSource), Failure> {
        let cwd = cwd.to_owned();
        let variables = variables.to_vec();
        let equip = move |launch| with_env(launch, &variables).cwd(&cwd);
        Self::source_with(given, protocol, token_file, equip)
    }

    /// Like [`ChosenAgent::source`]. `equip` sets the environment and the folder at each start.
    ///
    /// # Errors
    /// The same as for [`ChosenAgent::of`].
    pub(crate) fn source_with(
        given: Option<&str>,
        protocol: Option<ProtocolVersion>,
        token_file: Option<&Path>,
        equip: impl Fn(Launch) -> Launch + Send + Sync + 'static,
    ) -> Result<(Self, AgentSource), Failure> {
        let mut agent = Self::of(given)?;
        agent.protocol = protocol.unwrap_or(agent.protocol);
        if let Start::Remote(address) = &agent.start {
            let source = remote_agent::source(address, agent.protocol, token_file)?;
            return Ok((agent, source));
        }
        let given = given.map(str::to_owned);
        // The lookup succeeded above. It fails here only if the agent has been removed since;
        // starting it then reports the error.
        let launch = move || {
            let found = Self::of(given.as_deref()).and_then(Self::into_launch);
            equip(found.unwrap_or_else(|_| Launch::new(given.as_deref().unwrap_or("attache"))))
        };
        let (built_in, protocol) = (agent.built_in, agent.protocol);
        let with = move |options: Options| offered(options.protocol(protocol), built_in);
        Ok((agent, AgentSource::launch(launch).with_options(with)))
    }

    /// Returns the agent that `--agent` selects; the built-in one by default.
    ///
    /// # Errors
    /// Returns an error if the command line is invalid, or if the path of this program is unknown.
    pub(crate) fn of(given: Option<&str>) -> Result<Self, Failure> {
        let Some(given) = given.map(str::trim).filter(|given| !BUILT_IN.contains(given)) else {
            return Ok(Self {
                start: Start::Program(built_in()?),
                name: BUILT_IN_NAME.to_owned(),
                word: "attache".to_owned(),
                known: None,
                built_in: true,
                protocol: ProtocolVersion::V1,
            });
        };
        // A name is a single word without a slash.
        let is_name = !given.contains(|c: char| c.is_whitespace() || c == '/');
        let own = if is_name { OwnAgents::read()?.named(given) } else { None };
        let protocol = own.as_ref().and_then(|own| own.protocol).unwrap_or(ProtocolVersion::V1);
        let own = own.map(|own| own.command);
        let named = KnownAgent::named(given).filter(|_| own.is_none());
        let command = own.as_deref().or(named.map(|agent| agent.command)).unwrap_or(given);
        if remote_agent::is_address(command) {
            return Ok(Self {
                start: Start::Remote(command.to_owned()),
                name: given.to_owned(),
                word: Launch::quoted(given),
                known: None,
                built_in: false,
                protocol,
            });
        }
        let launch =
            Launch::parse(command).map_err(|error| Failure::usage(format!("--agent: {error}")))?;
        let known = named.or_else(|| KnownAgent::with_program(Path::new(launch.program())));
        // A program such as npx can start different agents, so an agent that has a name is shown by
        // its name.
        let name = match own.is_some() || named.is_some() {
            true => given.to_owned(),
            false => {
                let program = Path::new(launch.program()).file_name();
                program.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            }
        };
        let (start, word) = (Start::Program(launch), Launch::quoted(given));
        Ok(Self { start, name, word, known, built_in: false, protocol })
    }

    /// Adds environment variables, which a remote agent does not get.
    pub(crate) fn with_env(mut self, variables: &[(String, String)]) -> Self {
        if let Start::Program(launch) = self.start {
            self.start = Start::Program(with_env(launch, variables));
        }
        self
    }

    /// The program to start.
    ///
    /// # Errors
    /// Returns an error if the agent is remote.
    pub(crate) fn into_launch(self) -> Result<Launch, Failure> {
        match self.start {
            // The tokens are for servers, not for the agents of this machine.
            Start::Program(launch) => Ok(remote_agent::without_tokens(launch)),
            Start::Remote(_) => Err(Failure::usage(
                "this command starts a program and cannot use a remote agent: use attache, attache chat or attache run",
            )),
        }
    }
}

fn with_env(launch: Launch, variables: &[(String, String)]) -> Launch {
    variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
}

/// Returns the options for an agent. The built-in agent accesses files directly: the agent's own
/// rules and modes protect them, and its questions show the same diff as this client would.
pub(crate) fn offered(options: Options, built_in: bool) -> Options {
    if built_in { options.without_reading().without_writing() } else { options }
}

/// What a person must know before an agent of version 2 works.
const ACTS_BY_ITSELF: &str = "This agent speaks ACP version 2, a draft: it reads and writes files and runs commands by itself, without this program.";

/// Returns what the person must know before this agent works: an agent of version 2 acts by itself.
pub(crate) fn acts_by_itself(agent: &AgentConnection) -> Option<&'static str> {
    (agent.protocol() == ProtocolVersion::V2).then_some(ACTS_BY_ITSELF)
}

/// Returns the launch of the built-in agent, as a child process of this program.
pub(crate) fn built_in() -> Result<Launch, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        let advice = "choose an agent with --agent";
        Failure::new(
            Exit::Internal,
            format!(
                "the path of this program is unknown, so its agent cannot start: {error}; {advice}"
            ),
        )
    })?;
    Ok(Launch::new(program).arg("agent"))
}

/// Returns the error for an agent that did not start, with its install command if known.
pub(crate) fn cannot_start(error: &StartError, known: Option<&KnownAgent>) -> Failure {
    use attache_host::StartError::NotFound;
    match (error, known) {
        (StartError::Command(error), _) => Failure::usage(format!("--agent: {error}")),
        (StartError::Program(NotFound { searched: Some(_), .. }), Some(known)) => {
            let KnownAgent { title, install, login, .. } = known;
            let program = known.program();
            Failure::new(
                Exit::CannotStart,
                format!(
                    "{title} is not installed: no program {program} in PATH. Install it with:\n  {install}\nIt needs {login}."
                ),
            )
        }
        // The full error contains the value of PATH, which would hide the advice.
        (StartError::Program(NotFound { program, searched: Some(_) }), None) => Failure::new(
            Exit::CannotStart,
            format!(
                "no program {} in PATH: install it, or give its full path; `attache agents` lists the agents that are known by name",
                sanitize::visible_line(&program.to_string_lossy())
            ),
        ),
        (StartError::Program(error @ NotFound { .. }), None) => Failure::new(
            Exit::CannotStart,
            format!("{error}; `attache agents` lists the agents that are known by name"),
        ),
        (error, _) => match error.other_version() {
            Some(only) => other_version(only),
            None => Failure::new(Exit::CannotStart, error),
        },
    }
}

/// Returns the error for an agent that speaks only this version.
fn other_version(only: ProtocolVersion) -> Failure {
    let failure = format!(
        "the agent speaks only version {only} of ACP: use --protocol {only}, or `protocol = {only}` in its entry in agents.toml"
    );
    Failure::new(Exit::CannotStart, failure)
}

/// Returns the error for a command under test that did not start; its program is looked up among
/// the known agents.
pub(crate) fn cannot_judge(error: attache_host::StartError) -> Failure {
    let known = match &error {
        attache_host::StartError::NotFound { program, .. } => {
            KnownAgent::with_program(Path::new(program))
        }
        _ => None,
    };
    cannot_start(&StartError::Program(error), known)
}

/// Returns the error for a hub's agent that did not start, or for a session that did not open.
pub(crate) fn not_opened(error: &HubError, known: Option<&KnownAgent>) -> Failure {
    match error {
        HubError::Start { error, .. } => cannot_start(error, known),
        error => Failure::new(Exit::CannotStart, error),
    }
}
