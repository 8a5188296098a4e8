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

impl From<v1::RequestPermissionOutcome> for v2::RequestPermissionOutcome {
    fn from(outcome: v1::RequestPermissionOutcome) -> Self {
        match outcome {
            v1::RequestPermissionOutcome::Cancelled => {
                Self::Cancelled(v2::CancelledPermissionOutcome::new())
            }
            v1::RequestPermissionOutcome::Selected(selected) => Self::Selected(selected),
            v1::RequestPermissionOutcome::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}

impl From<v1::RequestPermissionResponse> for v2::RequestPermissionResponse {
    fn from(response: v1::RequestPermissionResponse) -> Self {
        let outcome = v2::RequestPermissionOutcome::from(response.outcome);
        Self { meta: response.meta, ..Self::new(outcome) }
    }
}
