//! Proxy chains: components between a client and an agent. Unstable; this crate only has the types.

/// Params of `proxy/initialize`: like those of `initialize`, but sent to a component that has a
/// successor. Unstable.
pub type InitializeProxyRequest = super::InitializeRequest;

/// Result of `proxy/initialize`: like that of `initialize`, with the protocol version unchanged.
/// Unstable.
pub type InitializeProxyResponse = super::InitializeResponse;
