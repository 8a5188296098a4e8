//! What the screen starts with.

use crate::app::screen_settings::ScreenSettings;
use crate::keymap::Keymap;
use crate::services::{Services, SharedSessions};
use crate::theme::Theme;
use attache_client::{Budget, Hub, PermissionBroker, PermissionRequest, Rule};
use attache_protocol::v1::{McpServer, SessionId};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What the screen starts with.
pub struct ScreenOptions {
    /// The hub. The screen closes it at the end.
    pub hub: Hub,
    /// The program around the screen.
    pub services: Arc<dyn Services>,
    /// The shared hub that keeps the sessions of `hub`; `None` if `hub` keeps them itself.
    pub shared: Option<Arc<dyn SharedSessions>>,
    /// The person's rules.
    pub rules: PermissionBroker,
    /// Decisions by these rules, to be shown.
    pub by_rule: mpsc::Receiver<(PermissionRequest, Rule)>,
    /// The first session.
    pub first: FirstSession,
    /// The prompt that is sent first.
    pub prompt: Option<String>,
    /// Servers for each new session.
    pub mcp_servers: Vec<McpServer>,
    /// The budget of each session.
    pub budget: Option<Budget>,
    /// The styles.
    pub theme: Theme,
    /// The keys.
    pub keymap: Keymap,
    /// What is wrong with the person's files, and other things to say at the start.
    pub notices: Vec<String>,
    /// The file of earlier prompts.
    pub history: Option<PathBuf>,
    /// The folder for images from the clipboard; without one, they are removed at the end.
    pub images: Option<PathBuf>,
    /// What the person sets for the screen.
    pub settings: ScreenSettings,
}

impl std::fmt::Debug for ScreenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScreenOptions").field("first", &self.first).finish_non_exhaustive()
    }
}

/// The first session.
#[derive(Debug, Clone)]
pub struct FirstSession {
    /// The name of its agent in the hub.
    pub agent: String,
    /// Its folder.
    pub cwd: PathBuf,
    /// The id of a stored session.
    pub stored: Option<SessionId>,
    /// The words to search for in the picker, if the person chooses a stored session there.
    pub pick: Option<String>,
    /// The mode to set.
    pub mode: Option<String>,
    /// The options to set.
    pub set: Vec<(String, String)>,
}
