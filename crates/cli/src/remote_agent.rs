//! Remote agents: `--agent wss://…`, and their token.

use crate::exit::Failure;
use attache_client::AgentSource;
use attache_host::Launch;
use attache_protocol::Secret;
use attache_protocol::v1::ProtocolVersion;
use attache_view::sanitize;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The environment variable with the token.
pub(crate) const TOKEN: &str = "ATTACHE_TOKEN";

/// The environment variable with the token for the notifications of the shared hub.
pub(crate) const NOTIFY_TOKEN: &str = "ATTACHE_NOTIFY_TOKEN";

/// The longest file with a token, in bytes.
const LONGEST: u64 = 16 * 1024;

/// The beginnings of the addresses of remote agents.
const SCHEMES: [&str; 4] = ["ws://", "wss://", "http://", "https://"];

/// Keeps the tokens, which are for servers, from a program that is started for an agent or for a
/// notification.
pub(crate) fn without_tokens(launch: Launch) -> Launch {
    launch.env_remove(TOKEN).env_remove(NOTIFY_TOKEN)
}

/// Whether the value of `--agent` is an address.
pub(crate) fn is_address(agent: &str) -> bool {
    let begins = |scheme: &str| {
        agent.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.iter().any(|scheme| begins(scheme))
}

/// Returns the source of the agent at this address. The token comes from `token_file` or from the
/// environment. The agent works with the files and commands of its own machine, so this program
/// serves it neither.
///
/// # Errors
/// Returns an error if the address or the token cannot be used.
pub(crate) fn source(
    address: &str,
    protocol: ProtocolVersion,
    token_file: Option<&Path>,
) -> Result<AgentSource, Failure> {
    let token = match token_file {
        Some(file) => Some(token_of("--token-file", file)?),
        None => std::env::var(TOKEN).ok().filter(|token| !token.is_empty()).map(Secret::from),
    };
    let source = AgentSource::remote(address, token)
        .map_err(|error| Failure::usage(format!("--agent: {error}")))?;
    Ok(source.with_options(move |options| {
        let mut options = options.protocol(protocol).without_reading().without_writing();
        options.terminals = false;
        options
    }))
}

/// Reads a token from the file that `option` names. Only its owner can read it.
///
/// # Errors
/// Returns an error if the file cannot be used, or if other users can read it.
pub(crate) fn token_of(option: &str, path: &Path) -> Result<Secret, Failure> {
    let shown = sanitize::visible_line(&path.display().to_string());
    let cannot = |error: io::Error| Failure::usage(format!("{option}: {shown}: {error}"));
    let file = attache_host::open_plain_file(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.mode() & 0o077 != 0 {
        return Err(Failure::usage(format!(
            "{option}: other users can read {shown}: get a new token, and run chmod 600 {shown}"
        )));
    }
    let text = attache_host::read_open_text(&file, LONGEST).map_err(cannot)?;
    match text.trim() {
        "" => Err(Failure::usage(format!("{option}: {shown} is empty"))),
        token => Ok(token.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_address, token_of};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    #[test]
    fn only_addresses_are_addresses() {
        for address in ["ws://h", "WSS://h/acp", "http://localhost:1", "https://h"] {
            assert!(is_address(address), "{address}");
        }
        for other in ["gemini", "./ws://", "ftp://h", "my-agent --to http://h", "w"] {
            assert!(!is_address(other), "{other}");
        }
    }

    #[test]
    fn a_token_file_must_be_private_and_not_empty() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let set = |text: &str, mode: u32| {
            std::fs::write(file.path(), text).unwrap();
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(file.path(), permissions).unwrap();
            token_of("--token-file", file.path()).map_err(|failure| failure.message)
        };
        assert_eq!(set("  secret\n", 0o600).unwrap().expose(), "secret");
        assert!(set("secret", 0o640).unwrap_err().contains("chmod 600"));
        assert!(set("\n", 0o600).unwrap_err().ends_with("is empty"));
        assert!(token_of("--token-file", Path::new("/no/such/file")).is_err());
    }
}
