//! The commands that make a client perform each task, with their placeholders.

use super::{home, known_client};
use crate::exit::Failure;
use crate::remote_agent::without_tokens;
use attache_check::{CLIENT_TASKS, ClientRunError, ClientTask, RelayListener, StartedClient};
use attache_host::Launch;
use std::collections::HashMap;
use std::ffi::OsString;

/// The placeholders for the agent's command line, as one word and as separate words.
const AGENT: [&str; 2] = ["{agent}", "{agent...}"];

/// Returns the program that a client starts as its agent and that an agent starts as an MCP server,
/// with its arguments before the address.
pub(in crate::check) fn relay() -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(crate::exit::Exit::Internal, format!("this program cannot be found: {error}"))
    })?;
    Ok(vec![program.to_string_lossy().into_owned(), "check".to_owned(), "relay".to_owned()])
}

/// The commands of a client, by task.
pub(in crate::check) struct Commands {
    /// The command of the task `prompt`.
    main: Vec<OsString>,
    given: HashMap<&'static str, String>,
    relay: Vec<String>,
}

impl Commands {
    /// Returns the commands of a client: `main` for the task `prompt`, and those in `to`, each for
    /// the task that it names.
    ///
    /// # Errors
    /// Returns an error if a task is unknown, or if a command has no place for the agent.
    pub(in crate::check) fn of(
        main: &[OsString],
        to: &[(String, String)],
    ) -> Result<Self, Failure> {
        let main = main.to_vec();
        let starts_agent = main.iter().any(|word| word.to_str().is_some_and(names_agent));
        if !starts_agent {
            return Err(Failure::usage(
                "the command of the client has no place for its agent: write {agent} there, as in `my-client --agent {agent} {prompt}`",
            ));
        }
        let mut given = HashMap::new();
        for (task, line) in to {
            let Some((name, _)) = CLIENT_TASKS.iter().find(|(name, _)| name == task) else {
                let names: Vec<&str> = CLIENT_TASKS.iter().map(|(name, _)| *name).collect();
                return Err(Failure::usage(format!(
                    "--to {task}: unknown task; use one of {}",
                    names.join(", ")
                )));
            };
            Launch::parse(line).map_err(|error| Failure::usage(format!("--to {task}: {error}")))?;
            if !names_agent(line) {
                return Err(Failure::usage(format!(
                    "--to {task}: the command has no place for the agent: write {{agent}} there"
                )));
            }
            given.insert(*name, line.clone());
        }
        Ok(Self { main, given, relay: relay()? })
    }

    /// Starts the client for a task.
    ///
    /// # Errors
    /// Returns an error if the task has no command, or if the command cannot be started.
    pub(in crate::check) fn start(
        &self,
        task: &ClientTask,
    ) -> Result<StartedClient, ClientRunError> {
        let launch = without_tokens(self.launch(task)?);
        let listener = RelayListener::open().map_err(ClientRunError::Listen)?;
        let mut agent = self.relay.clone();
        agent.extend([listener.address().to_string(), listener.token().to_owned()]);
        for option in ["stderr", "exit"] {
            let value = task.value(option);
            agent.extend(
                value.into_iter().flat_map(|value| [format!("--{option}"), value.to_owned()]),
            );
        }
        let line: Vec<String> = agent.iter().map(|word| Launch::quoted(word)).collect();
        let task = task.clone().with("agent", line.join(" "));
        let launch = launch.filled(|word| match word == AGENT[1] {
            true => agent.clone(),
            false => vec![task.fill(word)],
        });
        let launch = match task.cwd().parent() {
            Some(beside) => {
                let home = home::variables(beside);
                // The person's own store must not receive sessions of the judge.
                home.into_iter()
                    .fold(launch.env_remove("ATTACHE_STORE"), |launch, (name, value)| {
                        launch.env(name, value)
                    })
            }
            None => launch,
        };
        StartedClient::start(launch.cwd(task.cwd()), listener).map_err(ClientRunError::Start)
    }

    fn launch(&self, task: &ClientTask) -> Result<Launch, ClientRunError> {
        let name = task.name();
        if let Some(line) = self.given.get(name) {
            // `Commands::of` has already parsed this command.
            return Launch::parse(line).map_err(|_| ClientRunError::NoCommand);
        }
        let words = match name {
            "prompt" => self.main.clone(),
            "cancel" => known_client::words(&self.main, name).unwrap_or_else(|| self.main.clone()),
            _ => known_client::words(&self.main, name).ok_or(ClientRunError::NoCommand)?,
        };
        let mut words = words.into_iter();
        Ok(Launch::new(words.next().unwrap_or_default()).args(words))
    }
}

fn names_agent(text: &str) -> bool {
    AGENT.iter().any(|placeholder| text.contains(placeholder))
}
