//! The environment of an agent under test: the judge's model instead of its provider's, and a
//! separate home.

use super::home;
use super::known_agent::KnownAgent;
use crate::exit::{Exit, Failure};
use crate::remote_agent::without_tokens;
use attache_host::Launch;
use std::ffi::OsString;
use std::io;
use tempfile::TempDir;

/// The environment of the agent. Dropping it removes the agent's home folder.
#[derive(Debug)]
pub(in crate::check) struct Environment {
    variables: Vec<(OsString, OsString)>,
    _home: TempDir,
}

impl Environment {
    /// Returns the environment of the agent that `command` starts, with the judge's model at `url`.
    /// `model` names the variables that are set to `url`, as `NAME` or `NAME=SUFFIX`; `more` has
    /// other variables, as `NAME=VALUE`. Both override the known settings of the agent.
    pub(in crate::check) fn new(
        command: &[OsString],
        url: &str,
        model: &[String],
        more: &[String],
    ) -> Result<Self, Failure> {
        let home = tempfile::tempdir().map_err(internal)?;
        let mut variables = home::variables(home.path());
        if let Some(known) = KnownAgent::of(command) {
            known.write_settings(home.path(), url).map_err(internal)?;
            variables.extend(known.variables(home.path(), url));
        }
        for name in model {
            let (name, suffix) = name.split_once('=').unwrap_or((name, ""));
            variables.push((name.into(), format!("{url}{suffix}").into()));
        }
        for pair in more {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Failure::usage(format!("--env expects NAME=VALUE, and \"{pair}\" has no \"=\""))
            })?;
            variables.push((name.into(), value.into()));
        }
        match variables.iter().find(|(name, _)| name.is_empty()) {
            Some(_) => Err(Failure::usage(
                "--env and --model-env expect the name of a variable before the \"=\"",
            )),
            None => Ok(Self { variables, _home: home }),
        }
    }

    /// Returns the launch with these variables, and without the tokens of this program.
    pub(in crate::check) fn around(&self, launch: Launch) -> Launch {
        self.variables
            .iter()
            .fold(without_tokens(launch), |launch, (name, value)| launch.env(name, value))
    }
}

fn internal(error: io::Error) -> Failure {
    Failure::new(Exit::Internal, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::peer::known_agent::KEY;
    use std::fs;
    use std::path::Path;

    fn led(command: &str, model: &[&str], more: &[&str]) -> Environment {
        let command: Vec<OsString> = command.split(' ').map(Into::into).collect();
        let [model, more] =
            [model, more].map(|all| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        Environment::new(&command, "http://127.0.0.1:1", &model, &more).unwrap()
    }

    /// Returns the effective value of a variable: the last one that is set.
    fn value(environment: &Environment, name: &str) -> Option<String> {
        let mut named = environment.variables.iter().rev().filter(|(other, _)| other == name);
        Some(named.next()?.1.to_string_lossy().into_owned())
    }

    #[test]
    fn a_peer_gets_the_tokens_of_this_program_only_if_they_are_set_for_it() {
        let changes = |more: &[&str]| {
            format!("{:?}", led("agent", &[], more).around(Launch::new("agent")).in_terminal())
        };
        for token in ["ATTACHE_TOKEN", "ATTACHE_NOTIFY_TOKEN"] {
            assert!(changes(&[]).contains(&format!("-u {token}")), "{}", changes(&[]));
            let given = changes(&[&format!("{token}=mine")]);
            assert!(given.contains(&format!("{token}=\"mine\"")), "{given}");
        }
    }

    #[test]
    fn known_agents_are_recognized_in_any_command() {
        for (command, variable, expected) in [
            ("gemini --acp", "GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1"),
            ("node /x/gemini.js --acp", "GEMINI_API_KEY", KEY),
            ("npx -y @google/gemini-cli@0.61.0 --acp", "GEMINI_API_KEY", KEY),
            ("/target/debug/attache agent", "ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
            ("qwen --acp", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
        ] {
            assert_eq!(
                value(&led(command, &[], &[]), variable).as_deref(),
                Some(expected),
                "{command}"
            );
        }
        assert_eq!(value(&led("my-agent --gemini-like", &[], &[]), "GEMINI_API_KEY"), None);
    }

    #[test]
    fn every_agent_has_a_separate_home() {
        let environment = led("my-agent", &[], &[]);
        let home = value(&environment, "HOME").unwrap();
        assert_ne!(Some(home.as_str()), std::env::var("HOME").ok().as_deref());
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            assert!(value(&environment, name).unwrap().starts_with(&home), "{name}");
        }
    }

    #[test]
    fn a_known_agent_gets_its_settings_in_its_home() {
        let environment = led("codex-acp", &[], &[]);
        let home = value(&environment, "HOME").unwrap();
        assert_ne!(Some(home.as_str()), std::env::var("HOME").ok().as_deref());
        let settings = fs::read_to_string(Path::new(&home).join(".codex/config.toml")).unwrap();
        assert!(settings.contains("base_url = \"http://127.0.0.1:1/v1\""), "{settings}");
        drop(environment);
        assert!(!Path::new(&home).exists());
    }

    #[test]
    fn given_variables_override_known_ones() {
        let environment =
            led("qwen", &["OPENAI_BASE_URL=/other", "MY_URL"], &["OPENAI_API_KEY=x=y"]);
        let value = |name| value(&environment, name).unwrap();
        assert_eq!(value("OPENAI_BASE_URL"), "http://127.0.0.1:1/other");
        assert_eq!(value("MY_URL"), "http://127.0.0.1:1");
        assert_eq!(value("OPENAI_API_KEY"), "x=y");
        let nameless =
            |model: &[String], more: &[String]| Environment::new(&[], "", model, more).is_err();
        assert!(nameless(&[], &["NAME".to_owned()]) && nameless(&["=/v1".to_owned()], &[]));
    }
}
