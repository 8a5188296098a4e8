//! The command of each errand of a client, with its placeholders.

use super::{home, known_client};
use crate::exit::Failure;
use attache_check::{Door, ERRANDS, Errand, NotRun, StartedClient};
use attache_host::Launch;
use std::collections::HashMap;
use std::ffi::OsString;

/// The placeholders for the agent's command line, as one word and as separate words.
const AGENT: [&str; 2] = ["{agent}", "{agent...}"];

/// The program and arguments that a client starts as its agent, and an agent as an MCP server,
/// before the address.
pub(in crate::check) fn relay() -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(crate::exit::Exit::OurFault, format!("this program cannot be found: {error}"))
    })?;
    Ok(vec![program.to_string_lossy().into_owned(), "check".to_owned(), "relay".to_owned()])
}

/// The commands of a client, by errand.
pub(in crate::check) struct Commands {
    /// The command of the errand `prompt`.
    main: Vec<OsString>,
    given: HashMap<&'static str, String>,
    relay: Vec<String>,
}

impl Commands {
    /// Returns the client that `main` starts, with its commands for other errands. `main` is the
    /// errand `prompt`.
    ///
    /// # Errors
    /// An errand is unknown, or a command starts no agent.
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
        for (errand, line) in to {
            let Some((name, _)) = ERRANDS.iter().find(|(name, _)| name == errand) else {
                let names: Vec<&str> = ERRANDS.iter().map(|(name, _)| *name).collect();
                return Err(Failure::usage(format!(
                    "--to {errand}: unknown errand; use one of {}",
                    names.join(", ")
                )));
            };
            Launch::parse(line)
                .map_err(|error| Failure::usage(format!("--to {errand}: {error}")))?;
            if !names_agent(line) {
                return Err(Failure::usage(format!(
                    "--to {errand}: the command has no place for the agent: write {{agent}} there"
                )));
            }
            given.insert(*name, line.clone());
        }
        Ok(Self { main, given, relay: relay()? })
    }

    /// Starts the client for an errand.
    ///
    /// # Errors
    /// The errand has no command, or the command cannot be started.
    pub(in crate::check) fn start(&self, errand: &Errand) -> Result<StartedClient, NotRun> {
        let launch = self.launch(errand)?;
        let door = Door::open().map_err(NotRun::Listen)?;
        let mut agent = self.relay.clone();
        agent.extend([door.address().to_string(), door.token().to_owned()]);
        for option in ["stderr", "exit"] {
            let value = errand.value(option);
            agent.extend(
                value.into_iter().flat_map(|value| [format!("--{option}"), value.to_owned()]),
            );
        }
        let line: Vec<String> = agent.iter().map(|word| Launch::quoted(word)).collect();
        let errand = errand.clone().with("agent", line.join(" "));
        let launch = launch.filled(|word| match word == AGENT[1] {
            true => agent.clone(),
            false => vec![errand.fill(word)],
        });
        let launch = match errand.cwd().parent() {
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
        StartedClient::start(launch.cwd(errand.cwd()), door).map_err(NotRun::Start)
    }

    fn launch(&self, errand: &Errand) -> Result<Launch, NotRun> {
        let name = errand.name();
        if let Some(line) = self.given.get(name) {
            // The command was parsed before.
            return Launch::parse(line).map_err(|_| NotRun::NoErrand);
        }
        let words = match name {
            "prompt" => self.main.clone(),
            "cancel" => known_client::words(&self.main, name).unwrap_or_else(|| self.main.clone()),
            _ => known_client::words(&self.main, name).ok_or(NotRun::NoErrand)?,
        };
        let mut words = words.into_iter();
        Ok(Launch::new(words.next().unwrap_or_default()).args(words))
    }
}

fn names_agent(text: &str) -> bool {
    AGENT.iter().any(|placeholder| text.contains(placeholder))
}
