//! A shared hub: `attache serve` with a home of its own, and devices that are logged in.

use crate::socket::{Socket, post};
use crate::watcher::Watcher;
use crate::{Load, Server, agent, command, prompt};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The name of the agent.
const AGENT: &str = "bench";

/// The number of connections of one device, which has a limit.
const OF_ONE_DEVICE: usize = 25;

/// The methods that the watchers use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Those of the page.
    Rows,
    /// Those of ACP.
    Acp,
}

/// A hub in a process of its own.
pub(crate) struct Hub {
    process: Child,
    kind: Kind,
    host: String,
    /// The headers of each device.
    devices: Vec<String>,
    /// A connection that may do everything.
    control: Socket,
    sessions: Vec<String>,
    folders: TempDir,
}

impl Hub {
    /// Starts a hub, opens the sessions and logs the devices in.
    pub(crate) async fn start(attache: &str, load: Load, kind: Kind) -> Self {
        let folders = tempfile::tempdir().unwrap();
        for name in ["config/attache", "project"] {
            fs::create_dir_all(folders.path().join(name)).unwrap();
        }
        let agents = format!("[agents.{AGENT}]\ncommand = {:?}\n", agent());
        fs::write(folders.path().join("config/attache/agents.toml"), agents).unwrap();
        let mut serve = in_home(attache, folders.path());
        serve.args(["serve", "--port", "0", "--json", "--folder"]).arg(folders.path());
        let mut process = serve.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        let described: Value = serde_json::from_str(&line).unwrap();
        let url = described["url"].as_str().unwrap();
        let host = url.strip_prefix("http://").unwrap().to_owned();
        let token = described["token"].as_str().unwrap();
        let control = connect(&host, &format!("Authorization: Bearer {token}\r\n")).await;
        let mut devices = Vec::new();
        for _ in 0..load.watchers.div_ceil(OF_ONE_DEVICE) {
            devices.push(log_in(attache, folders.path(), url).await);
        }
        let sessions = Vec::new();
        let mut hub = Self { process, kind, host, devices, control, sessions, folders };
        for _ in 0..load.sessions {
            let cwd = hub.folders.path().join("project");
            let opened = hub.control.call("_attache/open", json!({ "agent": AGENT, "cwd": cwd }));
            hub.sessions.push(opened.await["sessionId"].as_str().unwrap().to_owned());
        }
        hub
    }
}

impl Server for Hub {
    fn process(&self) -> u32 {
        self.process.id().unwrap()
    }

    async fn watcher(&mut self, number: usize, session: usize) -> Watcher {
        let mut socket = connect(&self.host, &self.devices[number / OF_ONE_DEVICE]).await;
        let session = &self.sessions[session];
        match self.kind {
            Kind::Rows => {
                socket.call("_attache/watch_hub", json!({})).await;
                let params = json!({ "agent": AGENT, "sessionId": session });
                socket.call("_attache/watch_session", params).await;
            }
            Kind::Acp => {
                let (id, cwd) = (format!("{AGENT}/{session}"), self.folders.path().join("project"));
                let params = json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
                socket.call("session/load", params).await;
            }
        }
        Watcher(socket)
    }

    async fn stream(&mut self, load: Load) {
        for session in &self.sessions[..load.streaming] {
            let content = prompt(load.rate, load.seconds);
            let params = json!({ "agent": AGENT, "sessionId": session, "content": content });
            self.control.call("_attache/prompt", params).await;
        }
    }
}

/// A command of Attaché that uses no file of the person.
fn in_home(attache: &str, home: &Path) -> Command {
    let mut command = command(attache);
    command
        .current_dir(home)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env_remove("XDG_RUNTIME_DIR");
    command
}

async fn connect(host: &str, headers: &str) -> Socket {
    let mut socket = Socket::connect(host, "/acp", headers).await;
    let capabilities = json!({ "_meta": { "attache": { "version": 1 } } });
    let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    socket.call("initialize", params).await;
    socket
}

/// Logs a device in, as the page does. Returns the headers of its requests.
async fn log_in(attache: &str, home: &Path, url: &str) -> String {
    let mut adding = in_home(attache, home);
    let add = ["serve", "devices", "--json", "add", "--scope", "watch"];
    let added = adding.args(add).output().await.unwrap();
    let added: Value = serde_json::from_slice(&added.stdout).unwrap();
    let code = added["login"].as_str().unwrap().strip_prefix(&format!("{url}/login#")).unwrap();
    let (host, origin) = (url.strip_prefix("http://").unwrap(), format!("Origin: {url}\r\n"));
    let (head, body) = post(host, "/login", &origin, &json!({ "code": code })).await;
    let cookie = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next())?
    });
    let (cookie, tab) = (cookie.unwrap(), body["tab"].as_str().unwrap());
    format!("{origin}Cookie: {cookie}\r\nSec-WebSocket-Protocol: acp, attache.{tab}\r\n")
}
