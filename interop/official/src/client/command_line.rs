//! The command line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::script::Step;
use agent_client_protocol::v1::schema::{
    EnvVariable, HttpHeader, McpServer, McpServerHttp, McpServerSse, McpServerStdio,
};
use serde_json::Value;

const USAGE: &str = "usage: official-client [--cwd DIR] [--load ID | --resume ID | --fork ID | --no-session] [--directory DIR]… [--mcp FILE]
  [--system-prompt TEXT] [--without NAME]… [--script FILE | --step STEP…] (--url URL | -- COMMAND ARGS…)";

/// The work from the command line and the script.
#[derive(Debug, Clone)]
pub struct Work {
    pub cwd: PathBuf,
    pub opening: Opening,
    pub directories: Vec<PathBuf>,
    pub servers: Vec<McpServer>,
    /// Whether a file of servers was given; the client then adds its own server.
    pub has_servers: bool,
    pub system_prompt: Option<String>,
    /// The capabilities that are not offered.
    pub without: HashSet<String>,
    pub agent: AgentPlace,
    pub steps: Vec<Step>,
}

/// Where the agent is.
#[derive(Debug, Clone)]
pub enum AgentPlace {
    /// A process of this machine, which the client starts.
    Process { program: String, arguments: Vec<String> },
    /// A server of WebSocket or streamable HTTP, by the scheme of its address.
    Server(String),
}

/// The session to work in.
#[derive(Debug, Clone)]
pub enum Opening {
    New,
    Load(String),
    Resume(String),
    Fork(String),
    None,
}

impl Work {
    pub fn from_command_line() -> Result<Self, String> {
        let mut work = Self {
            cwd: ".".into(),
            opening: Opening::New,
            directories: Vec::new(),
            servers: Vec::new(),
            has_servers: false,
            system_prompt: None,
            without: HashSet::new(),
            agent: AgentPlace::Server(String::new()),
            steps: Vec::new(),
        };
        let (mut script, mut url) = (None, None);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--script" => script = Some(value()?),
                "--step" => work.steps.push(Step::parse(&value()?)?),
                "--cwd" => work.cwd = value()?.into(),
                "--load" => work.opening = Opening::Load(value()?),
                "--resume" => work.opening = Opening::Resume(value()?),
                "--fork" => work.opening = Opening::Fork(value()?),
                "--no-session" => work.opening = Opening::None,
                "--directory" => work.directories.push(real(value()?)?),
                "--mcp" => {
                    work.servers = servers(&value()?)?;
                    work.has_servers = true;
                }
                "--system-prompt" => work.system_prompt = Some(value()?),
                "--without" => drop(work.without.insert(value()?)),
                "--url" => url = Some(value()?),
                "--" => break,
                other => return Err(format!("{other}: unknown option")),
            }
        }
        work.agent = match (words.next(), url) {
            (Some(program), None) => AgentPlace::Process { program, arguments: words.collect() },
            (None, Some(url)) => AgentPlace::Server(url),
            _ => return Err(USAGE.into()),
        };
        work.cwd = real(&work.cwd)?;
        // A repeated folder, or the session's own, is dropped (DIR-02).
        let mut seen = HashSet::from([work.cwd.clone()]);
        work.directories.retain(|folder| seen.insert(folder.clone()));
        if work.steps.is_empty() {
            work.steps = Step::parse_all(&read(script.as_deref())?)?;
        }
        Ok(work)
    }

    pub fn offers(&self, name: &str) -> bool {
        !self.without.contains(name)
    }
}

fn real(folder: impl AsRef<Path>) -> Result<PathBuf, String> {
    let folder = folder.as_ref();
    folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))
}

fn read(script: Option<&str>) -> Result<String, String> {
    let text = match script {
        Some(file) => std::fs::read_to_string(file),
        None => std::io::read_to_string(std::io::stdin()),
    };
    text.map_err(|error| format!("the script cannot be read: {error}"))
}

/// Reads the servers of a file in the common format: `{"mcpServers": {NAME: {command, args, env} |
/// {type, url, headers}}}`.
fn servers(file: &str) -> Result<Vec<McpServer>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    let servers =
        value["mcpServers"].as_object().ok_or_else(|| format!("{file} contains no mcpServers"))?;
    servers.iter().map(|(name, server)| read_server(name, server)).collect()
}

fn read_server(name: &str, server: &Value) -> Result<McpServer, String> {
    let pairs = |key: &str| {
        let members = server[key].as_object().into_iter().flatten();
        members
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect::<Vec<_>>()
    };
    let headers =
        || pairs("headers").into_iter().map(|(name, value)| HttpHeader::new(name, value)).collect();
    match (server["type"].as_str(), server["url"].as_str(), server["command"].as_str()) {
        (Some("sse"), Some(url), _) => {
            Ok(McpServer::Sse(McpServerSse::new(name, url).headers(headers())))
        }
        (_, Some(url), _) => Ok(McpServer::Http(McpServerHttp::new(name, url).headers(headers()))),
        (_, None, Some(command)) => {
            let args = server["args"].as_array().into_iter().flatten();
            let args = args.filter_map(|word| word.as_str().map(str::to_owned)).collect();
            let env = pairs("env")
                .into_iter()
                .map(|(name, value)| EnvVariable::new(name, value))
                .collect();
            Ok(McpServer::Stdio(McpServerStdio::new(name, found(command)?).args(args).env(env)))
        }
        _ => Err(format!("the MCP server {name} has neither a command nor a url")),
    }
}

/// Returns the path of a program, looked up as the shell does (RPC-31).
fn found(command: &str) -> Result<PathBuf, String> {
    if command.contains('/') {
        return std::path::absolute(command).map_err(|error| format!("{command}: {error}"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(command));
    places.find(|place| place.is_file()).ok_or_else(|| format!("{command}: not found"))
}
