//! The probes of `attache check` over agents and clients that others wrote, or that are written
//! with the official libraries alone. What each is known to fail stands in `known/`, with the
//! reason; every entry was looked at in the traffic. A failure that is not listed fails the test,
//! and so does a listed one that is none any more.

use crate::judged::{Family, family, known};
use crate::peers::{ATTACHE, Agent, Client, installed_agents, package};
use crate::process::run_within;
use crate::project::text;
use std::time::Duration;

/// How long one peer may take to be judged. It only decides what would otherwise hang for ever.
const PATIENCE: Duration = Duration::from_secs(900);

/// Judges an agent or a client by all rules, or by those chosen, against what it is known to fail.
async fn is_as_known(side: &str, name: &str, options: &[String], command: &[String]) {
    let known = text(known(name));
    let fixed =
        [ATTACHE, "check", side, "--timeout", "60", "--baseline", &known].map(str::to_owned);
    let command = [&fixed[..], options, &["--".to_owned()], command].concat();
    let ended = run_within(&command, PATIENCE).await;
    assert_eq!(ended.code(), 0, "{name} is not as known:\n{}\n{}", ended.stdout, ended.stderr);
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[tokio::test]
async fn the_official_typescript_agent_fails_what_is_known() {
    family(Family::TypeScript).await.agent.is_as_known();
}

#[tokio::test]
async fn the_official_rust_agent_fails_what_is_known() {
    family(Family::Rust).await.agent.is_as_known();
}

#[tokio::test]
async fn the_example_of_the_rust_library_fails_what_is_known() {
    is_as_known("agent", "agent-example", &[], &Agent::official_example().command).await;
}

/// The rules that Gemini CLI is judged by: what it is known for in the field, and some that it
/// keeps.
const OF_GEMINI: &str = "RPC-19,RPC-20,RPC-21,RPC-23,INIT-02,INIT-04,INIT-09,AUTH-05,SESS-02,SESS-10,SESS-11,SESS-13,SESS-14,SESS-21,\
    PROMPT-07,PROMPT-13,PROMPT-17,TOOL-01,PLAN-01,CANCEL-23,FS-12,MODE-02,EXT-01,EXT-02,META-03,META-07,DEC-20";

/// The rules that Qwen Code is judged by: those that it is known to break, and some that it keeps.
const OF_QWEN: &str = "RPC-23,SESS-02,SESS-21,EXT-01,EXT-02,META-03,META-07,DEC-20,PROMPT-13,PROMPT-17,INIT-04,INIT-09,MODE-02";

/// Agents from npm take seconds to start, and minutes to be judged.
async fn npm_agent_is_as_known(name: &str, options: &[&str]) {
    let command = [text(installed_agents().join(name)), "--acp".to_owned()];
    is_as_known("agent", name, &words(options), &command).await;
}

#[tokio::test]
async fn gemini_cli_fails_what_is_known() {
    npm_agent_is_as_known("gemini", &["--only", OF_GEMINI]).await;
}

#[tokio::test]
async fn qwen_code_fails_what_is_known() {
    npm_agent_is_as_known("qwen", &["--only", OF_QWEN]).await;
}

/// A client of npm, by all rules that it can be sent on. Its program is installed beside the peers
/// of the official TypeScript library.
#[tokio::test]
async fn acpx_fails_what_is_known() {
    let program = [text(package(".bin/acpx"))];
    let main = words(&["--agent", "{agent}", "--cwd", "{cwd}", "exec", "{prompt}"]);
    is_as_known("client", "acpx", &[], &[&program[..], &main].concat()).await;
}

/// What is judged only of a client that does not offer everything.
async fn official_client_without_offers_is_as_known(name: &str, client: Client) {
    let less = ["fs", "terminal", "form", "url"].map(|less| ["--without", less]).concat();
    let main = words(&["--cwd", "{cwd}", "--step", "prompt {prompt}", "--", "{agent...}"]);
    let command = [client.program(), words(&less), main].concat();
    is_as_known("client", name, &words(&["--only", "INIT-17,ELIC-02"]), &command).await;
}

#[tokio::test]
async fn the_official_typescript_client_fails_what_is_known() {
    family(Family::TypeScript).await.client.is_as_known();
    official_client_without_offers_is_as_known("client-ts", Client::OfficialTs).await;
}

#[tokio::test]
async fn the_official_rust_client_fails_what_is_known() {
    family(Family::Rust).await.client.is_as_known();
    official_client_without_offers_is_as_known("client-rust", Client::OfficialRust).await;
}
