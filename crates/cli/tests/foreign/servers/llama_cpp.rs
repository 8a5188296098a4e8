//! llama.cpp's own HTTP server with a small real model.

use super::served::{Served, get, installed, of_root};
use super::user::User;
use crate::process::end;
use crate::project::text;
use serde_json::Value;
use std::time::Duration;

/// The context of the server, in tokens.
pub(super) const CONTEXT: u64 = 8192;

/// The time limit for what the server does. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(300);

/// Starts the server.
pub(super) async fn llama_cpp() -> Served {
    let script = text(of_root("interop/python/llama_server.py"));
    let context = CONTEXT.to_string();
    let arguments = [script.as_str(), "PORT", &context, "16"];
    Served::start(&installed("bin/python"), &arguments, &[], "/v1/models").await
}

/// Returns the only slot of the server.
async fn slot(server: &Served) -> Value {
    get(&format!("{}/slots", server.url)).await.unwrap()[0].take()
}

async fn until(server: &Served, is_processing: bool) -> Value {
    let waiting = async {
        loop {
            let slot = slot(server).await;
            if slot["is_processing"] == is_processing {
                return slot;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap()
}

/// A short answer: it is shown, its length is limited by the server, and the size of the window is
/// the server's.
async fn answers(user: &User) {
    let run = user.run(&["Write a long story about a fox."]).await;
    assert!(!run.text().trim().is_empty(), "{run:?}");
    assert_eq!(run.stop(), Some("max_tokens".into()), "{run:?}");
    let events = run.ended.events();
    let sizes = events.member("usage", "size");
    assert!(!sizes.is_empty() && sizes.iter().all(|size| **size == CONTEXT), "{run:?}");
}

/// A prompt that does not fit ends with the exact words, and is not sent.
async fn refuses_a_long_prompt(user: &User) {
    let long = "one two three four five six ".repeat(2_000);
    std::fs::write(user.project.file("long.md"), &long).unwrap();
    let run = user.run(&["--file", "long.md"]).await;
    run.failed(7, &["This prompt is too long", "It was not sent."]);
}

/// Ctrl-C ends the request, so that the server stops at once.
async fn cancel_frees_the_slot(user: &User, server: &Served) {
    // More than one batch of the server, which looks for a cancellation after each batch.
    std::fs::write(user.project.file("some.md"), "one two three four five ".repeat(650)).unwrap();
    let run = user.command(&["run", "--json", "--yes", "--file", "some.md"]).spawn().unwrap();
    until(server, true).await;
    let pid = run.id().unwrap().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    assert_eq!(end(run).await.code(), 130);
    let slot = until(server, false).await;
    let read = slot["n_prompt_tokens"].as_u64().unwrap();
    // The same prompt to its end: the slot then contains the answer, too.
    user.run(&["--file", "some.md"]).await;
    let whole = until(server, false).await["n_prompt_tokens"].as_u64().unwrap();
    assert!(read < whole, "the server went on: {read} of {whole} tokens");
}

/// The port is another one than the usual, which belongs to the machine: a server there would be
/// found by other tests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn llama_cpp_answers_at_another_port() {
    let server = llama_cpp().await;
    let base_url = format!("{}/v1", server.url);
    let user = User::new(&[("OPENAI_BASE_URL", &base_url), ("ATTACHE_MODEL", "openai/smollm2")]);
    answers(&user).await;
    refuses_a_long_prompt(&user).await;
    cancel_frees_the_slot(&user, &server).await;
}
