//! Known agents: how each is started, installed and logged in to.

use attache_host::{Launch, ParseError};
use std::path::{Path, PathBuf};

/// A known agent. The data is from November 2026. If an agent has changed its command since then,
/// start it with its new command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownAgent {
    /// The agent's name, in lower case and without spaces.
    pub name: &'static str,
    /// The name to show to people.
    pub title: &'static str,
    /// The command line that starts the program as an ACP agent, as [`Launch::parse`] reads it.
    pub command: &'static str,
    /// The command line that installs the agent.
    pub install: &'static str,
    /// The npm package that contains the agent, if there is one.
    pub npm_package: Option<&'static str>,
    /// The account or key that the agent needs, for display.
    pub login: &'static str,
    /// Whether the agent gives up when the client answers that a file is missing. Such an agent
    /// cannot create files if the client reads files for it, so the client does not offer it
    /// `fs.readTextFile`, unless the client has the unsaved text of an editor.
    pub misreads_missing_files: bool,
}

/// All known agents, in the order in which they are listed.
pub const KNOWN_AGENTS: &[KnownAgent] = &[
    KnownAgent {
        // Observed with version 0.61.0.
        misreads_missing_files: true,
        ..npm(
            "gemini",
            "Gemini CLI",
            "gemini --acp",
            ("@google/gemini-cli", "npm install -g @google/gemini-cli"),
            "a Google account, or a key in GEMINI_API_KEY; run `gemini` once to log in",
        )
    },
    npm(
        "qwen",
        "Qwen Code",
        "qwen --acp",
        ("@qwen-code/qwen-code", "npm install -g @qwen-code/qwen-code"),
        "a key of an OpenAI-compatible provider in OPENAI_API_KEY; run `qwen` once to set it up",
    ),
    npm(
        "claude",
        "Claude Agent",
        "claude-agent-acp",
        (
            "@agentclientprotocol/claude-agent-acp",
            "npm install -g @agentclientprotocol/claude-agent-acp",
        ),
        "a Claude subscription or a key in ANTHROPIC_API_KEY; run `claude` once to log in",
    ),
    npm(
        "codex",
        "Codex",
        "codex-acp",
        ("@agentclientprotocol/codex-acp", "npm install -g @agentclientprotocol/codex-acp"),
        "a ChatGPT account, or a key in OPENAI_API_KEY; run `codex login` once",
    ),
    npm(
        "opencode",
        "OpenCode",
        "opencode acp",
        ("opencode-ai", "npm install -g opencode-ai"),
        "a key of any provider; run `opencode auth login` once",
    ),
    npm(
        "copilot",
        "GitHub Copilot CLI",
        "copilot --acp",
        ("@github/copilot", "npm install -g @github/copilot"),
        "a GitHub account with Copilot; run `copilot` once to log in",
    ),
    npm(
        "auggie",
        "Auggie",
        "auggie --acp",
        ("@augmentcode/auggie", "npm install -g @augmentcode/auggie"),
        "an Augment account; run `auggie login` once",
    ),
    elsewhere(
        "goose",
        "Goose",
        "goose acp",
        "brew install block-goose-cli",
        "a key of any provider; run `goose configure` once",
    ),
    npm(
        "kimi",
        "Kimi Code",
        "kimi acp",
        ("@moonshot-ai/kimi-code", "npm install -g @moonshot-ai/kimi-code"),
        "a Kimi account or key; run `kimi` once to log in",
    ),
    elsewhere(
        "vibe",
        "Mistral Vibe",
        "vibe-acp",
        "uv tool install mistral-vibe",
        "a key in MISTRAL_API_KEY; run `vibe` once to set it up",
    ),
    elsewhere(
        "fast-agent",
        "fast-agent",
        "fast-agent-acp",
        "uv tool install fast-agent-acp",
        "a provider's key in the environment or in fastagent.secrets.yaml",
    ),
];

const fn npm(
    name: &'static str,
    title: &'static str,
    command: &'static str,
    (package, install): (&'static str, &'static str),
    login: &'static str,
) -> KnownAgent {
    KnownAgent {
        name,
        title,
        command,
        install,
        npm_package: Some(package),
        login,
        misreads_missing_files: false,
    }
}

const fn elsewhere(
    name: &'static str,
    title: &'static str,
    command: &'static str,
    install: &'static str,
    login: &'static str,
) -> KnownAgent {
    KnownAgent { npm_package: None, ..npm(name, title, command, ("", install), login) }
}

impl KnownAgent {
    /// Returns the agent with this name. Case does not matter.
    pub fn named(name: &str) -> Option<&'static Self> {
        KNOWN_AGENTS.iter().find(|agent| agent.name.eq_ignore_ascii_case(name))
    }

    /// Returns the agent whose program has this file name, such as `claude-agent-acp`.
    pub fn with_program(program: &Path) -> Option<&'static Self> {
        let name = program.file_name()?.to_str()?;
        KNOWN_AGENTS.iter().find(|agent| agent.program() == name)
    }

    /// The program that [`KnownAgent::command`] starts.
    pub fn program(&self) -> &'static str {
        self.command.split(' ').next().unwrap_or_default()
    }

    /// Returns how to start the agent.
    ///
    /// # Errors
    /// Returns an error if the command line is not well-formed, which is never the case for the
    /// agents in [`KNOWN_AGENTS`].
    pub fn launch(&self) -> Result<Launch, ParseError> {
        Launch::parse(self.command)
    }

    /// Returns the path of the agent's program, as found in this process's `PATH`; `None` if the
    /// program is not installed. Blocks on disk I/O.
    pub fn find(&self) -> Option<PathBuf> {
        Launch::new(self.program()).find()
    }

    /// Returns the `package.json` of the npm package that contains the program at this path, if
    /// there is one. Follows symbolic links, and then takes the nearest `package.json` above the
    /// file. Blocks on disk I/O.
    pub fn package_file(&self, program: &Path) -> Option<PathBuf> {
        let package = self.npm_package?;
        let file = program.canonicalize().ok()?;
        file.ancestors()
            .skip(1)
            .filter(|folder| folder.ends_with(package))
            .map(|it| it.join("package.json"))
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_agent_can_be_named_started_and_installed() {
        for agent in KNOWN_AGENTS {
            assert_eq!(KnownAgent::named(&agent.name.to_uppercase()), Some(agent));
            assert_eq!(
                KnownAgent::with_program(Path::new("/usr/bin").join(agent.program()).as_path()),
                Some(agent)
            );
            assert_eq!(agent.launch().unwrap().program(), agent.program());
            assert!(
                agent.npm_package.is_none_or(|package| agent.install.ends_with(package)),
                "{agent:?}"
            );
            assert!(!agent.name.contains(char::is_whitespace) && !agent.login.is_empty());
        }
        assert_eq!(KnownAgent::named("nobody"), None);
        assert_eq!(KnownAgent::with_program(Path::new("/")), None);
    }

    #[test]
    fn the_package_of_a_program_is_found_through_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("lib/node_modules/@google/gemini-cli");
        std::fs::create_dir_all(package.join("bundle")).unwrap();
        std::fs::write(package.join("bundle/gemini.js"), "").unwrap();
        let link = folder.path().join("gemini");
        std::os::unix::fs::symlink(package.join("bundle/gemini.js"), &link).unwrap();
        let gemini = KnownAgent::named("gemini").unwrap();
        assert_eq!(
            gemini.package_file(&link),
            Some(package.canonicalize().unwrap().join("package.json"))
        );
        assert_eq!(KnownAgent::named("qwen").unwrap().package_file(&link), None);
    }
}
