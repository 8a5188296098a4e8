//! Where a hub has its socket and its files.

use crate::exit::Failure;
use crate::settings::Settings;
use crate::{checkpoints, folder, store};
use attache_serve::socket::{HubName, HubSocket, RuntimeFolder};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The folder of sockets in the folder for state, if the system makes none.
const RUN: &str = "run";

/// Where a hub has its socket and its files.
#[derive(Debug, Clone)]
pub(crate) struct HubPlace {
    pub(crate) name: HubName,
    /// The folder of the socket.
    sockets: PathBuf,
    /// The folder of the log and of the list of open sessions.
    state: PathBuf,
}

impl HubPlace {
    /// Returns where the hub with this name has its files.
    ///
    /// # Errors
    /// Returns an error if the user's folders are unknown.
    pub(crate) fn of(name: HubName) -> Result<Self, Failure> {
        let state = folder::state().ok_or_else(|| {
            Failure::usage("there is no folder for the hub: set HOME to an absolute path")
        })?;
        let sockets = folder::runtime().unwrap_or_else(|| state.join(RUN));
        Ok(Self { name, sockets, state })
    }

    /// The socket, which need not exist.
    pub(crate) fn socket(&self) -> PathBuf {
        HubSocket::path_of(&self.sockets, &self.name)
    }

    /// Returns the folder of the socket, if it exists.
    ///
    /// # Errors
    /// Returns an error if others can use the folder.
    pub(crate) fn sockets(&self) -> Result<Option<RuntimeFolder>, Failure> {
        RuntimeFolder::existing(&self.sockets).map_err(Failure::usage)
    }

    /// Returns the folder of the socket, and creates it if it is missing.
    ///
    /// # Errors
    /// Returns an error if others can use the folder, or if it cannot be created.
    pub(crate) fn create_sockets(&self) -> Result<RuntimeFolder, Failure> {
        if self.sockets.starts_with(&self.state) {
            self.create_state()?;
        }
        RuntimeFolder::create(&self.sockets).map_err(Failure::usage)
    }

    /// Creates the folder of the log and of the list.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(crate) fn create_state(&self) -> Result<(), Failure> {
        private_folder(&self.state).map_err(|error| {
            let state = self.state.display();
            Failure::usage(format!("the folder {state} cannot be created: {error}"))
        })
    }

    /// The log of a hub that `attache attach` started.
    pub(crate) fn log(&self) -> PathBuf {
        self.state.join(format!("hub-{}.log", self.name))
    }

    /// The folder of the devices and of the token for programs.
    pub(crate) fn devices(&self) -> PathBuf {
        self.state.join(format!("hub-{}.devices", self.name))
    }

    /// The list of open sessions.
    pub(crate) fn open_sessions(&self) -> PathBuf {
        self.state.join(format!("hub-{}.sessions.json", self.name))
    }
}

/// Says where this program stores sessions and checkpoints: in the same words for the same places.
pub(crate) fn stores() -> String {
    let sessions = match store::Place::of(None) {
        Ok(store::Place::File(file)) => file.display().to_string(),
        Ok(store::Place::Nowhere) | Err(_) => "nowhere".to_owned(),
    };
    let checkpoints = match checkpoints::place::Place::of(&Settings::read()) {
        Ok(checkpoints::place::Place::Folder(folder)) => folder.display().to_string(),
        Ok(checkpoints::place::Place::Nowhere) | Err(_) => "nowhere".to_owned(),
    };
    format!("sessions in {sessions} and checkpoints in {checkpoints}")
}

fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
