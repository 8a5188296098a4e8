//! The arguments of `attache serve`.

use crate::args::value::seconds;
use attache_serve::Scope;
use attache_serve::socket::HubName;
use clap::{Args, Subcommand, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
A hub owns agents and sessions, and any number of programs of yours use them at the same time. \
`attache attach` connects an editor, and starts the hub if none runs. A hub started here runs \
until you stop it with Ctrl-C or `attache serve stop`: its agents then end in order, and \
everything is stored. A second Ctrl-C ends it at once.

The socket is in the folder `attache` of XDG_RUNTIME_DIR, or else in your folder for state, which \
`attache doctor` shows. Only your own programs can use it, and no program that an agent of the \
hub started.

Agents get the environment of your login shell. If the hub was killed, the next start opens its \
sessions again; prompts that waited then wait for you.

Exit codes: 2 if a folder or name cannot be used, or no hub runs, 9 if the hub runs already; see \
also `attache run --help`.

With --port, browsers and phones can use the hub after a login with the code that is shown, and \
programs with the token of --json. Only this machine can connect, unless you give --listen. See \
docs/remote-access.md for what each scope allows.

Examples:
  attache serve                        until Ctrl-C
  attache serve --port 8765            with the page
  attache serve status
  attache serve stop
  attache serve restart                after an update, when no turn runs
  attache serve --name work --json     another hub, described for scripts";

/// The command, with the arguments of a start.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) hub: SelectedHub,
    #[command(flatten)]
    pub(crate) web: Web,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// End after this many seconds without a client and without a turn.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide = true)]
    pub(crate) end_when_idle: Option<Duration>,
    /// Write messages to the log file of the hub, which already is stderr.
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

/// How the page and remote ACP are served.
#[derive(Debug, Args)]
pub(crate) struct Web {
    /// Serve the page and remote ACP at this port of this machine; 0 chooses a free one
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Listen on this address instead, so that other machines can connect
    #[arg(long, value_name = "ADDRESS", requires = "port")]
    pub(crate) listen: Option<IpAddr>,
    /// Accept that everyone on the network can read along: no TLS
    #[arg(long, requires = "listen")]
    pub(crate) insecure: bool,
    /// The certificates for TLS, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "port")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key for TLS, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another name of this machine, for a tunnel or proxy; can be repeated
    #[arg(long = "host", value_name = "NAME", requires = "port")]
    pub(crate) hosts: Vec<String>,
    /// A folder below which devices may open sessions; can be repeated
    #[arg(long = "folder", value_name = "FOLDER", requires = "port")]
    pub(crate) folders: Vec<PathBuf>,
    /// What a device may do that logs in with the shown code
    #[arg(long, value_enum, default_value = "answer", requires = "port")]
    pub(crate) scope: DeviceScope,
}

/// What a device may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceScope {
    /// Read everything in the sessions
    Watch,
    /// Also answer questions
    Answer,
    /// Also do everything else, which is as much as running any command
    Control,
}

impl From<DeviceScope> for Scope {
    fn from(scope: DeviceScope) -> Self {
        match scope {
            DeviceScope::Watch => Self::Watch,
            DeviceScope::Answer => Self::Answer,
            DeviceScope::Control => Self::Control,
        }
    }
}

/// Selects a hub.
#[derive(Debug, Args)]
pub(crate) struct SelectedHub {
    /// The name of the hub [default: default]
    #[arg(long, value_name = "NAME", global = true)]
    name: Option<HubName>,
}

impl SelectedHub {
    /// The name.
    pub(crate) fn name(&self) -> HubName {
        self.name.clone().unwrap_or_default()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Show whether the hub runs, and its clients, sessions and agents
    #[command(after_help = "Example:\n  attache serve status --json | jq .sessions")]
    Status,
    /// End the hub: cancel turns, end its agents and store everything
    #[command(after_help = "Examples:\n  attache serve stop\n  attache serve stop --wait")]
    Stop(Stop),
    /// End the hub when no turn runs, start it again, and open its sessions again
    #[command(after_help = "Examples:\n  attache serve restart\n  attache serve restart --now")]
    Restart(Restart),
    /// List, add and revoke the devices that may use the hub over the network
    #[command(after_help = DEVICES)]
    Devices(Devices),
}

const DEVICES: &str = "\
A device logs in once with a code, which is valid for five minutes. It may then do what its scope \
says until you revoke it. Only a hub with --port has devices.

Examples:
  attache serve devices
  attache serve devices add --scope watch
  attache serve devices grant d-1f control
  attache serve devices grant d-1f --protected-files yes
  attache serve devices revoke d-1f";

#[derive(Debug, Args)]
pub(crate) struct Devices {
    #[command(subcommand)]
    pub(crate) change: Option<DeviceTask>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeviceTask {
    /// Show a code with which another device can log in
    Add {
        /// What the device may do
        #[arg(long, value_enum, default_value = "answer")]
        scope: DeviceScope,
    },
    /// Change what a device may do
    Grant {
        /// The id of the device
        id: String,
        /// What it may do
        #[arg(required_unless_present = "protected_files")]
        scope: Option<DeviceScope>,
        /// Whether it may also allow access to protected files, such as .env
        #[arg(long, value_name = "YES_OR_NO", value_parser = yes_or_no)]
        protected_files: Option<bool>,
    },
    /// Take the access of a device away, and end its connections
    Revoke {
        /// The id of the device
        id: String,
    },
}

fn yes_or_no(value: &str) -> Result<bool, &'static str> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Wait until no turn runs
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restart {
    /// Cancel the turns that run
    #[arg(long)]
    pub(crate) now: bool,
}
