//! The answer to a permission request.

use crate::{v1, v2};

/// An unknown answer stays unknown. It is not an approval.
impl From<v2::RequestPermissionOutcome> for v1::RequestPermissionOutcome {
    fn from(outcome: v2::RequestPermissionOutcome) -> Self {
        match outcome {
            v2::RequestPermissionOutcome::Cancelled(_) => Self::Cancelled,
            v2::RequestPermissionOutcome::Selected(selected) => Self::Selected(selected),
            v2::RequestPermissionOutcome::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}
