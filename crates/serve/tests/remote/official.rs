//! The clients of the official SDK for TypeScript, in Node.

use crate::server::{Server, TOKEN};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Runs `interop/ts/remote.mjs` and returns what it printed.
async fn official(arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop/ts");
    let packages = folder.join("node_modules");
    assert!(packages.exists(), "{} is missing: run npm ci in interop/ts", packages.display());
    let mut command = tokio::process::Command::new("node");
    command.current_dir(folder).args(["--experimental-websocket", "remote.mjs"]).args(arguments);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(60), command.output()).await;
    let output = output.unwrap().unwrap();
    let (out, error) = (&output.stdout, &output.stderr);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(error));
    String::from_utf8_lossy(out).into_owned()
}

#[tokio::test]
async fn the_official_clients_hold_a_conversation_and_load_it_again() {
    for scheme in ["ws", "http"] {
        let server = Server::start().await;
        let url = format!("{}/acp", server.url(scheme));
        let said = official(&[&url, TOKEN]).await;
        assert_eq!(said, "echo: one\necho: two\nloaded: oneecho: onetwoecho: two\n", "{scheme}");
    }
}
