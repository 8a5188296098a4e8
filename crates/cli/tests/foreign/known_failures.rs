//! Judges agents and clients of others, and those made only with the official libraries. `known/`
//! lists the known failures of each with their reasons, which were confirmed in the traffic. A
//! failure that is not listed fails the test, and so does a listed rule that passes. Our own agent
//! and client break no rule.

use crate::judgements::{Family, family, known};
use crate::peers::{ATTACHE, Agent, Client, installed_agents, package};
use crate::process::run_within;
use crate::project::text;
use std::time::Duration;

/// The time limit for judging one peer. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(900);

/// Judges a peer by all rules, or by the selected ones, and compares the result with its known
/// failures.
async fn has_known_failures(side: &str, name: &str, options: &[String], command: &[String]) {
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

/// Fails with what the judge saw, which the documents of the judge do not contain.
#[tokio::test]
async fn our_agent_and_our_client_break_no_rule() {
    for judgement in family(Family::Ours).await.judgements() {
        let fails = judgement.fails();
        assert!(fails.is_empty(), "{}: {fails:#?}", judgement.name());
    }
}

#[tokio::test]
async fn the_official_typescript_agent_has_its_known_failures() {
    family(Family::TypeScript).await.agent.has_known_failures();
}

#[tokio::test]
async fn the_official_rust_agent_has_its_known_failures() {
    family(Family::Rust).await.agent.has_known_failures();
}

#[tokio::test]
async fn the_example_of_the_rust_library_has_its_known_failures() {
    has_known_failures("agent", "agent-example", &[], &Agent::official_example().command).await;
}

/// The rules for Gemini CLI: those with known failures in earlier reports, and some that it keeps.
const OF_GEMINI: &str = "RPC-19,RPC-20,RPC-21,RPC-23,INIT-02,INIT-04,INIT-09,AUTH-05,SESS-02,SESS-10,SESS-11,SESS-13,SESS-14,SESS-21,\
    PROMPT-07,PROMPT-13,PROMPT-17,TOOL-01,PLAN-01,CANCEL-23,FS-12,MODE-02,EXT-01,EXT-02,META-03,META-07,DEC-20";

/// The rules for Qwen Code: those that it is known to break, and some that it keeps.
const OF_QWEN: &str = "RPC-23,SESS-02,SESS-21,EXT-01,EXT-02,META-03,META-07,DEC-20,PROMPT-13,PROMPT-17,INIT-04,INIT-09,MODE-02";

/// Agents from npm take seconds to start, and minutes to judge.
async fn npm_agent_has_known_failures(name: &str, options: &[&str]) {
    let command = [text(installed_agents().join(name)), "--acp".to_owned()];
    has_known_failures("agent", name, &words(options), &command).await;
}

#[tokio::test]
async fn gemini_cli_has_its_known_failures() {
    npm_agent_has_known_failures("gemini", &["--only", OF_GEMINI]).await;
}

#[tokio::test]
async fn qwen_code_has_its_known_failures() {
    npm_agent_has_known_failures("qwen", &["--only", OF_QWEN]).await;
}

/// Judges a client from npm by all rules that its commands can exercise. It is installed with the
/// peers of the official TypeScript library.
#[tokio::test]
async fn acpx_has_its_known_failures() {
    let program = [text(package(".bin/acpx"))];
    let main = words(&["--agent", "{agent}", "--cwd", "{cwd}", "exec", "{prompt}"]);
    has_known_failures("client", "acpx", &[], &[&program[..], &main].concat()).await;
}

/// Judges a client that does not offer everything, by the rules about features that are not
/// offered.
async fn official_client_without_offers_has_known_failures(name: &str, client: Client) {
    let less = ["fs", "terminal", "form", "url"].map(|less| ["--without", less]).concat();
    let main = words(&["--cwd", "{cwd}", "--step", "prompt {prompt}", "--", "{agent...}"]);
    let command = [client.program(), words(&less), main].concat();
    has_known_failures("client", name, &words(&["--only", "INIT-17,ELIC-02"]), &command).await;
}

#[tokio::test]
async fn the_official_typescript_client_has_its_known_failures() {
    family(Family::TypeScript).await.client.has_known_failures();
    official_client_without_offers_has_known_failures("client-ts", Client::OfficialTs).await;
}

#[tokio::test]
async fn the_official_rust_client_has_its_known_failures() {
    family(Family::Rust).await.client.has_known_failures();
    official_client_without_offers_has_known_failures("client-rust", Client::OfficialRust).await;
}

#[tokio::test]
async fn the_official_peers_of_version_2_have_their_known_failures() {
    for of in [Family::TypeScript, Family::Rust] {
        let peers = family(of).await;
        peers.agent_v2.has_known_failures();
        peers.client_v2.has_known_failures();
    }
}
