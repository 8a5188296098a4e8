//! The probes of `attache check` over agents and clients that others wrote, or that are written with the official libraries alone. What each
//! is known to fail stands in `known/`, with the reason; every entry was looked at in the traffic. A failure that is not listed fails the
//! test, and so does a listed one that is none any more.

use crate::peers::{ATTACHE, Agent, installed_agents, official, ts};
use crate::process::run_within;
use crate::project::text;
use std::path::Path;
use std::time::Duration;

/// How long one peer may take to be judged. It only decides what would otherwise hang for ever.
const PATIENCE: Duration = Duration::from_secs(900);

/// Judges an agent or a client by all rules, or by those chosen, against what it is known to fail.
async fn is_as_known(side: &str, name: &str, options: &[String], command: &[String]) {
    let known =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/known").join(name).with_extension("md");
    let fixed = [ATTACHE, "check", side, "--timeout", "60", "--baseline", &text(known)].map(str::to_owned);
    let command = [&fixed[..], options, &["--".to_owned()], command].concat();
    let ended = run_within(&command, PATIENCE).await;
    assert_eq!(ended.code(), 0, "{name} is not as known:\n{}\n{}", ended.stdout, ended.stderr);
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The agents of `interop/` keep their sessions in a folder, so that what outlives them is judged too; they log in without asking anybody.
async fn official_agent_is_as_known(name: &str, agent: &Agent) {
    let folder = tempfile::tempdir().unwrap();
    let kept = [agent.command.clone(), words(&["--sessions"]), vec![text(folder.path())]].concat();
    is_as_known("agent", name, &words(&["--login", "login"]), &kept).await;
}

#[tokio::test]
async fn the_official_typescript_agent_fails_what_is_known() {
    official_agent_is_as_known("agent-ts", &Agent::official_ts()).await;
}

#[tokio::test]
async fn the_official_rust_agent_fails_what_is_known() {
    official_agent_is_as_known("agent-rust", &Agent::official_rust()).await;
}

#[tokio::test]
async fn the_example_of_the_rust_library_fails_what_is_known() {
    is_as_known("agent", "agent-example", &[], &Agent::official_example().command).await;
}

/// The rules that agents from npm are judged by: those that they are known to break, and some that they keep. Each start takes seconds, so
/// not all rules are judged.
const OF_NPM: &str =
    "RPC-23,SESS-02,SESS-21,EXT-01,EXT-02,META-03,META-07,DEC-20,PROMPT-13,PROMPT-17,INIT-04,INIT-09,MODE-02";

async fn npm_agent_is_as_known(name: &str) {
    let command = [text(installed_agents().join(name)), "--acp".to_owned()];
    is_as_known("agent", name, &words(&["--only", OF_NPM]), &command).await;
}

#[tokio::test]
async fn gemini_cli_fails_what_is_known() {
    npm_agent_is_as_known("gemini").await;
}

#[tokio::test]
async fn qwen_code_fails_what_is_known() {
    npm_agent_is_as_known("qwen").await;
}

/// How either client of `interop/` goes on each errand.
const ERRANDS: &[(&str, &str)] = &[
    ("load", "--load {session} --step 'prompt {prompt}'"),
    ("resume", "--resume {session} --step 'prompt {prompt}'"),
    ("fork", "--fork {session} --step 'prompt {prompt}'"),
    ("cancel", "--step 'permission wait' --step 'form wait' --step 'prompt-cancel update {prompt}'"),
    ("list", "--no-session --step list"),
    ("delete", "--no-session --step 'delete {session}'"),
    ("unarchive", "--no-session --step 'unarchive {session}'"),
    ("close", "--step 'prompt {prompt}' --step close"),
    ("set_mode", "--step 'mode {mode}' --step 'prompt {prompt}'"),
    ("set_option", "--step 'config {option} {value}' --step 'prompt {prompt}'"),
    (
        "set_options",
        "--step 'config {option} {value}' --step 'config {option2} {value2}' --step 'prompt {prompt}'",
    ),
    ("set_boolean", "--step 'bool {option} {value}' --step 'prompt {prompt}'"),
    ("allow", "--step 'permission allow_once' --step 'prompt {prompt}'"),
    ("reject", "--step 'permission reject_once' --step 'prompt {prompt}'"),
    ("image", "--step 'prompt-image {image} {prompt}'"),
    ("mcp", "--mcp {mcp} --step 'prompt {prompt}'"),
    ("directories", "--directory {directory} --step 'prompt {prompt}'"),
    ("system_prompt", "--system-prompt {text} --step 'prompt {prompt}'"),
    ("login", "--no-session --step 'login {method}'"),
    ("logout", "--no-session --step logout"),
    ("status", "--no-session --step account"),
    ("form", "--step 'form accept' --step 'prompt {prompt}'"),
    ("decline", "--step 'form decline' --step 'prompt {prompt}'"),
    ("twice", "--step 'prompt {prompt}' --step 'prompt {prompt2}'"),
];

/// The rules that the clients are judged by here. All others take minutes, because a client is started for each.
const OF_CLIENTS: &str = "RPC,USE,DEC";

async fn official_client_is_as_known(name: &str, program: &[String]) {
    let quoted: Vec<String> = program.iter().map(|word| format!("'{word}'")).collect();
    let to = |(errand, steps): &(&str, &str)| {
        ["--to".to_owned(), format!("{errand}={} --cwd {{cwd}} {steps} -- {{agent...}}", quoted.join(" "))]
    };
    let options: Vec<String> =
        words(&["--only", OF_CLIENTS]).into_iter().chain(ERRANDS.iter().flat_map(to)).collect();
    let main = words(&["--cwd", "{cwd}", "--step", "prompt {prompt}", "--", "{agent...}"]);
    is_as_known("client", name, &options, &[program, &main].concat()).await;
    // What is judged only of a client that does not offer everything.
    let less = ["fs", "terminal", "form", "url"].map(|less| ["--without", less]).concat();
    let bare = [program, &words(&less), &main].concat();
    is_as_known("client", name, &words(&["--only", "INIT-17,ELIC-02"]), &bare).await;
}

#[tokio::test]
async fn the_official_typescript_client_fails_what_is_known() {
    official_client_is_as_known("client-ts", &ts("client.mjs")).await;
}

#[tokio::test]
async fn the_official_rust_client_fails_what_is_known() {
    official_client_is_as_known("client-rust", &[text(official("official-client"))]).await;
}
