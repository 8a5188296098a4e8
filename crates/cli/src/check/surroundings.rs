//! What an agent that is judged finds around it: the judge's model in place of its provider's, and a home of its own.

use crate::exit::{Exit, Failure};
use attache_host::Launch;
use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};
use tempfile::TempDir;

/// Stands in a value for the address of the model, such as `http://127.0.0.1:40123`.
const URL: &str = "{url}";
/// Stands in a value for the folder that is the agent's home.
const HOME: &str = "{home}";
/// What a provider would take for a key.
const KEY: &str = "of-nobody";

/// The environment of the agent. It ends with the folder that is the agent's home.
#[derive(Debug)]
pub(super) struct Surroundings {
    variables: Vec<(OsString, OsString)>,
    _home: Option<TempDir>,
}

/// How an agent that is known is led to the model: its variables, and files below its home.
struct Known {
    /// Words of a command line that mean it: the name of a program, of a script without its suffix, or of a package.
    words: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
}

/// Settings that keep an agent from telling anybody of itself and from bringing itself up to date.
const QUIET: &str = r#"{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}"#;

/// Without it a model decides what needs no leave, so that nothing is asked.
const QUIET_AND_ASKING: &str = r#"{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"tools":{"approvalMode":"default"}}"#;

const CODEX: &str = r#"model = "gpt-5"
model_provider = "attache"
[model_providers.attache]
name = "attache"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
"#;

const VIBE: &str = r#"active_model = "attache-check"
[[providers]]
name = "attache"
api_base = "{url}/v1"
api_key_env_var = "MISTRAL_API_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "attache-check"
provider = "attache"
alias = "attache-check"
"#;

const OPENCODE: &str = r#"{"model":"attache/attache-check","small_model":"attache/attache-check","autoupdate":false,"share":"disabled","provider":{"attache":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{url}/v1","apiKey":"of-nobody"},"models":{"attache-check":{"tool_call":true,"limit":{"context":128000,"output":16384}}}}}}"#;

/// The agents that can be led by their environment. The facts are those of November 2026.
const KNOWN: &[Known] = &[
    Known {
        words: &["attache"],
        variables: &[
            ("ANTHROPIC_BASE_URL", URL),
            ("ANTHROPIC_API_KEY", KEY),
            // One whose window and prices are known.
            ("ATTACHE_MODEL", "anthropic/claude-sonnet-4-5"),
            ("ATTACHE_STORE", "{home}/sessions.db"),
        ],
        files: &[],
    },
    Known {
        words: &["gemini", "gemini-cli"],
        variables: &[
            ("GOOGLE_GEMINI_BASE_URL", URL),
            ("GEMINI_API_KEY", KEY),
            // Without it a small model is asked first which model to ask.
            ("GEMINI_MODEL", "gemini-2.5-flash"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
        files: &[(".gemini/settings.json", QUIET)],
    },
    Known {
        words: &["qwen", "qwen-code"],
        variables: &[("OPENAI_BASE_URL", "{url}/v1"), ("OPENAI_API_KEY", KEY), ("OPENAI_MODEL", "gpt-4o")],
        files: &[(".qwen/settings.json", QUIET_AND_ASKING)],
    },
    Known {
        words: &["claude-agent-acp", "claude-code-acp"],
        variables: &[
            ("ANTHROPIC_BASE_URL", URL),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CONFIG_DIR", "{home}/.claude"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ],
        files: &[],
    },
    Known {
        words: &["codex-acp"],
        variables: &[("CODEX_HOME", "{home}/.codex"), ("OPENAI_API_KEY", KEY), ("CODEX_API_KEY", KEY)],
        files: &[(".codex/config.toml", CODEX)],
    },
    Known {
        words: &["opencode", "opencode-ai"],
        variables: &[("OPENCODE_CONFIG_CONTENT", OPENCODE)],
        files: &[],
    },
    Known {
        words: &["copilot"],
        variables: &[
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", KEY),
            ("COPILOT_MODEL", "gpt-4o"),
        ],
        files: &[],
    },
    Known {
        words: &["goose"],
        variables: &[
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", "gpt-4o"),
            ("GOOSE_DISABLE_KEYRING", "1"),
            ("OPENAI_HOST", URL),
            ("OPENAI_API_KEY", KEY),
        ],
        files: &[],
    },
    Known {
        words: &["kimi", "kimi-code", "kimi-cli"],
        variables: &[
            ("KIMI_CODE_HOME", "{home}/.kimi-code"),
            ("KIMI_DISABLE_TELEMETRY", "1"),
            ("KIMI_MODEL_NAME", "attache-check"),
            ("KIMI_MODEL_BASE_URL", "{url}/v1"),
            ("KIMI_MODEL_API_KEY", KEY),
            ("KIMI_BASE_URL", "{url}/v1"),
            ("KIMI_API_KEY", KEY),
        ],
        files: &[],
    },
    Known {
        words: &["vibe-acp"],
        variables: &[("VIBE_HOME", "{home}/.vibe"), ("MISTRAL_API_KEY", KEY)],
        files: &[(".vibe/config.toml", VIBE)],
    },
];

/// What every known agent finds: nothing of the person's, who is to find nothing of the judging.
const OF_ITS_OWN: &[(&str, &str)] = &[
    ("HOME", HOME),
    ("XDG_CONFIG_HOME", "{home}/.config"),
    ("XDG_DATA_HOME", "{home}/.local/share"),
    ("XDG_STATE_HOME", "{home}/.local/state"),
    ("XDG_CACHE_HOME", "{home}/.cache"),
];

impl Surroundings {
    /// Those of the agent that this command starts, with the model at this address. `model` names variables that get the address, each with
    /// what follows it there after a `=`; `more` is set besides. Both are `NAME=VALUE`, and win over what is known of the agent.
    pub(super) fn new(
        command: &[OsString],
        url: &str,
        model: &[String],
        more: &[String],
    ) -> Result<Self, Failure> {
        let mut variables = Vec::new();
        let mut home = None;
        if let Some(known) = known(command) {
            let folder = tempfile::tempdir().map_err(our_fault)?;
            known.settle(folder.path(), url).map_err(our_fault)?;
            let told = known.variables.iter().chain(OF_ITS_OWN);
            let filled = told.map(|(name, value)| (name.into(), filled(value, folder.path(), url)));
            variables = caches().into_iter().chain(filled).collect();
            home = Some(folder);
        }
        for name in model {
            let (name, suffix) = name.split_once('=').unwrap_or((name, ""));
            variables.push((name.into(), format!("{url}{suffix}").into()));
        }
        for pair in more {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Failure::usage(format!("--env takes NAME=VALUE, and \"{pair}\" has no \"=\""))
            })?;
            variables.push((name.into(), value.into()));
        }
        match variables.iter().find(|(name, _)| name.is_empty()) {
            Some(_) => {
                Err(Failure::usage("--env and --model-env take the name of a variable before the \"=\""))
            }
            None => Ok(Self { variables, _home: home }),
        }
    }

    /// The launch in these surroundings.
    pub(super) fn around(&self, launch: Launch) -> Launch {
        self.variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    }
}

/// Caches of the person's that hold programs: an agent that `npx` or `uvx` starts is not to be fetched once more.
fn caches() -> Vec<(OsString, OsString)> {
    let Some(home) = std::env::var_os("HOME") else { return Vec::new() };
    let home = Path::new(&home);
    let kept = [("npm_config_cache", ".npm"), ("UV_CACHE_DIR", ".cache/uv")];
    let unset = kept.into_iter().filter(|(name, _)| std::env::var_os(name).is_none());
    unset.map(|(name, folder)| (name.into(), home.join(folder).into())).collect()
}

fn filled(value: &str, home: &Path, url: &str) -> OsString {
    value.replace(URL, url).replace(HOME, &home.to_string_lossy()).into()
}

fn our_fault(error: io::Error) -> Failure {
    Failure::new(Exit::OurFault, error)
}

impl Known {
    /// Writes its files.
    fn settle(&self, home: &Path, url: &str) -> io::Result<()> {
        for (path, text) in self.files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap_or(home))?;
            fs::write(path, text.replace(URL, url))?;
        }
        Ok(())
    }
}

/// The agent that a command means: by a word before its first option, so that `npx -y PACKAGE` and `node SCRIPT` are known too.
fn known(command: &[OsString]) -> Option<&'static Known> {
    command.iter().find_map(|word| {
        let word = word.to_string_lossy();
        let name = plain(&word);
        KNOWN.iter().find(|known| known.words.contains(&name))
    })
}

/// The name of a program, script or package, without its folder, its suffix and its version.
fn plain(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.split('@').find(|part| !part.is_empty()).unwrap_or_default();
    [".js", ".mjs", ".cjs", ".exe", ".cmd"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(command: &str, model: &[&str], more: &[&str]) -> Surroundings {
        let command: Vec<OsString> = command.split(' ').map(Into::into).collect();
        let [model, more] =
            [model, more].map(|all| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        Surroundings::new(&command, "http://127.0.0.1:1", &model, &more).unwrap()
    }

    /// The value that an agent finds: the last that is set.
    fn value(surroundings: &Surroundings, name: &str) -> Option<String> {
        let mut named = surroundings.variables.iter().rev().filter(|(other, _)| other == name);
        Some(named.next()?.1.to_string_lossy().into_owned())
    }

    #[test]
    fn agents_are_known_however_they_are_started() {
        for (command, variable, expected) in [
            ("gemini --acp", "GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1"),
            ("node /x/gemini.js --acp", "GEMINI_API_KEY", KEY),
            ("npx -y @google/gemini-cli@0.61.0 --acp", "GEMINI_API_KEY", KEY),
            ("/target/debug/attache agent", "ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
            ("qwen --acp", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
        ] {
            assert_eq!(value(&led(command, &[], &[]), variable).as_deref(), Some(expected), "{command}");
        }
        assert!(led("my-agent --gemini-like", &[], &[]).variables.is_empty());
    }

    #[test]
    fn a_known_agent_finds_a_home_of_its_own_with_settings() {
        let surroundings = led("codex-acp", &[], &[]);
        let home = value(&surroundings, "HOME").unwrap();
        assert_ne!(Some(home.as_str()), std::env::var("HOME").ok().as_deref());
        let settings = fs::read_to_string(Path::new(&home).join(".codex/config.toml")).unwrap();
        assert!(settings.contains("base_url = \"http://127.0.0.1:1/v1\""), "{settings}");
        drop(surroundings);
        assert!(!Path::new(&home).exists());
    }

    #[test]
    fn what_the_person_says_wins() {
        let surroundings = led("qwen", &["OPENAI_BASE_URL=/other", "MY_URL"], &["OPENAI_API_KEY=x=y"]);
        let value = |name| value(&surroundings, name).unwrap();
        assert_eq!(value("OPENAI_BASE_URL"), "http://127.0.0.1:1/other");
        assert_eq!(value("MY_URL"), "http://127.0.0.1:1");
        assert_eq!(value("OPENAI_API_KEY"), "x=y");
        let nameless = |model: &[String], more: &[String]| Surroundings::new(&[], "", model, more).is_err();
        assert!(nameless(&[], &["NAME".to_owned()]) && nameless(&["=/v1".to_owned()], &[]));
    }
}
