//! Logging in and out.

use crate::{Map, UnknownVariant, v1, v2};

/// The unknown `type` of a method of version 1 is left out.
impl From<v1::AuthMethod> for v2::AuthMethod {
    fn from(method: v1::AuthMethod) -> Self {
        match method {
            v1::AuthMethod::Agent(method) => Self::Agent(v2::AuthMethodAgent {
                description: method.description,
                meta: method.meta,
                ..v2::AuthMethodAgent::new(method.id, method.name)
            }),
            v1::AuthMethod::Terminal(method) => {
                let variables = method.env.0.into_iter();
                Self::Terminal(v2::AuthMethodTerminal {
                    description: method.description,
                    args: method.args,
                    env: variables.map(|(name, value)| v2::EnvVariable::new(name, value)).collect(),
                    meta: method.meta,
                    ..v2::AuthMethodTerminal::new(method.id, method.name)
                })
            }
        }
    }
}

impl From<v2::LoginAuthRequest> for v1::AuthenticateRequest {
    fn from(request: v2::LoginAuthRequest) -> Self {
        Self { meta: request.meta, ..Self::new(request.method_id) }
    }
}

impl From<v1::AuthenticateResponse> for v2::LoginAuthResponse {
    fn from(response: v1::AuthenticateResponse) -> Self {
        Self { meta: response.meta }
    }
}

impl From<v1::LogoutResponse> for v2::LogoutAuthResponse {
    fn from(response: v1::LogoutResponse) -> Self {
        Self { meta: response.meta }
    }
}

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
