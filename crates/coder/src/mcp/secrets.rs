//! The secrets of a server's configuration.

use attache_protocol::v1::McpServer;
use reqwest::Url;
use std::fmt;

/// The minimum length of a value to hide, in bytes. Shorter values also occur in ordinary text.
const MIN_LENGTH: usize = 4;

/// The values of a server's environment variables and headers, and every part of its address except
/// the host and the path.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(server: &McpServer) -> Self {
        let mut values: Vec<String> = Vec::new();
        let mut address = |url: &str| {
            let Ok(url) = Url::parse(url) else { return };
            values.extend(
                [url.password(), url.query(), Some(url.username())]
                    .into_iter()
                    .flatten()
                    .map(str::to_owned),
            );
            values.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
        };
        match server {
            McpServer::Http(server) => address(&server.url),
            McpServer::Sse(server) => address(&server.url),
            McpServer::Stdio(_) | McpServer::Acp(_) => {}
        }
        let given = match server {
            McpServer::Stdio(server) => server.env.iter().map(|each| each.value.expose()).collect(),
            McpServer::Http(server) => {
                server.headers.iter().map(|each| each.value.expose()).collect()
            }
            McpServer::Sse(server) => {
                server.headers.iter().map(|each| each.value.expose()).collect()
            }
            McpServer::Acp(_) => Vec::new(),
        };
        for value in given {
            values.push(value.to_owned());
            // A server may repeat only the key from a header such as `Bearer KEY`.
            values.extend(value.split_whitespace().skip(1).map(str::to_owned));
        }
        values.retain(|value| value.len() >= MIN_LENGTH);
        // A value that contains another one is replaced first.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// Returns the text with the secrets replaced.
    pub(super) fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| text.replace(value, "<hidden>"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use attache_protocol::v1::{EnvVariable, HttpHeader, McpServer, McpServerHttp, McpServerStdio};

    #[test]
    fn secrets_in_variables_headers_and_addresses_are_hidden() {
        let mut stdio = McpServerStdio::new("a", "/bin/a", Vec::new(), Vec::new());
        stdio.env = vec![EnvVariable::new("KEY", "hush-hush"), EnvVariable::new("MODE", "1")];
        let secrets = Secrets::of(&McpServer::Stdio(stdio));
        assert_eq!(secrets.hide("no hush-hush in 1"), "no <hidden> in 1");
        let mut http =
            McpServerHttp::new("a", "https://me:pass@host/mcp?key=query-key&x=1", Vec::new());
        http.headers = vec![HttpHeader::new("Authorization", "Bearer header-key")];
        let secrets = Secrets::of(&McpServer::Http(http));
        for said in ["pass", "query-key", "header-key", "key=query-key&x=1"] {
            assert!(!secrets.hide(&format!("it said {said}!")).contains(said), "{said}");
        }
        assert!(!format!("{secrets:?}").contains("key"));
    }
}
