//! The answer of the user to a form or a page.

use crate::{DecodeError, Raw, decode, encode, v1, v2};

/// Fails if the answer holds a value that version 1 does not allow, such as an object.
impl TryFrom<v2::CreateElicitationResponse> for v1::CreateElicitationResponse {
    type Error = DecodeError;

    fn try_from(response: v2::CreateElicitationResponse) -> Result<Self, DecodeError> {
        // Version 2 differs only in the values that it allows.
        decode(&encode(&response))
    }
}

impl From<v1::CreateElicitationResponse> for v2::CreateElicitationResponse {
    fn from(response: v1::CreateElicitationResponse) -> Self {
        let action = match response.action {
            v1::ElicitationAction::Accept(accepted) => {
                let mut action = v2::ElicitationAcceptAction::new();
                action.content = accepted.content.map(|content| {
                    let values = content.0.into_iter();
                    // `encode` always writes valid JSON, so no value is left out.
                    let values = values.filter_map(|(field, value)| {
                        Some((field, Raw::from_text(&encode(&value)).ok()?))
                    });
                    crate::Map(values.collect())
                });
                v2::ElicitationAction::Accept(action)
            }
            v1::ElicitationAction::Decline => v2::ElicitationAction::Decline,
            v1::ElicitationAction::Cancel => v2::ElicitationAction::Cancel,
            v1::ElicitationAction::Unknown(unknown) => v2::ElicitationAction::Unknown(unknown),
        };
        Self { meta: response.meta, ..Self::new(action) }
    }
}
