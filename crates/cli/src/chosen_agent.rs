//! Which agent `--agent` means: one known by its name, or a command line.

use crate::agents::own::OwnAgents;
use crate::exit::{Exit, Failure};
use crate::show::sanitize;
use attache_client::{AgentSource, HubError, KnownAgent, Options, StartError};
use attache_host::Launch;
use std::path::Path;

/// Words that stand for the built-in agent.
pub(crate) const BUILT_IN: [&str; 2] = ["attache", "built-in"];

/// What people call it.
pub(crate) const BUILT_IN_NAME: &str = "attache";

/// The agent to start.
pub(crate) struct ChosenAgent {
    pub(crate) launch: Launch,
    /// What people call it.
    pub(crate) name: String,
    /// What `--agent` takes for it, as a word of a command line.
    pub(crate) word: String,
    /// What is known of it.
    pub(crate) known: Option<&'static KnownAgent>,
    /// Whether it is this program's own.
    pub(crate) built_in: bool,
}

impl ChosenAgent {
    /// The agent that `--agent` says, and where a hub gets it from as often as it must, to work in
    /// `cwd`.
    ///
    /// # Errors
    /// As [`ChosenAgent::of`].
    pub(crate) fn source(
        given: Option<&str>,
        variables: &[(String, String)],
        cwd: &Path,
    ) -> Result<(Self, AgentSource), Failure> {
        let agent = Self::of(given)?;
        let (given, cwd) = (given.map(str::to_owned), cwd.to_owned());
        let variables = variables.to_vec();
        // What could be found once is found again, unless it was taken away: then that is what
        // starting it says.
        let launch = move || {
            let found = Self::of(given.as_deref()).map(|agent| agent.with_env(&variables).launch);
            found.unwrap_or_else(|_| Launch::new(given.as_deref().unwrap_or("attache"))).cwd(&cwd)
        };
        let built_in = agent.built_in;
        Ok((
            agent,
            AgentSource::launch(launch).with_options(move |options| offered(options, built_in)),
        ))
    }

    /// The agent that `--agent` says; without it the built-in one.
    ///
    /// # Errors
    /// The command line cannot be read, or this program cannot find itself.
    pub(crate) fn of(given: Option<&str>) -> Result<Self, Failure> {
        let Some(given) = given.map(str::trim).filter(|given| !BUILT_IN.contains(given)) else {
            return Ok(Self {
                launch: built_in()?,
                name: BUILT_IN_NAME.to_owned(),
                word: "attache".to_owned(),
                known: None,
                built_in: true,
            });
        };
        // Only a word can be a name.
        let is_name = !given.contains(|c: char| c.is_whitespace() || c == '/');
        let own =
            if is_name { OwnAgents::read()?.named(given).map(|own| own.command) } else { None };
        let named = KnownAgent::named(given).filter(|_| own.is_none());
        let command = own.as_deref().or(named.map(|agent| agent.command)).unwrap_or(given);
        let launch =
            Launch::parse(command).map_err(|error| Failure::usage(format!("--agent: {error}")))?;
        let known = named.or_else(|| KnownAgent::with_program(Path::new(launch.program())));
        // Several agents are started by one program, such as npx: what has a name goes by that.
        let name = match own.is_some() || named.is_some() {
            true => given.to_owned(),
            false => {
                let program = Path::new(launch.program()).file_name();
                program.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            }
        };
        Ok(Self { launch, name, word: Launch::quoted(given), known, built_in: false })
    }

    /// The same with these variables in its environment.
    pub(crate) fn with_env(mut self, variables: &[(String, String)]) -> Self {
        self.launch =
            variables.iter().fold(self.launch, |launch, (name, value)| launch.env(name, value));
        self
    }
}

/// What an agent is offered. The built-in one decides about files by its own rules and modes, which
/// ask with the same diff, so that it works on the disk by itself.
pub(crate) fn offered(options: Options, built_in: bool) -> Options {
    if built_in { options.without_reading().without_writing() } else { options }
}

/// The built-in agent as a child: this program again.
pub(crate) fn built_in() -> Result<Launch, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        let advice = "name an agent by --agent";
        Failure::new(
            Exit::OurFault,
            format!("this program cannot find itself to start its agent: {error}; {advice}"),
        )
    })?;
    Ok(Launch::new(program).arg("agent"))
}

/// Why an agent did not start, with the line that installs it where that is known.
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
                    "{title} is not installed: there is no program {program} in PATH. This installs it:\n  {install}\nIt needs {login}."
                ),
            )
        }
        // PATH itself would bury what to do.
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
        (error, _) => Failure::new(Exit::CannotStart, error),
    }
}

/// Why a command that is judged did not start: its program is looked up among the agents that are
/// known.
pub(crate) fn cannot_judge(error: attache_host::StartError) -> Failure {
    let known = match &error {
        attache_host::StartError::NotFound { program, .. } => {
            KnownAgent::with_program(Path::new(program))
        }
        _ => None,
    };
    cannot_start(&StartError::Program(error), known)
}

/// The same for an agent of a hub, and for a session that did not open.
pub(crate) fn not_opened(error: &HubError, known: Option<&KnownAgent>) -> Failure {
    match error {
        HubError::Start { error, .. } => cannot_start(error, known),
        error => Failure::new(Exit::CannotStart, error),
    }
}
