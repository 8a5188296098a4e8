//! Explanations of MCP server failures, for a person. They never contain an argument, a header or
//! the query of an address.

use super::legacy::LegacyError;
use crate::tools::fit::one_line;
use attache_host::StartError;
use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use std::error::Error;

/// The maximum length of a quotation from a server, in characters.
const MAX_WORDS: usize = 300;

/// Explains why a process could not be started.
pub(super) fn start_failure(error: &StartError) -> String {
    match error {
        StartError::NotFound { program, searched: Some(_) } => {
            format!("its PATH has no program {}", one_line(&program.to_string_lossy(), MAX_WORDS))
        }
        error => one_line(&error.to_string(), MAX_WORDS),
    }
}

/// Explains why a connection failed.
pub(super) fn connect_failure(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => transport(error),
        ClientInitializeError::JsonRpcError(error) => {
            format!(
                "it answered with the error {}: {}",
                error.code.0,
                one_line(&error.message, MAX_WORDS)
            )
        }
        _ => "its response to `initialize` is invalid".to_owned(),
    }
}

/// Explains why a request to a ready server failed.
pub(super) fn request_failure(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => {
            format!(
                "it answered with the error {}: {}",
                error.code.0,
                one_line(&error.message, 4 * MAX_WORDS)
            )
        }
        ServiceError::TransportSend(error) => transport(error),
        ServiceError::TransportClosed => "it closed the connection".to_owned(),
        ServiceError::UnexpectedResponse => "its response does not match the request".to_owned(),
        error => one_line(&error.to_string(), MAX_WORDS),
    }
}

fn transport(error: &DynamicTransportError) -> String {
    if let Some(error) = error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return streamable(error);
    }
    match error.error.downcast_ref::<LegacyError>() {
        Some(error) => legacy(error),
        None => one_line(&error.error.to_string(), MAX_WORDS),
    }
}

/// Explains a failure of the older HTTP+SSE transport.
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
            code.map_or_else(|| one_line(words, MAX_WORDS), status)
        }
        error => one_line(&error.to_string(), MAX_WORDS),
    }
}

fn status(code: u16) -> String {
    let advice = match code {
        401 | 403 => ": it requires a key; check the headers in the client's settings",
        404 | 405 => ": check its address and type",
        _ => "",
    };
    format!("HTTP {code}{advice}")
}

/// Explains a network failure, without the address, which may contain a key.
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
        _ if error.is_redirect() => "it redirects to another address".to_owned(),
        // An error without a cause cannot be quoted, because the library's message contains the
        // address.
        _ if error.source().is_none() => "the request to it could not be sent".to_owned(),
        _ if error.is_connect() => {
            format!("no response from its address ({})", one_line(&deepest.to_string(), MAX_WORDS))
        }
        _ => format!("the connection broke ({})", one_line(&deepest.to_string(), MAX_WORDS)),
    }
}
