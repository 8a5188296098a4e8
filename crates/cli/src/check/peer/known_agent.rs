//! Known agents, and the settings that make each use the judge's model.

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

/// The placeholder for the address of the model, such as `http://127.0.0.1:40123`.
const URL: &str = "{url}";
/// The placeholder for the agent's home folder.
const HOME: &str = "{home}";
/// A value that looks like a provider's key.
pub(in crate::check) const KEY: &str = "of-nobody";

/// A known agent, and the variables and files that make it use the model.
pub(in crate::check) struct KnownAgent {
    /// The words of a command line that identify the agent: the name of a program, of a script
    /// without its suffix, or of a package.
    words: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
}

/// Settings that turn off telemetry and automatic updates.
const QUIET: &str = r#"{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}"#;

/// Without this setting, a model decides which actions need permission, and the agent never asks.
const QUIET_AND_ASKING: &str = r#"{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"tools":{"approvalMode":"default"}}"#;

/// The agent offers its file-writing tools only to models whose names it knows.
const CODEX: &str = r#"model = "gpt-5.5"
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

const GROK: &str = r#"[endpoints]
models_base_url = "{url}/v1"
[models]
default = "attache-check"
[model.attache-check]
model = "attache-check"
base_url = "{url}/v1"
api_backend = "chat_completions"
env_key = "XAI_API_KEY"
[cli]
auto_update = false
[features]
telemetry = false
"#;

const DROID: &str = r#"{"model":"custom:attache-check-0","cloudSessionSync":false,"customModels":[{"model":"attache-check","displayName":"attache-check","baseUrl":"{url}/v1","apiKey":"of-nobody","provider":"generic-chat-completion-api"}]}"#;

/// The agents that can be made to use the model. Each was tested in November 2026.
const KNOWN: &[KnownAgent] = &[
    KnownAgent {
        words: &["attache"],
        variables: &[
            ("ANTHROPIC_BASE_URL", URL),
            ("ANTHROPIC_API_KEY", KEY),
            // A model whose context window and prices are known.
            ("ATTACHE_MODEL", "anthropic/claude-sonnet-5-5"),
            ("ATTACHE_STORE", "{home}/sessions.db"),
        ],
        files: &[],
    },
    KnownAgent {
        words: &["gemini", "gemini-cli"],
        variables: &[
            ("GOOGLE_GEMINI_BASE_URL", URL),
            ("GEMINI_API_KEY", KEY),
            // Without this setting, the agent asks a small model which model to use.
            ("GEMINI_MODEL", "gemini-2.5-flash"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
        files: &[(".gemini/settings.json", QUIET)],
    },
    KnownAgent {
        words: &["qwen", "qwen-code"],
        variables: &[
            ("OPENAI_BASE_URL", "{url}/v1"),
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_MODEL", "gpt-4o"),
        ],
        files: &[(".qwen/settings.json", QUIET_AND_ASKING)],
    },
    KnownAgent {
        words: &["claude-agent-acp", "claude-code-acp"],
        variables: &[
            ("ANTHROPIC_BASE_URL", URL),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CONFIG_DIR", "{home}/.claude"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // Without this setting, root cannot open sessions.
            ("IS_SANDBOX", "1"),
        ],
        files: &[],
    },
    KnownAgent {
        words: &["codex-acp"],
        variables: &[
            ("CODEX_HOME", "{home}/.codex"),
            ("OPENAI_API_KEY", KEY),
            ("CODEX_API_KEY", KEY),
        ],
        files: &[(".codex/config.toml", CODEX)],
    },
    KnownAgent {
        words: &["opencode", "opencode-ai"],
        variables: &[("OPENCODE_CONFIG_CONTENT", OPENCODE)],
        files: &[],
    },
    KnownAgent {
        words: &["copilot"],
        variables: &[
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", KEY),
            ("COPILOT_MODEL", "gpt-4o"),
        ],
        files: &[],
    },
    KnownAgent {
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
    KnownAgent {
        words: &["kimi", "kimi-code"],
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
    KnownAgent {
        words: &["vibe-acp"],
        variables: &[("VIBE_HOME", "{home}/.vibe"), ("MISTRAL_API_KEY", KEY)],
        files: &[(".vibe/config.toml", VIBE)],
    },
    KnownAgent {
        words: &["grok"],
        variables: &[("GROK_HOME", "{home}/.grok"), ("XAI_API_KEY", KEY)],
        files: &[(".grok/config.toml", GROK)],
    },
    KnownAgent {
        words: &["fast-agent-acp"],
        variables: &[
            ("FAST_AGENT_MODEL", "generic.attache-check"),
            ("GENERIC_BASE_URL", "{url}/v1"),
            ("GENERIC_API_KEY", KEY),
        ],
        files: &[],
    },
    KnownAgent {
        words: &["droid"],
        variables: &[("FACTORY_API_KEY", KEY), ("FACTORY_AIRGAP_ENABLED", "true")],
        files: &[(".factory/settings.json", DROID)],
    },
];

impl KnownAgent {
    /// Returns the agent that any word of the command identifies, so that `npx -y PACKAGE` and
    /// `node SCRIPT` are recognized too.
    pub(in crate::check) fn of(command: &[OsString]) -> Option<&'static Self> {
        command.iter().find_map(|word| {
            let word = word.to_string_lossy();
            let name = base_name(&word);
            KNOWN.iter().find(|known| known.words.contains(&name))
        })
    }

    /// Returns the variables that make the agent use the model at this address, with this home
    /// folder.
    pub(in crate::check) fn variables(
        &self,
        home: &Path,
        url: &str,
    ) -> impl Iterator<Item = (OsString, OsString)> {
        let filled = move |value: &str| {
            value.replace(URL, url).replace(HOME, &home.to_string_lossy()).into()
        };
        self.variables.iter().map(move |(name, value)| (name.into(), filled(value)))
    }

    /// Writes the settings files of the agent.
    pub(in crate::check) fn write_settings(&self, home: &Path, url: &str) -> io::Result<()> {
        for (path, text) in self.files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap_or(home))?;
            fs::write(path, text.replace(URL, url))?;
        }
        Ok(())
    }
}

/// Returns the name of a program, script or package without folder, suffix and version.
fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.split('@').find(|part| !part.is_empty()).unwrap_or_default();
    [".js", ".mjs", ".cjs", ".exe", ".cmd"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}
