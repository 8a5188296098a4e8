//! Gives a launch what its sandbox needs.

use super::placeholders::Placeholders;
use crate::guardian::confinement::Confinement;
use crate::launch::Launch;
use std::os::fd::OwnedFd;
use std::sync::Arc;

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
