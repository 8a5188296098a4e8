//! What went wrong with a server, in words for a person. Nothing here shows an address with its
//! query, an argument or a header.

use super::legacy::LegacyError;
use crate::tools::fit::one_line;
use attache_host::StartError;
use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use std::error::Error;

/// How much of a server's own words is said, in characters.
const SAID: usize = 300;

/// Why a process could not be started.
pub(super) fn not_started(error: &StartError) -> String {
    match error {
        StartError::NotFound { program, searched: Some(_) } => {
            format!(
                "there is no program {} in its PATH",
                one_line(&program.to_string_lossy(), SAID)
            )
        }
        error => one_line(&error.to_string(), SAID),
    }
}

/// Why a connection did not come to be.
pub(super) fn not_connected(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => transport(error),
        ClientInitializeError::JsonRpcError(error) => {
            format!(
                "it answered with the error {}: {}",
                error.code.0,
                one_line(&error.message, SAID)
            )
        }
        _ => "what it answered to initialize is no answer to that".to_owned(),
    }
}

/// Why a request to a server failed that was ready.
pub(super) fn not_answered(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => {
            format!(
                "it answered with the error {}: {}",
                error.code.0,
                one_line(&error.message, 4 * SAID)
            )
        }
        ServiceError::TransportSend(error) => transport(error),
        ServiceError::TransportClosed => "it closed the connection".to_owned(),
        ServiceError::UnexpectedResponse => "its answer does not match the request".to_owned(),
        error => one_line(&error.to_string(), SAID),
    }
}

fn transport(error: &DynamicTransportError) -> String {
    if let Some(error) = error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return streamable(error);
    }
    match error.error.downcast_ref::<LegacyError>() {
        Some(error) => legacy(error),
        None => one_line(&error.error.to_string(), SAID),
    }
}

/// What went wrong on the transport of old.
pub(super) fn legacy(error: &LegacyError) -> String {
    match error {
        LegacyError::Http(error) => http(error),
        LegacyError::Status(code) => status(*code),
        error => error.to_string(),
    }
}

fn streamable(error: &StreamableHttpError<reqwest::Error>) -> String {
    match error {
        StreamableHttpError::Client(error) => http(error),
        StreamableHttpError::HttpStatus(error) => status(error.status),
        StreamableHttpError::AuthRequired(_) => status(401),
        StreamableHttpError::InsufficientScope(_) => status(403),
        StreamableHttpError::SessionExpired => status(404),
        StreamableHttpError::UnexpectedServerResponse(words) => {
            let code = words.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)?.parse().ok());
            code.map_or_else(|| one_line(words, SAID), status)
        }
        error => one_line(&error.to_string(), SAID),
    }
}

fn status(code: u16) -> String {
    let advice = match code {
        401 | 403 => ": it wants a key, see the headers that the client gives it",
        404 | 405 => ": check its address and type",
        _ => "",
    };
    format!("HTTP {code}{advice}")
}

/// What went wrong on the network; never the address, which may hold a key.
pub(super) fn http(error: &reqwest::Error) -> String {
    if let Some(code) = error.status() {
        return status(code.as_u16());
    }
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    match error {
        _ if error.is_timeout() => "it took too long to answer".to_owned(),
        _ if error.is_redirect() => "it wants to be asked elsewhere".to_owned(),
        // Without a cause the words would be the library's, which name the address.
        _ if error.source().is_none() => "it could not be asked".to_owned(),
        _ if error.is_connect() => {
            format!("no answer from its address ({})", one_line(&deepest.to_string(), SAID))
        }
        _ => format!("the connection broke ({})", one_line(&deepest.to_string(), SAID)),
    }
}
