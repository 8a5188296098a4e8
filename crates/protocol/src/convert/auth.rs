//! Logging in and out.

use crate::{Map, UnknownVariant, v1, v2};

/// Fails for a method with a type that neither version defines.
impl TryFrom<v2::AuthMethod> for v1::AuthMethod {
    type Error = UnknownVariant;

    fn try_from(method: v2::AuthMethod) -> Result<Self, UnknownVariant> {
        Ok(match method {
            v2::AuthMethod::Agent(method) => Self::Agent(v1::AuthMethodAgent {
                description: method.description,
                meta: method.meta,
                ..v1::AuthMethodAgent::new(method.method_id, method.name)
            }),
            v2::AuthMethod::Terminal(method) => {
                let variables = method.env.into_iter();
                Self::Terminal(v1::AuthMethodTerminal {
                    description: method.description,
                    args: method.args,
                    env: Map(variables.map(|variable| (variable.name, variable.value)).collect()),
                    meta: method.meta,
                    ..v1::AuthMethodTerminal::new(method.method_id, method.name)
                })
            }
            v2::AuthMethod::Unknown(unknown) => return Err(unknown),
        })
    }
}

impl From<v1::AuthenticateRequest> for v2::LoginAuthRequest {
    fn from(request: v1::AuthenticateRequest) -> Self {
        Self { meta: request.meta, ..Self::new(request.method_id) }
    }
}

impl From<v2::LoginAuthResponse> for v1::AuthenticateResponse {
    fn from(response: v2::LoginAuthResponse) -> Self {
        Self { meta: response.meta }
    }
}

impl From<v1::LogoutRequest> for v2::LogoutAuthRequest {
    fn from(request: v1::LogoutRequest) -> Self {
        Self { meta: request.meta }
    }
}

impl From<v2::LogoutAuthResponse> for v1::LogoutResponse {
    fn from(response: v2::LogoutAuthResponse) -> Self {
        Self { meta: response.meta }
    }
}
