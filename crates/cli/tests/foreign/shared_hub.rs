//! Foreign clients of the shared hub: the official ones over WebSocket, streamable HTTP and
//! `attache attach`; acpx; and the AI SDK.

use crate::hub::{Hub, Way};
use crate::peers::{ATTACHE, Client, package, ts};
use crate::process::{Events, run};
use crate::project::text;
use serde_json::{Value, json};

const SCRIPT: &str = "
prompt help
permission reject_once
prompt run touch rejected.txt
permission allow_once
prompt run touch allowed.txt
prompt where is total used
permission wait
prompt-cancel permission run touch never.txt
list
";

const PROMPTS: [&str; 5] = [
    "help",
    "run touch rejected.txt",
    "run touch allowed.txt",
    "where is total used",
    "run touch never.txt",
];

/// The texts of all chunks of this kind.
fn texts(events: &Events, kind: &str) -> Vec<String> {
    let updates = events.updates(kind).into_iter();
    updates.map(|update| update["content"]["text"].as_str().unwrap().to_owned()).collect()
}

fn session(events: &Events) -> String {
    events.of("session")[0]["sessionId"].as_str().unwrap().to_owned()
}

/// A session is opened, prompted, cancelled, listed, loaded, resumed and continued.
async fn works_with_the_hub(client: Client, way: Way) {
    let hub = Hub::start().await;
    let events = hub.follows(client, way, &[], SCRIPT).await;
    let name = format!("{} over {way:?}: {events:?}", client.name());
    let stops = ["end_turn", "end_turn", "end_turn", "end_turn", "cancelled"];
    assert_eq!(events.member("stop", "stopReason"), stops, "{name}");
    let answers = events.member("permission", "outcome");
    let answers: Vec<_> = answers.iter().map(|outcome| &outcome["optionId"]).collect();
    let wanted = [json!("reject_once"), json!("allow_once"), Value::Null];
    assert_eq!(answers, wanted.each_ref(), "{name}");
    assert!(hub.project.file("allowed.txt").exists(), "{name}");
    assert!(!hub.project.file("rejected.txt").exists(), "{name}");
    assert!(!hub.project.file("never.txt").exists(), "{name}");
    assert!(texts(&events, "user_message_chunk").is_empty(), "it shows its own prompts: {name}");
    let id = session(&events);
    let [listed] = &events.member("sessions", "sessions")[0].as_array().unwrap()[..] else {
        panic!("one session: {name}")
    };
    assert_eq!((&listed["sessionId"], &listed["title"]), (&json!(id), &json!("help")), "{name}");

    let said: String = texts(&events, "agent_message_chunk").concat();
    let loaded = hub.follows(client, way, &["--load", &id], "prompt help").await;
    assert_eq!(texts(&loaded, "user_message_chunk"), PROMPTS, "{name}: {loaded:?}");
    let repeated: String = texts(&loaded, "agent_message_chunk").concat();
    let more = repeated.strip_prefix(&said);
    assert!(more.is_some_and(|more| !more.is_empty()), "{said:?} {repeated:?}");
    assert_eq!(loaded.member("stop", "stopReason"), ["end_turn"], "{name}");

    let resumed = hub.follows(client, way, &["--resume", &id], "prompt help").await;
    assert!(texts(&resumed, "user_message_chunk").is_empty(), "{resumed:?}");
    assert_eq!(resumed.member("stop", "stopReason"), ["end_turn"], "{name}");
}

#[tokio::test]
async fn the_official_rust_client_works_with_the_hub_over_websocket() {
    works_with_the_hub(Client::OfficialRust, Way::WebSocket).await;
}

#[tokio::test]
async fn the_official_rust_client_works_with_the_hub_over_streamable_http() {
    works_with_the_hub(Client::OfficialRust, Way::Http).await;
}

#[tokio::test]
async fn the_official_rust_client_works_with_the_hub_through_attach() {
    works_with_the_hub(Client::OfficialRust, Way::Attach).await;
}

#[tokio::test]
async fn the_official_typescript_client_works_with_the_hub_over_websocket() {
    works_with_the_hub(Client::OfficialTs, Way::WebSocket).await;
}

#[tokio::test]
async fn the_official_typescript_client_works_with_the_hub_over_streamable_http() {
    works_with_the_hub(Client::OfficialTs, Way::Http).await;
}

#[tokio::test]
async fn the_official_typescript_client_works_with_the_hub_through_attach() {
    works_with_the_hub(Client::OfficialTs, Way::Attach).await;
}

#[tokio::test]
async fn the_official_clients_of_version_2_work_with_the_hub() {
    for client in [Client::OfficialRustV2, Client::OfficialTsV2] {
        for way in [Way::WebSocket, Way::Http, Way::Attach] {
            let hub = Hub::start().await;
            let script = "permission allow_once\nprompt run touch allowed.txt";
            let events = hub.follows(client, way, &[], script).await;
            assert_eq!(events.member("stop", "stopReason"), ["end_turn"], "{way:?}: {events:?}");
            assert!(hub.project.file("allowed.txt").exists(), "{way:?}: {events:?}");
        }
    }
}

/// One client asks the agent for something and leaves the question open; the other one joins,
/// prompts, and answers it.
async fn share_a_session((first, way): (Client, Way), (second, other_way): (Client, Way)) {
    let hub = Hub::start().await;
    let script = "permission wait\nprompt run touch shared.txt\nprompt where is total used";
    let mut asking = hub.starts(first, way, script);
    let id = asking.event("session").await["sessionId"].as_str().unwrap().to_owned();
    let question = asking.event("permission").await;
    assert_eq!(question["outcome"], Value::Null, "it is left open");
    assert!(!hub.project.file("shared.txt").exists());

    let script = "permission allow_once\nprompt help";
    let joined = hub.follows(second, other_way, &["--load", &id], script).await;
    let ended = asking.ended().await;
    let name = format!("{way:?} and {other_way:?}: {ended:?}\n{joined:?}");
    assert_eq!(ended.code(), 0, "{name}");
    let asked = ended.events();
    assert_eq!(asked.of("withdrawn").len(), 1, "{name}");
    assert_eq!(asked.of("permission").len(), 1, "{name}");
    let answers = joined.member("permission", "outcome");
    assert_eq!(answers, [&json!({"outcome": "selected", "optionId": "allow_once"})], "{name}");
    assert!(hub.project.file("shared.txt").exists(), "{name}");

    assert_eq!(asked.member("stop", "stopReason"), ["end_turn"; 2], "{name}");
    assert_eq!(joined.member("stop", "stopReason"), ["end_turn"], "{name}");
    // Each shows its own prompts by itself, and gets those of the other.
    assert_eq!(texts(&asked, "user_message_chunk"), ["help"], "{name}");
    assert_eq!(texts(&joined, "user_message_chunk")[0], "run touch shared.txt", "{name}");
    // Both see the end of the call, once, and the answer to the prompt of the second client.
    for events in [&asked, &joined] {
        let updates = events.updates("tool_call_update").into_iter();
        let done = updates.filter(|update| update["status"] == "completed").count();
        assert!(done >= 1, "{name}");
        let said = texts(events, "agent_message_chunk").concat();
        assert_eq!(said.matches("exit code 0").count(), 1, "{said}\n{name}");
        assert!(said.contains("I am the offline model"), "{said}\n{name}");
    }
}

#[tokio::test]
async fn two_official_clients_share_a_session_and_one_answers_for_both() {
    let rust = |way| (Client::OfficialRust, way);
    let ts = |way| (Client::OfficialTs, way);
    share_a_session(ts(Way::WebSocket), rust(Way::Attach)).await;
    share_a_session(rust(Way::Http), ts(Way::Attach)).await;
    share_a_session(rust(Way::Attach), ts(Way::Http)).await;
}

/// A prompt of acpx through `attache attach` changes a file with its permission. Another client
/// watches, and has the whole conversation afterwards.
#[tokio::test]
async fn acpx_works_through_attach_while_another_client_watches() {
    let hub = Hub::start().await;
    let (cwd, acpx) = (text(hub.project.cwd()), text(package("acpx/dist/cli.js")));
    let agent = format!("'{ATTACHE}' attach");
    let acpx = ["node", &acpx, "--agent", &agent, "--cwd", &cwd, "--approve-all"];
    let exec = ["--format", "json", "exec", "rename one to ONE in notes.txt"];
    let ended = run(&hub.at_home(&[&acpx[..], &exec].concat())).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert_eq!(hub.project.text("notes.txt"), "ONE\ntwo\nthree\n", "{ended:?}");
    assert!(ended.stdout.contains("`one` is now `ONE`"), "{ended:?}");

    let listing = hub.follows(Client::OfficialTs, Way::WebSocket, &["--no-session"], "list").await;
    let [listed] = &listing.member("sessions", "sessions")[0].as_array().unwrap()[..] else {
        panic!("one session: {listing:?}")
    };
    assert_eq!(listed["title"], "rename one to ONE in notes.txt");
    let id = listed["sessionId"].as_str().unwrap();
    let loaded = hub.follows(Client::OfficialRust, Way::Http, &["--load", id], "prompt help").await;
    assert_eq!(texts(&loaded, "user_message_chunk"), ["rename one to ONE in notes.txt"]);
    assert!(texts(&loaded, "agent_message_chunk").concat().contains("`one` is now `ONE`"));
}

/// The AI SDK, which uses an older version of the official library, and acpx open sessions of one
/// hub at the same time, and both are listed.
#[tokio::test]
async fn the_ai_sdk_and_acpx_work_through_attach_at_the_same_time() {
    let hub = Hub::start().await;
    let (cwd, acpx) = (text(hub.project.cwd()), text(package("acpx/dist/cli.js")));
    package("@mcpc-tech/acp-ai-provider/index.mjs");
    let mut ai_sdk = ts("ai-sdk.mjs");
    let prompt = "rename one to ONE in notes.txt";
    ai_sdk.extend([&cwd, prompt, ATTACHE, "attach"].map(str::to_owned));
    let ai_sdk: Vec<&str> = ai_sdk.iter().map(String::as_str).collect();
    let ai_sdk = hub.at_home(&ai_sdk);
    let agent = format!("'{ATTACHE}' attach");
    let acpx = ["node", &acpx, "--agent", &agent, "--cwd", &cwd, "--approve-all"];
    let acpx = hub.at_home(&[&acpx[..], &["exec", "run touch made.txt"]].concat());
    let (ai_sdk, acpx) = tokio::join!(run(&ai_sdk), run(&acpx));
    assert_eq!((ai_sdk.code(), acpx.code()), (0, 0), "{ai_sdk:?} {acpx:?}");
    assert!(ai_sdk.stdout.contains("`one` is now `ONE`"), "{ai_sdk:?}");
    assert_eq!(hub.project.text("notes.txt"), "ONE\ntwo\nthree\n", "{ai_sdk:?}");
    assert!(hub.project.file("made.txt").exists(), "{acpx:?}");

    let listing = hub.follows(Client::OfficialTs, Way::WebSocket, &["--no-session"], "list").await;
    let listed = listing.member("sessions", "sessions")[0].as_array().unwrap().iter();
    let mut titles: Vec<_> = listed.map(|listed| listed["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    assert_eq!(titles, [prompt, "run touch made.txt"]);
}
