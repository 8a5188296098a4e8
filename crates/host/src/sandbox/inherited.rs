//! What a sandbox gives to the program of a launch.

use super::placeholders::Placeholders;
#[cfg(target_os = "linux")]
use crate::guardian::confinement::Confinement;
#[cfg(target_os = "linux")]
use crate::launch::Launch;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::sync::Arc;

/// Descriptors, placeholders and restrictions. Empty without a sandbox.
#[derive(Default)]
pub(crate) struct Inherited {
    /// Descriptors that the program inherits under the same numbers.
    kept: Vec<OwnedFd>,
    /// Folders that exist only for the program.
    placeholders: Placeholders,
    /// Restrictions that the program has from its start.
    #[cfg(target_os = "linux")]
    confinement: Option<Arc<Confinement>>,
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

#[cfg(target_os = "linux")]
impl Launch {
    /// Lets the program inherit an open descriptor under the same number.
    pub(super) fn keeping(mut self, descriptor: OwnedFd) -> Launch {
        self.inherited.kept.push(descriptor);
        self
    }

    /// Removes these folders when the program has ended or could not be started.
    pub(super) fn with_placeholders(mut self, placeholders: Placeholders) -> Launch {
        self.inherited.placeholders = placeholders;
        self
    }

    /// Applies these restrictions from the program's start.
    pub(super) fn confined(mut self, confinement: Confinement) -> Launch {
        self.inherited.confinement = Some(Arc::new(confinement));
        self
    }
}
