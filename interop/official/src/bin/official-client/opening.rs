//! Opens the session (new, load, resume or fork), with only the parameters that the agent supports
//! (DIR-01, SESS-09, SYSP-01).

use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    ForkSessionRequest, LoadSessionRequest, McpServer, McpServerAcp, NewSessionRequest,
    ResumeSessionRequest, SystemPrompt,
};

use crate::own_server;
use crate::run::Script;
use official_peers::client::command_line::Opening;

/// The parameters of a session.
struct SetUp {
    directories: Vec<PathBuf>,
    servers: Vec<McpServer>,
    prompt: Option<SystemPrompt>,
}

impl Script<'_> {
    fn set_up(&self) -> SetUp {
        let (mcp, session) =
            (&self.capabilities.mcp_capabilities, &self.capabilities.session_capabilities);
        let takes = |server: &&McpServer| match server {
            McpServer::Http(_) => mcp.http,
            McpServer::Sse(_) => mcp.sse,
            _ => true,
        };
        let mut servers: Vec<McpServer> = self.work.servers.iter().filter(takes).cloned().collect();
        if self.work.has_servers && mcp.acp {
            servers.push(McpServer::Acp(McpServerAcp::new("client", own_server::ID)));
        }
        let takes_directories = session.additional_directories.is_some();
        let directories =
            if takes_directories { self.work.directories.clone() } else { Vec::new() };
        let prompt = self.work.system_prompt.clone().filter(|_| session.system_prompt.is_some());
        let prompt = prompt.map(|text| SystemPrompt::new(vec![text.into()]));
        SetUp { directories, servers, prompt }
    }

    /// Opens the session. The id of a new or forked session is known only from the reply, so
    /// updates that arrive before the reply are buffered until it arrives (SESS-26).
    pub(crate) async fn open(&mut self) -> Option<()> {
        let SetUp { directories, servers, prompt } = self.set_up();
        let cwd = self.work.cwd.clone();
        let session = &self.capabilities.session_capabilities;
        let (method, offered) = match &self.work.opening {
            Opening::New | Opening::None => ("session/new", true),
            Opening::Load(_) => ("session/load", self.capabilities.load_session),
            Opening::Resume(_) => ("session/resume", session.resume.is_some()),
            Opening::Fork(_) => ("session/fork", session.fork.is_some()),
        };
        if !offered {
            self.refuse(method, "the agent does not offer this");
            return None;
        }
        macro_rules! set_up {
            ($request:expr) => {
                $request
                    .additional_directories(directories)
                    .mcp_servers(servers)
                    .system_prompt(prompt)
            };
        }
        let (id, modes, options) = match self.work.opening.clone() {
            Opening::New | Opening::None => {
                let opened = self.call("session", set_up!(NewSessionRequest::new(cwd))).await?;
                (opened.session_id, opened.modes, opened.config_options)
            }
            Opening::Load(id) => {
                self.state.is_of(id.clone().into());
                let opened =
                    self.call("session", set_up!(LoadSessionRequest::new(id.clone(), cwd))).await?;
                (id.into(), opened.modes, opened.config_options)
            }
            Opening::Resume(id) => {
                self.state.is_of(id.clone().into());
                let opened = self
                    .call("session", set_up!(ResumeSessionRequest::new(id.clone(), cwd)))
                    .await?;
                (id.into(), opened.modes, opened.config_options)
            }
            Opening::Fork(id) => {
                let opened =
                    self.call("session", set_up!(ForkSessionRequest::new(id, cwd))).await?;
                (opened.session_id, opened.modes, opened.config_options)
            }
        };
        self.state.opened(modes, options);
        self.state.is_of(id.clone());
        self.session = Some(id);
        Some(())
    }
}
