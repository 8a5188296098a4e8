//! Recordings of each format, and malformed files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use attache_check::{Finding, Observer, Recorded, Recording, RecordingError};
use attache_protocol::method::Side;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const OURS: &str = include_str!("recordings/ours.jsonl");
const CONDUCTOR: &str = include_str!("recordings/conductor.jsons");
const ACP_DEVTOOLS: &str = include_str!("recordings/acp-devtools.json");
const ZED: &str = include_str!("recordings/zed.json");

fn read(file: &str) -> Vec<Recorded> {
    Recording::new(file.as_bytes()).collect::<Result<_, _>>().unwrap()
}

/// Returns the lines with their senders and texts.
fn gist(file: &str) -> Vec<(usize, char, String)> {
    let who = |from| if from == Side::Client { '>' } else { '<' };
    read(file)
        .into_iter()
        .map(|recorded| (recorded.line, who(recorded.from), recorded.text))
        .collect()
}

/// Returns the findings in a recording, connection by connection.
fn findings(recording: &[Recorded]) -> Vec<Finding> {
    let is_whole = recording
        .first()
        .is_some_and(|first| Observer::begins_with(first.from, first.text.as_bytes()));
    let mut observer = if is_whole { Observer::default() } else { Observer::of_rest() };
    let mut found = Vec::new();
    for recorded in recording {
        if recorded.begins_another {
            found.extend(std::mem::take(&mut observer).end());
        }
        found.extend(observer.line(recorded.line, recorded.from, recorded.text.as_bytes()));
    }
    found.extend(observer.end());
    found
}

fn broken(recording: &[Recorded]) -> Vec<(usize, &'static str)> {
    findings(recording).iter().map(|finding| (finding.line, finding.rule.id)).collect()
}

const ASKED: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}}"#;
const ANSWERED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}}"#;

#[test]
fn our_own_recording_is_read_unchanged() {
    let expected = [(1, '>', ASKED.into()), (2, '<', "Welcome".into()), (4, '<', ANSWERED.into())];
    assert_eq!(gist(OURS), expected);
    assert_eq!(read(OURS)[0].at.as_deref(), Some("2026-11-21T02:03:04.000001Z"));
    assert_eq!(broken(&read(OURS)), [(2, "RPC-03")]);
}

#[test]
fn an_export_of_acp_devtools_is_read_unchanged() {
    let expected =
        [(7, '>', ASKED.into()), (17, '<', "Welcome".into()), (26, '<', ANSWERED.into())];
    assert_eq!(gist(ACP_DEVTOOLS), expected);
    let second = &read(ACP_DEVTOOLS)[1];
    assert_eq!(
        (second.path.as_deref(), second.at.as_deref()),
        (Some("messages[1]"), Some("1795000000040"))
    );
    // Without indentation, the same export is a single line.
    let compact = serde_json::from_str::<serde_json::Value>(ACP_DEVTOOLS).unwrap().to_string();
    let texts = |file: &str| {
        read(file).into_iter().map(|recorded| (recorded.path, recorded.text)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&compact), texts(ACP_DEVTOOLS));
}

#[test]
fn messages_copied_from_zed_are_reconstructed() {
    let expected = [
        (2, '>', r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c \" [","version":"1"}}}"#.to_owned()),
        (19, '<', ANSWERED.replace("\"id\":1", "\"id\":0")),
        (26, '>', r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#.into()),
        (33, '<', r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Authentication required"}}"#.into()),
        (40, '<', r#"{"jsonrpc":"2.0","method":"hello"}"#.into()),
    ];
    assert_eq!(gist(ZED), expected);
    assert_eq!(broken(&read(ZED)), [(40, "EXT-01")]);
}

#[test]
fn only_the_agents_connection_of_a_conductor_is_read_without_mcp() {
    let expected = [
        (2, '>', ASKED.replace("\"id\":1", "\"id\":\"p-1\"")),
        (3, '<', ANSWERED.replace("\"id\":1", "\"id\":\"p-1\"")),
        (
            5,
            '>',
            r#"{"jsonrpc":"2.0","id":"p-2","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#
                .into(),
        ),
        (
            9,
            '<',
            r#"{"jsonrpc":"2.0","id":"p-2","error":{"code":-32000,"message":"Authentication required"}}"#
                .into(),
        ),
        (10, '<', r#"{"jsonrpc":"2.0","method":"hello"}"#.into()),
    ];
    assert_eq!(gist(CONDUCTOR), expected);
    assert_eq!(broken(&read(CONDUCTOR)), [(10, "EXT-01")]);
}

#[test]
fn an_initialize_with_the_same_id_begins_another_connection() {
    let begins = |second: &str| {
        let lines = format!(
            "{{\"from\":\"client\",\"message\":{ASKED}}}\n{{\"from\":\"client\",\"message\":{second}}}\n"
        );
        read(&lines).iter().map(|recorded| recorded.begins_another).collect::<Vec<_>>()
    };
    assert_eq!(begins(ASKED), [false, true]);
    assert_eq!(
        begins(&ASKED.replace("\"id\":1", "\"id\":2")),
        [false, false],
        "INIT-18: it may be repeated"
    );
}

#[test]
fn errors_of_files_have_line_column_and_path() {
    for (file, expected) in [
        ("{\"from\":\"agent\",\n", "line 1, column 16: this is not a JSON object of a recording"),
        ("\n[1]", "line 2, column 2: [0]: expected an object"),
        ("[\n {\"_direction\":\"up\"}]", "line 2, column 2: [0]: \"_direction\" must be"),
        (
            "[{\"_direction\":\"incoming\",\"_type\":\"asdf\",\"method\":\"x\"}]",
            "line 1, column 2: [0]: \"_type\" must be",
        ),
        (
            "[{\"_direction\":\"incoming\",\"_type\":\"request\"}]",
            "line 1, column 2: [0]: \"method\" is missing",
        ),
        ("[\n{},\n{]", "line 3, column 2: this is not JSON"),
        ("{\n}", "line 1, column 1: $: the list \"messages\" is missing"),
        ("{\n\"messages\":{}}", "line 2, column 12: messages: expected a list"),
        ("{\n\"messages\":[\n\n   7]}", "line 4, column 4: messages[0]: expected an object"),
        (
            "{\n\"messages\":[{\"direction\":\"editor-to-agent\"}]}",
            "line 2, column 13: messages[0]: \"raw\" is not a string",
        ),
        (
            "{\n\"messages\":[{\"direction\":\"sent\"}]}",
            "line 2, column 13: messages[0]: \"direction\" must be",
        ),
        (
            "{\"type\":\"request\",\"from\":\"Agent\",\"method\":\"x\"}",
            "line 1, column 1: \"id\" is missing",
        ),
        ("{\"type\":\"trace\",\"from\":\"Agent\"}", "line 1, column 1: \"type\" must be"),
        (ASKED, "line 1, column 1: the sender is missing"),
    ] {
        let mut recording = Recording::new(file.as_bytes());
        let Some(Err(RecordingError::Broken(error))) = recording.next() else {
            panic!("it is read: {file}")
        };
        assert!(error.to_string().starts_with(expected), "{file}: {error}");
        assert!(recording.next().is_none(), "reading stops after an error");
    }
}

#[test]
fn truncated_recordings_never_panic() {
    for file in [OURS, CONDUCTOR, ACP_DEVTOOLS, ZED] {
        for end in (0..file.len()).filter(|end| file.is_char_boundary(*end)) {
            let read = Recording::new(&file.as_bytes()[..end]).filter_map(Result::ok);
            findings(&read.collect::<Vec<_>>());
        }
    }
}

/// Returns the captures next to the checkout, if they exist. Otherwise only the files in
/// `observer/` and `recordings/` are tested.
fn captures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/protocol/captures");
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_known_findings_of_each_capture_are_reported() {
    let (mut table, mut lines, mut found) = (String::new(), 0, BTreeMap::new());
    let captures = captures();
    for path in &captures {
        let recording = read(&fs::read_to_string(path).unwrap());
        lines += recording.len();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let broken = broken(&recording);
        let mut counts = BTreeMap::new();
        broken.iter().for_each(|(_, rule)| *counts.entry(*rule).or_insert(0) += 1);
        table += &format!("{name:32} {:4} lines  {counts:?}\n", recording.len());
        found.insert(name, broken);
    }
    println!("{table}");
    if captures.is_empty() {
        return;
    }
    assert!(captures.len() >= 14 && lines >= 1007, "{lines} lines of {}", captures.len());
    // The lines of the expected findings, by capture and rule.
    for (name, rule, expected) in [
        ("codex-acp-2.6.0", "CONF-14", &[7][..]),
        ("mistral-vibe-3.0.3", "CONF-14", &[5, 11, 13, 69, 87, 92]),
        ("copilot-1.0.102", "CONF-14", &[5, 8, 49, 52, 65, 69, 72, 81]),
        ("qwen-code-0.24.4", "EXT-01", &[6, 9, 23, 31]),
        ("qwen-code-0.24.4", "PROMPT-07", &[42]),
        ("goose-1.34.0", "INIT-04", &[2, 48, 55]),
        ("goose-1.34.0", "INFO-02", &[21, 29]),
        ("qwen-code-0.24.4", "MODE-07", &[16]),
    ] {
        let of_rule = found[name].iter().filter(|(_, broken)| *broken == rule);
        let at: Vec<usize> = of_rule.map(|(line, _)| *line).collect();
        assert_eq!(at, expected, "{name} {rule}");
    }
    // A person has read every line of these captures: there are no other findings. The client of
    // the captures makes mistakes on purpose.
    let exact = |name: &str| found[name].clone();
    let mut of_claude = exact("claude-agent-acp-0.100.0");
    // A line has one finding for each faulty name in it. Count them as one.
    of_claude.dedup();
    assert_eq!(of_claude, [(2, "META-07"), (8, "EXT-01"), (12, "DEC-20"), (14, "PROMPT-01")]);
    let of_grok: Vec<_> =
        exact("grok-1.0.41").into_iter().filter(|(_, rule)| *rule != "META-07").collect();
    // The last two prompts have no reply because the recording ends, which breaks no rule.
    assert_eq!(of_grok, [(2, "INIT-04"), (18, "DEC-19")]);
    // `collaboration_mode` is a custom category without a prefix, in version 2 as in version 1.
    assert_eq!(exact("codex-acp-2.6.0-v2"), [(5, "V2-54")]);
    assert_eq!(exact("claude-agent-acp-0.100.0-v2"), []);
    // The captures contain several connections, which are judged separately.
    assert!(found.values().flatten().all(|(_, rule)| *rule != "RPC-13"), "{table}");
}

/// The unusual messages of the captures, in a new conversation.
#[test]
fn unusual_messages_of_captures_are_found_on_their_lines() {
    let client = |message: &str| format!("{{\"from\":\"client\",\"message\":{message}}}\n");
    let agent = |message: &str| format!("{{\"from\":\"agent\",\"message\":{message}}}\n");
    let option = |category: &str| {
        format!(
            r#"{{"type":"select","id":"{category}","name":"n","category":"{category}","currentValue":"a","options":[{{"value":"a","name":"A"}}]}}"#
        )
    };
    let options = ["mode", "collaboration_mode", "thinking", "permissions"].map(option).join(",");
    let lines = [
        client(ASKED),
        agent(ANSWERED),
        client(
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
        ),
        agent(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"result":{{"sessionId":"s","configOptions":[{options}]}}}}"#
        )),
        agent(r#"{"jsonrpc":"2.0","method":"a/notify/session/mode-update","params":{}}"#),
    ];
    let expected = [(4, "CONF-14"), (4, "CONF-14"), (4, "CONF-14"), (5, "EXT-01")];
    assert_eq!(broken(&read(&lines.concat())), expected);
}

/// Lines that are missing at the beginning of a recording break no rule. A missing request causes
/// one finding.
#[test]
fn a_missing_line_causes_at_most_one_finding() {
    let line =
        |from: &str, message: &str| format!("{{\"from\":\"{from}\",\"message\":{message}}}\n");
    let update = |update: &str| {
        let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
        line(
            "agent",
            &format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#),
        )
    };
    let chunk = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}"#;
    let prompt = r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}"#;
    let whole = [
        line("client", ASKED),
        line("agent", ANSWERED),
        line(
            "client",
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
        ),
        line("agent", r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#),
        line("client", prompt),
        update(chunk),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#),
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#),
        line("agent", r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#),
        line("client", &prompt.replace("\"id\":3", "\"id\":4")),
        update(chunk),
    ];
    assert_eq!(broken(&read(&whole.concat())), []);
    for first in 1..whole.len() {
        assert_eq!(broken(&read(&whole[first..].concat())), [], "it begins with line {first}");
    }
    for (missing, rule) in [(2, "RPC-11"), (4, "RPC-11"), (6, "TOOL-03")] {
        let lines: String = whole
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != missing)
            .map(|(_, line)| line.as_str())
            .collect();
        let found = broken(&read(&lines));
        assert!(
            found.is_empty() || found.iter().map(|(_, rule)| *rule).eq([rule]),
            "{missing}: {found:?}"
        );
    }
}
