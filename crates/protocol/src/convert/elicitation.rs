//! The answer of the user to a form or a page.

use crate::{DecodeError, decode, encode, v1, v2};

/// Fails if the answer holds a value that version 1 does not allow, such as an object.
impl TryFrom<v2::CreateElicitationResponse> for v1::CreateElicitationResponse {
    type Error = DecodeError;

    fn try_from(response: v2::CreateElicitationResponse) -> Result<Self, DecodeError> {
        // Version 2 differs only in the values that it allows.
        decode(&encode(&response))
    }
}
