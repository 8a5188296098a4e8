//! Reads the file of an agent registry from disk or from the web.

use crate::exit::{Exit, Failure};
use attache_client::Registry;
use attache_view::sanitize;
use std::time::Duration;

/// The maximum size of a registry file, in bytes. The file of the public registry is less than a
/// tenth of this size.
const LIMIT: u64 = 8 << 20;

/// The time limit for a download.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads the registry at a path or URL.
///
/// # Errors
/// Returns an error if the file cannot be read or is not a registry.
pub(super) async fn read(place: &str) -> Result<Registry, Failure> {
    let shown = sanitize::line(place);
    let text = match place.starts_with("https://") || place.starts_with("http://") {
        true => fetched(place).await.map_err(|why| Failure::new(Exit::CannotStart, format!("the registry {shown} cannot be fetched: {why}; check the address and the network, or name a file"))),
        false => of_file(place).map_err(|why| Failure::usage(format!("the registry {shown} cannot be read: {why}; give the path or URL of a registry.json"))),
    }?;
    Registry::parse(&text)
        .map_err(|error| Failure::usage(format!("the registry {shown} cannot be used: {error}")))
}

fn of_file(path: &str) -> Result<String, String> {
    attache_host::read_text_or_pipe(path.as_ref(), LIMIT).map_err(|error| error.to_string())
}

async fn fetched(address: &str) -> Result<String, String> {
    // An error only means that a cryptography provider is already installed.
    drop(rustls::crypto::ring::default_provider().install_default());
    let agent = concat!("attache/", env!("CARGO_PKG_VERSION"));
    let client = reqwest::Client::builder().user_agent(agent).timeout(PATIENCE).build();
    let client = client.map_err(|error| innermost_cause(&error))?;
    let mut response = client.get(address).send().await.map_err(|error| innermost_cause(&error))?;
    if !response.status().is_success() {
        return Err(format!("the server answered {}", response.status()));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| innermost_cause(&error))? {
        bytes.extend_from_slice(&piece);
        if bytes.len() as u64 > LIMIT {
            break;
        }
    }
    text(bytes)
}

/// Returns the innermost cause of an error. It is the most specific cause and does not repeat the
/// URL.
fn innermost_cause(error: &reqwest::Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    sanitize::line(&last.to_string())
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > LIMIT {
        return Err(format!("it is larger than {} MiB", LIMIT >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
