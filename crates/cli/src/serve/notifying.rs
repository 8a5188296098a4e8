//! Notifications of the shared hub for a person who looks at no front end: a program of the
//! person's choice, or a request to a server.

use crate::exit::Failure;
use crate::log;
use crate::remote_agent::{NOTIFY_TOKEN, token_of, without_tokens};
use crate::settings::Settings;
use crate::settings::setting::{HUB_AFTER, HUB_COMMAND, HUB_TOKEN, HUB_URL};
use attache_client::LoginEnvironment;
use attache_host::{Launch, StopPatience};
use attache_protocol::Secret;
use attache_serve::{SharedHub, follow_attention};
use attache_view::sanitize;
use reqwest::Url;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, copy, sink};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The time after which the person is notified, unless a setting says otherwise.
const AFTER: Duration = Duration::from_secs(60);

/// How many notifications wait until earlier ones are delivered.
const QUEUE: usize = 32;

/// How long a program or a server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the person is notified.
pub(super) struct Notifying {
    after: Duration,
    command: Option<String>,
    login: Option<LoginEnvironment>,
    webhook: Option<Webhook>,
}

/// A server that gets notifications.
struct Webhook {
    client: reqwest::Client,
    /// The address, which can contain a secret: never shown.
    url: Url,
    token: Option<Secret>,
}

impl Notifying {
    /// Reads the settings of this machine; `None` if they ask for no notification. The program gets
    /// the environment of a login.
    ///
    /// # Errors
    /// Returns an error if the token cannot be used.
    pub(super) fn read(login: Option<LoginEnvironment>) -> Result<Option<Self>, Failure> {
        let settings = Settings::read();
        settings.troubles().iter().for_each(|trouble| log::line(&format!("attache: {trouble}")));
        let value = |key: &str| settings.file.value(key).map(|(value, _)| value.to_owned());
        let webhook = match value(HUB_URL) {
            Some(url) => Some(Webhook::new(&url, value(HUB_TOKEN).as_deref())?),
            None => None,
        };
        let after = value(HUB_AFTER).and_then(|after| after.trim().parse().ok());
        let after = after.map_or(AFTER, Duration::from_secs);
        let command = value(HUB_COMMAND);
        let is_wanted = command.is_some() || webhook.is_some();
        Ok(is_wanted.then_some(Self { after, command, login, webhook }))
    }

    /// Notifies the person until the hub ends, one notification at a time. `page` is the origin of
    /// the page. Dropping the future ends the program that runs.
    pub(super) async fn run(self, shared: Arc<SharedHub>, page: Option<String>) {
        let (sender, mut notices) = mpsc::channel(QUEUE);
        let delivering = async {
            let (mut command, mut webhook) = (Failures::default(), Failures::default());
            while let Some(notice) = notices.recv().await {
                let Ok(body) = serde_json::to_vec(&notice) else { continue };
                if let Some(program) = &self.command {
                    let ran = run(program, self.login.as_ref(), &body).await;
                    report(HUB_COMMAND, command.first(ran));
                }
                if let Some(server) = &self.webhook {
                    report(HUB_URL, webhook.first(server.post(body).await));
                }
            }
        };
        tokio::join!(follow_attention(shared, self.after, page, sender), delivering);
    }
}

/// Finds the first failure of a row of failures, which is reported.
#[derive(Default)]
struct Failures {
    has_failed: bool,
}

impl Failures {
    /// Returns why a notification failed, unless the one before failed too.
    fn first(&mut self, outcome: Result<(), String>) -> Option<String> {
        let had_failed = std::mem::replace(&mut self.has_failed, outcome.is_err());
        outcome.err().filter(|_| !had_failed)
    }
}

fn report(setting: &str, why: Option<String>) {
    if let Some(why) = why {
        log::line(&format!("attache: a notification failed ({setting}): {why}"));
    }
}

/// Runs a program without a shell, with the notice on its stdin. Its output is ignored.
async fn run(
    command_line: &str,
    login: Option<&LoginEnvironment>,
    body: &[u8],
) -> Result<(), String> {
    // The program needs no secret of this one.
    let launch = without_tokens(Launch::parse(command_line).map_err(|error| error.to_string())?);
    let launch = match login {
        Some(login) => login.equip(launch),
        None => launch,
    };
    let mut child = launch.start().map_err(|error| sanitize::line(&error.to_string()))?;
    let (input, output) = (child.take_stdin(), child.take_stdout());
    let writing = async {
        if let Some(mut input) = input {
            // A program need not read its input.
            drop(input.write_all(body).await);
        }
    };
    let reading = async {
        if let Some(mut output) = output {
            drop(copy(&mut output, &mut sink()).await);
        }
    };
    let running = async { tokio::join!(writing, reading, child.wait()).2 };
    match timeout(PATIENCE, running).await {
        Ok(exit) if exit.success() => Ok(()),
        Ok(exit) => Err(format!("the program failed: {exit}")),
        Err(_) => {
            child.stop(StopPatience::default()).await;
            Err(format!("the program did not end within {} s", PATIENCE.as_secs()))
        }
    }
}

impl Webhook {
    fn new(url: &str, token_file: Option<&str>) -> Result<Self, Failure> {
        let token = match token_file {
            Some(file) if Path::new(file).is_relative() => {
                return Err(Failure::usage(format!("{HUB_TOKEN} must be an absolute path")));
            }
            Some(file) => Some(token_of(HUB_TOKEN, Path::new(file))?),
            None => std::env::var(NOTIFY_TOKEN).ok().filter(|it| !it.is_empty()).map(Secret::from),
        };
        let address = Url::parse(url.trim())
            .map_err(|error| Failure::usage(format!("{HUB_URL} is no URL: {error}")))?;
        let is_local = address.host_str().is_some_and(is_loopback);
        if token.is_some() && address.scheme() != "https" && !is_local {
            return Err(Failure::usage(format!(
                "{HUB_URL}: the token would be sent without encryption: use https://, or no token"
            )));
        }
        // An error only means that a cryptography provider is already installed.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = reqwest::Client::builder()
            .user_agent(concat!("attache/", env!("CARGO_PKG_VERSION")))
            .timeout(PATIENCE)
            // A redirect would take the notice and the token elsewhere.
            .redirect(reqwest::redirect::Policy::none());
        // A proxy is another machine.
        let client = if is_local { client.no_proxy() } else { client };
        let client =
            client.build().map_err(|error| Failure::usage(format!("{HUB_URL}: {error}")))?;
        Ok(Self { client, url: address, token })
    }

    /// Posts a notice. The error does not contain the address.
    async fn post(&self, body: Vec<u8>) -> Result<(), String> {
        let request = self.client.post(self.url.clone()).header("content-type", "application/json");
        let request = match &self.token {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        };
        match request.body(body).send().await {
            Ok(reply) if reply.status().is_success() => Ok(()),
            Ok(reply) => Err(format!("the server answered {}", reply.status())),
            Err(error) => Err(innermost_cause(&error.without_url())),
        }
    }
}

/// Whether the host is this machine.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn innermost_cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    sanitize::line(&last.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Failures, Webhook, run};
    use std::time::{Duration, Instant};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_program_gets_the_notice_on_its_stdin_and_no_shell_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("$(notice) 'one'");
        let command = format!("tee \"{}\"", file.display().to_string().replace('$', "\\$"));
        let body = br#"{"title":"$(touch x); `id`"}"#;
        run(&command, None, body).await.unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), body);
        assert!(run("false", None, body).await.unwrap_err().contains("exit code 1"));
        assert!(run("/no/such/program", None, body).await.is_err());
    }

    #[tokio::test]
    async fn a_program_ends_with_the_notification() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = format!("sh -c 'echo $$ >{}; exec sleep 1000'", file.display());
        let deadline = Instant::now() + Duration::from_secs(60);
        let pid = tokio::select! {
            _ = run(&command, None, b"{}") => panic!("the program goes on"),
            pid = async {
                loop {
                    let text = std::fs::read_to_string(&file).unwrap_or_default();
                    match text.trim().parse::<i32>() {
                        Ok(pid) => break pid,
                        Err(_) => assert!(Instant::now() < deadline),
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            } => pid,
        };
        // SAFETY: signal 0 is sent to nobody; it only asks whether the process exists.
        while unsafe { libc::kill(pid, 0) } == 0 {
            assert!(Instant::now() < deadline, "the program outlives the notification");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Serves one request with this status. Returns the request.
    async fn serve_once(listener: &TcpListener, status: &str) -> String {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
        }
        let reply = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(reply.as_bytes()).await.unwrap();
        String::from_utf8(request).unwrap()
    }

    #[tokio::test]
    async fn a_server_gets_the_notice_and_the_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "s3cret\n").unwrap();
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook/s3cret-path", listener.local_addr().unwrap());
        let webhook = Webhook::new(&url, token.to_str()).unwrap();
        let body = br#"{"kind":"question"}"#;
        let (posted, request) =
            tokio::join!(webhook.post(body.to_vec()), serve_once(&listener, "204 No Content"));
        posted.unwrap();
        let head = request.to_lowercase();
        assert!(head.starts_with("post /hook/s3cret-path http/1.1\r\n"), "{request}");
        assert!(head.contains("\r\nauthorization: bearer s3cret\r\n"), "{request}");
        assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{request}");
        assert!(request.ends_with(r#"{"kind":"question"}"#), "{request}");

        let (posted, _) = tokio::join!(
            webhook.post(body.to_vec()),
            serve_once(&listener, "302 Found\r\nLocation: http://127.0.0.1:1/")
        );
        assert_eq!(posted.unwrap_err(), "the server answered 302 Found");
        for (url, why) in [
            ("http://push.example/topic", "without encryption"),
            ("http://localhost.example/topic", "without encryption"),
            ("topic", "no URL"),
        ] {
            let refused = Webhook::new(url, token.to_str()).err().unwrap().message;
            assert!(refused.contains(why), "{url}: {refused}");
        }
        for url in ["https://push.example/topic", "http://[::1]:1/", "http://localhost:1/"] {
            assert!(Webhook::new(url, token.to_str()).is_ok(), "{url}");
        }

        drop(listener);
        let why = webhook.post(body.to_vec()).await.unwrap_err();
        assert!(!why.contains("s3cret"), "{why}");
    }

    #[test]
    fn failures_are_reported_once_in_a_row() {
        let mut failures = Failures::default();
        let outcomes = [Err("one"), Err("two"), Ok(()), Err("three")];
        let reported = outcomes.map(|it| failures.first(it.map_err(str::to_owned)));
        assert_eq!(reported, [Some("one".to_owned()), None, None, Some("three".to_owned())]);
    }
}
