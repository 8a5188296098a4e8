//! Servers of models that others wrote, from the packages of `interop/python`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

/// The time limit for a server to start. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running server. Dropping it kills it.
pub(super) struct Served {
    _process: Child,
    /// `http://127.0.0.1:PORT`.
    pub(super) url: String,
}

/// Returns a file of the environment with the servers of models, which `./test` installs.
pub(super) fn installed(path: &str) -> PathBuf {
    of_root("target/model-servers").join(path)
}

/// Returns a file of the workspace.
pub(super) fn of_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap_or_else(
        |error| panic!("{path} is missing ({error}): run ./test, which installs the foreign peers"),
    )
}

/// Returns a port on which nothing listens.
pub(super) async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

impl Served {
    /// Starts a server with its port in place of `PORT`, and waits until `path` answers.
    pub(super) async fn start(
        program: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
        path: &str,
    ) -> Self {
        let port = free_port().await.to_string();
        let mut command = Command::new(program);
        command.args(arguments.iter().map(|argument| argument.replace("PORT", &port)));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", std::env::temp_dir()).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.kill_on_drop(true).spawn().unwrap_or_else(|error| {
            panic!("{} cannot be started: {error}", program.display());
        });
        let url = format!("http://127.0.0.1:{port}");
        let answers = async {
            while get(&format!("{url}{path}")).await.is_none() {
                if let Some(status) = process.try_wait().unwrap() {
                    panic!("{} ended ({status})", program.display());
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(PATIENCE, answers)
            .await
            .unwrap_or_else(|_| panic!("{} does not answer at {url}{path}", program.display()));
        Self { _process: process, url }
    }
}

impl Served {
    /// Starts a server that reads its port from the variable `PORT`, and waits until it listens.
    pub(super) async fn listening(program: &Path, arguments: &[&str], port: &str) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).env("PORT", port).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        let address = format!("127.0.0.1:{port}");
        let listens = async {
            while TcpStream::connect(&address).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, listens).await.unwrap();
        Self { _process: process, url: format!("http://{address}") }
    }
}

/// Returns the JSON at an address; `None` if there is no successful answer.
pub(super) async fn get(url: &str) -> Option<Value> {
    let response = client().get(url).send().await.ok()?.error_for_status().ok()?;
    serde_json::from_str(&response.text().await.ok()?).ok()
}

/// Posts JSON, and returns the JSON of a successful answer.
pub(super) async fn post(url: &str, body: &Value) -> Value {
    let request = client().post(url).header("content-type", "application/json");
    let response = request.body(body.to_string()).send().await.unwrap();
    serde_json::from_str(&response.error_for_status().unwrap().text().await.unwrap()).unwrap()
}

fn client() -> reqwest::Client {
    // An error means that another test has done so.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().build().unwrap()
}
