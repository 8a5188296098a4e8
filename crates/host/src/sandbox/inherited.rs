//! What a sandbox gives to the program of a launch.

use super::placeholders::Placeholders;
#[cfg(target_os = "linux")]
use crate::guardian::confinement::Confinement;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::sync::Arc;

/// Descriptors, placeholders and restrictions. Empty without a sandbox.
#[derive(Default)]
pub(crate) struct Inherited {
    /// Descriptors that the program inherits under the same numbers.
    pub(super) kept: Vec<OwnedFd>,
    /// Folders that exist only for the program.
    pub(super) placeholders: Placeholders,
    /// Restrictions that the program has from its start.
    #[cfg(target_os = "linux")]
    pub(super) confinement: Option<Arc<Confinement>>,
}

impl Inherited {
    /// The descriptors that the program inherits.
    pub(crate) fn kept(&self) -> &[OwnedFd] {
        &self.kept
    }

    /// The folders that exist only for the program.
    pub(crate) fn placeholders(&self) -> &Placeholders {
        &self.placeholders
    }

    /// The program's restrictions.
    #[cfg(target_os = "linux")]
    pub(crate) fn confinement(&self) -> Option<Arc<Confinement>> {
        self.confinement.clone()
    }
}
