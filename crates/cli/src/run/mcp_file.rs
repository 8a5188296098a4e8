//! `--mcp`: MCP servers from a file in the format that editors use.
//!
//! The values of environment variables and headers are secret: messages quote only the names of
//! servers and members.

use crate::exit::Failure;
use attache_host::Launch;
use attache_protocol::v1::{
    EnvVariable, HttpHeader, McpCapabilities, McpServer, McpServerHttp, McpServerSse,
    McpServerStdio,
};
use attache_view::sanitize;
use serde_json::{Map, Value};
use std::path::Path;

/// The expected format.
const SHAPE: &str = r#"{"mcpServers": {"NAME": {"command": "…", "args": [], "env": {}}}}, or "type", "url" and "headers" in place of "command""#;

/// The maximum size of the file, in bytes.
const LONGEST: u64 = 4 << 20;

/// Reads the servers of the file, without those that say `"disabled": true`. Programs are looked up
/// in `cwd` and PATH, because agents get absolute paths (SESS-10).
pub(crate) fn servers(path: &Path, cwd: &Path) -> Result<Vec<McpServer>, Failure> {
    let shown = path.display();
    let text = attache_host::read_text_or_pipe(path, LONGEST).map_err(|error| {
        Failure::usage(format!("--mcp: {shown} cannot be read: {error}; name a JSON file"))
    })?;
    read(&text, cwd).map_err(|why| Failure::usage(format!("--mcp: {shown}: {why}")))
}

fn read(text: &str, cwd: &Path) -> Result<Vec<McpServer>, String> {
    // The message names only the line and column, because the text can contain secrets.
    let value: Value = serde_json::from_str(text).map_err(|error| {
        format!(
            "this is not JSON (line {}, column {}): expected {SHAPE}",
            error.line(),
            error.column()
        )
    })?;
    let servers = value.get("mcpServers").and_then(Value::as_object);
    let servers =
        servers.ok_or_else(|| format!("there is no object \"mcpServers\": expected {SHAPE}"))?;
    let enabled =
        servers.iter().filter(|(_, server)| server.get("disabled") != Some(&Value::Bool(true)));
    enabled
        .map(|(name, server)| {
            let fault = |why| format!("the server \"{}\" {why}", sanitize::line(name));
            let server = server
                .as_object()
                .ok_or_else(|| fault(format!("is not an object: expected {SHAPE}")))?;
            Members { server, cwd }.server(name).map_err(fault)
        })
        .collect()
}

struct Members<'m> {
    server: &'m Map<String, Value>,
    cwd: &'m Path,
}

impl Members<'_> {
    fn server(&self, name: &str) -> Result<McpServer, String> {
        let (command, url) = (self.string("command")?, self.string("url")?);
        let kind = self.string("type")?;
        match (kind.as_deref(), command, url) {
            (None | Some("stdio"), Some(command), None) => {
                let env = self.pairs("env")?.map(|(name, value)| EnvVariable::new(name, value));
                Ok(McpServer::Stdio(McpServerStdio::new(
                    name,
                    self.program(&command)?,
                    self.arguments()?,
                    env.collect::<Vec<_>>(),
                )))
            }
            (Some("sse"), None, Some(url)) => {
                Ok(McpServer::Sse(McpServerSse::new(name, url, self.headers()?)))
            }
            (
                None | Some("http" | "streamable-http" | "streamableHttp" | "streamable_http"),
                None,
                Some(url),
            ) => Ok(McpServer::Http(McpServerHttp::new(name, url, self.headers()?))),
            (
                None
                | Some(
                    "stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http"
                    | "sse",
                ),
                ..,
            ) => Err("needs either \"command\" or \"url\", depending on its \"type\"".to_owned()),
            (Some(_), ..) => {
                Err("has an unknown \"type\": use \"stdio\", \"http\" or \"sse\"".to_owned())
            }
        }
    }

    fn headers(&self) -> Result<Vec<HttpHeader>, String> {
        Ok(self.pairs("headers")?.map(|(name, value)| HttpHeader::new(name, value)).collect())
    }

    /// Returns the absolute path of the program.
    fn program(&self, command: &str) -> Result<String, String> {
        let found = Launch::new(command).cwd(self.cwd).find().ok_or_else(|| {
            format!(
                "names the program {}, which was not found: install it, or give its full path",
                sanitize::line(command)
            )
        })?;
        found
            .into_os_string()
            .into_string()
            .map_err(|_| "names a program whose path is not UTF-8".to_owned())
    }

    fn string(&self, member: &str) -> Result<Option<String>, String> {
        match self.server.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => expanded(text).map(Some),
            Some(_) => Err(format!("has a \"{member}\" that is not a string")),
        }
    }

    fn arguments(&self) -> Result<Vec<String>, String> {
        let wrong = || "has \"args\" that are not a list of strings".to_owned();
        match self.server.get("args") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(all)) => {
                all.iter().map(|argument| expanded(argument.as_str().ok_or_else(wrong)?)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    fn pairs(&self, member: &str) -> Result<impl Iterator<Item = (String, String)>, String> {
        let wrong = || format!("has a \"{member}\" that is not an object of strings");
        let pairs: Vec<(String, String)> = match self.server.get(member) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(all)) => all
                .iter()
                .map(|(name, value)| {
                    Ok((name.clone(), expanded(value.as_str().ok_or_else(wrong)?)?))
                })
                .collect::<Result<_, String>>()?,
            Some(_) => return Err(wrong()),
        };
        Ok(pairs.into_iter())
    }
}

/// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` with the values of environment
/// variables, as editors do, so that a key need not be in the file. Other placeholders are an
/// error, because a server would get them unchanged.
fn expanded(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, found)) = rest.split_once("${") {
        let (reference, after) =
            found.split_once('}').ok_or("has a \"${\" without a closing \"}\"")?;
        let (name, default) =
            match reference.strip_prefix("env:").unwrap_or(reference).split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (reference.strip_prefix("env:").unwrap_or(reference), None),
            };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(
                "has a \"${…}\" that only an editor can fill in: write ${NAME} for an environment variable"
                    .to_owned(),
            );
        }
        let value = std::env::var(name).ok().or_else(|| default.map(str::to_owned));
        out.push_str(before);
        out.push_str(
            &value.ok_or_else(|| {
                format!("needs the environment variable {name}, which is not set")
            })?,
        );
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Refuses servers of kinds that the agent does not support (SESS-09).
pub(super) fn check(servers: &[McpServer], takes: &McpCapabilities) -> Result<(), Failure> {
    for server in servers {
        let (taken, kind) = match server {
            McpServer::Http(_) => (takes.http, "HTTP"),
            McpServer::Sse(_) => (takes.sse, "server-sent events"),
            McpServer::Stdio(_) | McpServer::Acp(_) => (true, ""),
        };
        if !taken {
            return Err(Failure::usage(format!(
                "--mcp: the agent does not support MCP servers over {kind}, such as \"{}\": remove it from the file, or use another agent",
                sanitize::line(server.name())
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<McpServer>, String> {
        read(text, Path::new("/"))
    }

    /// SESS-09, SESS-10.
    #[test]
    fn the_format_of_editors_is_read() {
        let text = r#"{"inputs":[],"mcpServers":{
            "shell":{"command":"sh","args":["-c","true"],"env":{"KEY":"s3cret"}},
            "docs":{"url":"https://docs/mcp","headers":{"Authorization":"s3cret"}},
            "old":{"type":"sse","url":"https://old"},
            "off":{"command":"no-such-program","disabled":true}}}"#;
        let servers = of(text).unwrap();
        let names: Vec<&str> = servers.iter().map(McpServer::name).collect();
        assert_eq!(names, ["docs", "old", "shell"]);
        let McpServer::Stdio(shell) = &servers[2] else { panic!() };
        assert!(Path::new(&shell.command).is_absolute() && shell.env[0].value.expose() == "s3cret");
        assert!(matches!((&servers[0], &servers[1]), (McpServer::Http(_), McpServer::Sse(_))));
        assert!(!format!("{servers:?}").contains("s3cret"));
    }

    #[test]
    fn errors_name_the_problem_and_no_value() {
        for (text, why) in [
            ("{\"mcpServers\":{\"s3cret\"", "line 1, column 23"),
            ("{}", "no object \"mcpServers\""),
            (r#"{"mcpServers":["s3cret"]}"#, "no object"),
            (r#"{"mcpServers":{"a":"s3cret"}}"#, "\"a\" is not an object"),
            (r#"{"mcpServers":{"a":{"env":{"K":"s3cret"}}}}"#, "either \"command\" or \"url\""),
            (r#"{"mcpServers":{"a":{"command":"sh","url":"s3cret"}}}"#, "either"),
            (r#"{"mcpServers":{"a":{"type":"s3cret","url":"x"}}}"#, "unknown \"type\""),
            (
                r#"{"mcpServers":{"a":{"command":"sh","env":{"K":["s3cret"]}}}}"#,
                "\"env\" that is not an object of strings",
            ),
            (r#"{"mcpServers":{"a":{"command":"sh","args":"s3cret"}}}"#, "not a list of strings"),
            (
                r#"{"mcpServers":{"a":{"command":"sh","args":["s3cret${NO_SUCH_VARIABLE}"]}}}"#,
                "variable NO_SUCH_VARIABLE, which is not set",
            ),
            (
                r#"{"mcpServers":{"a":{"command":"sh","env":{"K":"${input:s3cret}"}}}}"#,
                "only an editor can fill in",
            ),
            (r#"{"mcpServers":{"a":{"command":"sh","env":{"K":"${s3cret"}}}}"#, "closing"),
            (
                r#"{"mcpServers":{"a":{"command":"no-such-program"}}}"#,
                "no-such-program, which was not found",
            ),
        ] {
            let fault = of(text).unwrap_err();
            assert!(fault.contains(why) && !fault.contains("s3cret"), "{fault}");
        }
    }

    #[test]
    fn environment_variables_are_expanded() {
        let path = std::env::var("PATH").unwrap();
        assert_eq!(
            expanded("a ${PATH}${env:PATH} $b {c}").unwrap(),
            format!("a {path}{path} $b {{c}}")
        );
        assert_eq!(expanded("${NO_SUCH_VARIABLE:-x:-y}").unwrap(), "x:-y");
    }

    /// SESS-09.
    #[test]
    fn an_unsupported_kind_of_server_is_refused_by_name() {
        let servers = of(r#"{"mcpServers":{"docs":{"url":"https://docs"}}}"#).unwrap();
        let mut takes = McpCapabilities::default();
        let fault = check(&servers, &takes).unwrap_err().message;
        assert!(fault.contains("HTTP") && fault.contains("\"docs\""), "{fault}");
        takes.http = true;
        assert!(check(&servers, &takes).is_ok());
    }
}
