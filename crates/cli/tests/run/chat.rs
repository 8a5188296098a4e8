//! `attache` without a command, at a terminal.

use crate::project::{Ended, MAIN, Project};
use crate::script::Script;
use crate::terminal::Terminal;
use std::fs;
use std::path::Path;

const RENAME: &str = "rename total to sum in main.rs\r";

/// Starts a conversation that stores its sessions in the project.
fn chat(project: &Project) -> Terminal {
    let store = project.path().join("sessions.db");
    let data = project.path().join("data");
    let environment =
        [("ATTACHE_STORE", store.to_str().unwrap()), ("XDG_DATA_HOME", data.to_str().unwrap())];
    let mut terminal = Terminal::start(project, &["chat"], &environment);
    terminal.wait_for("ask › ");
    terminal
}

#[test]
fn a_key_allows_an_edit_and_the_next_prompt_follows() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press(RENAME);
    terminal.wait_for("allow? [y/a/");
    assert_eq!(project.main(), MAIN, "it was edited before the answer");
    terminal.press("y");
    terminal.wait_for("is now ");
    terminal.wait_for("ask 0 % › ");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
    assert!(
        terminal.seen().contains("thinking … (/thoughts shows the reasoning)"),
        "{}",
        terminal.seen()
    );
    terminal.press("/thoughts\r");
    terminal.wait_for("/thoughts");
    terminal.wait_for("otal");
    terminal.wait_for("› ");
    // Two lines form one prompt.
    terminal.press("run echo one \\\r&& echo two\r");
    terminal.wait_for("allow? [y/a/");
    terminal.press("n");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let history = fs::read_to_string(project.path().join("data/attache/chat_history")).unwrap();
    assert!(history.contains("rename total to sum"), "{history}");
}

#[test]
fn ctrl_c_cancels_the_turn_and_the_conversation_continues() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("/options mode auto\r");
    terminal.wait_for("auto › ");
    terminal.press("run sleep 1000\r");
    // Without a sandbox, the agent asks before a command in every mode.
    terminal.wait_for_one(&["allow? [", "◐"]);
    terminal.press("\u{3}");
    terminal.wait_for("cancelled");
    terminal.wait_for("› ");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

/// Users of clients report killed agents more often than any other problem.
#[test]
fn a_killed_agent_is_restarted_and_the_session_continues() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    let agents = agents(project.path());
    assert_eq!(agents.len(), 1, "{agents:?}");
    // SAFETY: the process is a child of the program that this test started.
    unsafe { libc::kill(agents[0], libc::SIGKILL) };
    terminal.wait_for("was restarted");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/switch\r");
    terminal.wait_for("* 1 help");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn earlier_sessions_are_listed_and_can_be_continued() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("where is total used\r");
    terminal.wait_for("main.rs");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
    let mut terminal = chat(&project);
    terminal.press("/switch\r");
    terminal.wait_for("where is total used");
    terminal.wait_for("› ");
    let number = if terminal.seen().contains(" 1 where is") { 1 } else { 2 };
    terminal.press(&format!("/switch {number}\r"));
    terminal.wait_for("› where is total used");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn without_a_terminal_the_message_says_what_to_do() {
    let ended = Project::empty().run(&[]);
    ended.failed(2, &["a conversation needs a terminal", "attache run"]);
}

/// An agent that repeats its prompt and ends the turn when the file `go` exists, or when it is
/// cancelled.
fn slow_agent(project: &Project) -> String {
    let script = r#"
import json, os, select, sys
def send(message): sys.stdout.write(json.dumps(dict(jsonrpc="2.0", **message)) + "\n"); sys.stdout.flush()
def say(text): send(dict(method="session/update", params=dict(sessionId="s", update=dict(sessionUpdate="agent_message_chunk", content=dict(type="text", text=text)))))
waiting, begun = None, b""
while True:
    ready = select.select([0], [], [], 0.02)[0]
    if waiting is not None and os.path.exists("go"):
        os.remove("go"); say("finished"); send(dict(id=waiting, result=dict(stopReason="end_turn"))); waiting = None
    if not ready: continue
    read = os.read(0, 65536)
    if not read: break
    begun += read
    *lines, begun = begun.split(b"\n")
    for line in lines:
        message = json.loads(line); method = message.get("method"); id = message.get("id")
        if method == "initialize": send(dict(id=id, result=dict(protocolVersion=1)))
        elif method == "session/new":
            send(dict(id=id, result=dict(sessionId="s")))
            send(dict(method="session/update", params=dict(sessionId="s", update=dict(sessionUpdate="available_commands_update", availableCommands=[dict(name="deploy", description="ships it")]))))
        elif method == "session/prompt": waiting = id; say("asked <%s> " % message["params"]["prompt"][0]["text"])
        elif method == "session/cancel" and waiting is not None: send(dict(id=waiting, result=dict(stopReason="cancelled"))); waiting = None
        elif id is not None and method: send(dict(id=id, error=dict(code=-32601, message="no")))
"#;
    let path = project.path().join("slow.py");
    fs::write(&path, script).unwrap();
    format!("python3 {}", path.display())
}

/// Starts a conversation with that agent and waits for its first prompt.
fn slow_chat(project: &Project, environment: &[(&str, &str)]) -> Terminal {
    let agent = slow_agent(project);
    let environment: Vec<_> = [("NO_COLOR", "1")].iter().chain(environment).copied().collect();
    let mut terminal = Terminal::start(project, &["chat", "--agent", &agent], &environment);
    terminal.wait_for("› ");
    terminal
}

#[test]
fn text_typed_during_a_turn_becomes_the_next_line() {
    for term in ["xterm", "dumb"] {
        let project = Project::empty();
        let mut terminal = slow_chat(&project, &[("TERM", term)]);
        terminal.press("first\r");
        terminal.wait_for("asked <first>");
        terminal.press("second\u{1b}[D\u{1b}[A\u{1b}OP\r");
        terminal.wait_for("becomes the start of your next line");
        terminal.press("line\r");
        fs::write(project.path().join("go"), "").unwrap();
        terminal.wait_for("finished");
        terminal.wait_for("› ");
        terminal.wait_for("second");
        terminal.wait_for("line");
        let shown = terminal.seen().to_owned();
        assert!(!shown.contains("^[") && !shown.contains("asked <second"), "{term}: {shown}");
        // The text is sent only when the person presses Enter.
        terminal.press(" more\r");
        terminal.wait_for("line more>");
        terminal.press("\u{3}");
        terminal.wait_for("cancelled");
        terminal.wait_for("› ");
        terminal.press("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn text_typed_before_a_cancellation_is_kept() {
    for term in ["xterm", "dumb"] {
        let project = Project::empty();
        let mut terminal = slow_chat(&project, &[("TERM", term)]);
        terminal.press("first\r");
        terminal.wait_for("asked <first>");
        // Everything arrives in one write, as some terminals send it.
        terminal.press("half a thought\u{3}");
        terminal.wait_for("cancelled");
        terminal.wait_for("› ");
        terminal.wait_for("half a thought");
        terminal.press(" and the rest\r");
        terminal.wait_for("asked <half a thought and the rest>");
        terminal.press("\u{3}");
        terminal.wait_for("cancelled");
        terminal.wait_for("› ");
        terminal.press("/quit\r");
        assert_eq!(terminal.end().0, Some(0), "{term}");
    }
}

/// Text that was typed before a question does not answer it, and is not lost.
#[test]
fn earlier_input_does_not_answer_a_question() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press(RENAME);
    terminal.press("yyyy");
    terminal.wait_for("allow? [y/a/");
    assert_eq!(project.main(), MAIN, "it was edited before the answer");
    terminal.press("n");
    terminal.wait_for("› ");
    terminal.press("\u{15}/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(project.main(), MAIN);
}

#[test]
fn a_conversation_works_in_every_terminal() {
    for term in ["dumb", "unknown", "", "no-such-terminal", "DUMB"] {
        let project = Project::new();
        let store = project.path().join("sessions.db");
        let environment =
            [("ATTACHE_STORE", store.to_str().unwrap()), ("TERM", term), ("NO_COLOR", "1")];
        let mut terminal = Terminal::start(&project, &["chat"], &environment);
        terminal.wait_for("ask › ");
        terminal.press("rename total to sum in main.rs\n");
        terminal.wait_for("allow? [y/a/");
        terminal.press("y");
        terminal.wait_for("is now ");
        terminal.wait_for("› ");
        // Two lines form one prompt, and Ctrl-C abandons a line.
        terminal.press("run echo one \\\n");
        terminal.press("&& echo two\n");
        terminal.wait_for("allow? [y/a/");
        terminal.press("n");
        terminal.wait_for("› ");
        terminal.press("/qu\u{3}");
        terminal.wait_for("› ");
        terminal.press("\u{4}");
        let (code, shown) = terminal.end();
        assert_eq!(
            (code, project.main()),
            (Some(0), MAIN.replace("total", "sum")),
            "{term}: {shown}"
        );
        let plain = term != "no-such-terminal";
        assert_eq!(shown.contains('\u{1b}'), !plain, "{term}: {shown:?}");
    }
}

#[test]
fn a_conversation_works_with_an_unknown_terminal_and_piped_lines() {
    let project = Project::new();
    let mut command = project.attache(&["chat"]);
    command.env_remove("TERM").env("NO_COLOR", "1");
    let mut terminal = Terminal::of(command, 80, None);
    terminal.wait_for("ask › ");
    terminal.press("help\n");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && !shown.contains('\u{1b}'), "{shown:?}");

    let lines = project.path().join("lines");
    fs::write(&lines, "where is total used\nrename total to sum in main.rs\n/hepl\n/quit").unwrap();
    let stdin = fs::File::open(&lines).unwrap();
    let mut terminal = Terminal::of(project.attache(&["chat"]), 80, Some(stdin.into()));
    // The person at the terminal still answers questions.
    terminal.wait_for("allow? [y/a/");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert!(code == Some(0) && shown.contains("did you mean /help?"), "{shown}");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
}

#[test]
fn an_unknown_command_is_refused_with_a_suggestion_and_a_path_is_sent() {
    let project = Project::empty();
    let mut terminal = slow_chat(&project, &[]);
    for (line, told) in [
        ("/hlep", "did you mean /help?"),
        ("/depoly now", "did you mean /deploy?"),
        ("/QUIT", "did you mean /quit?"),
        ("/frobnicate it", "/help lists the commands"),
    ] {
        terminal.press(&format!("{line}\r"));
        terminal.wait_for("Unknown command");
        terminal.wait_for(told);
        terminal.wait_for("› ");
    }
    assert!(!terminal.seen().contains("asked <"), "{}", terminal.seen());
    for (line, asked) in [
        ("/deploy now", "asked </deploy now>"),
        ("/etc/hosts is odd", "asked </etc/hosts is odd>"),
        ("//frobnicate it", "asked </frobnicate it>"),
        ("/ alone", "asked </ alone>"),
        ("/3 of them", "asked </3 of them>"),
    ] {
        terminal.press(&format!("{line}\r"));
        terminal.wait_for(asked);
        terminal.press("\u{3}");
        terminal.wait_for("cancelled");
        terminal.wait_for("› ");
    }
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn words_switch_to_the_only_matching_session() {
    let project = Project::new();
    let mut terminal = chat(&project);
    for prompt in ["where is total used", "where is main used", "show README.md"] {
        terminal.press(&format!("{prompt}\r"));
        terminal.wait_for("session “");
        terminal.wait_for("› ");
        terminal.press("/new\r");
        terminal.wait_for("A new session");
        terminal.wait_for("› ");
    }
    terminal.press("/switch readme\r");
    terminal.wait_for("\u{1b}[1mshow README.md");
    terminal.wait_for("› show README.md");
    terminal.wait_for("ask 0 % › ");
    // The first search has several matches, the second names one of them by its full title, and the
    // third has no match.
    terminal.press("/switch where is\r");
    terminal.wait_for("2 sessions match “where is”");
    terminal.wait_for("› ");
    terminal.press("/switch Where Is Main Used\r");
    terminal.wait_for("› where is main used");
    terminal.wait_for("ask 0 % › ");
    terminal.press("/switch nowhere to be found\r");
    terminal.wait_for("No session matches “nowhere to be found”; these are all");
    terminal.wait_for("› ");
    terminal.press("/switch 1\r");
    terminal.wait_for("\u{1b}[1m");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    // The searches leave out the program's own files: reading the store here would drop its locks.
    assert!(!terminal.seen().contains("chat_history:"), "{}", terminal.seen());
    assert_eq!(terminal.end().0, Some(0));
}

/// The agent and the client both store the conversation, in the same store.
#[test]
fn a_conversation_is_listed_once_and_deleted_completely() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("where is total used\r");
    terminal.wait_for("session “");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    let store = project.path().join("sessions.db");
    let sessions = |arguments: &[&str]| {
        let mut command = project.attache(&[&["sessions"], arguments].concat());
        Ended::from(command.env("ATTACHE_STORE", &store).output().unwrap())
    };
    let lines = |arguments: &[&str]| {
        sessions(arguments).stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let listed = lines(&["--json"]);
    assert!(listed.len() == 1 && listed[0].contains(r#""side":"agent""#), "{listed:#?}");
    assert_eq!(lines(&["search", "total", "--json"]).len(), 1);
    let id = serde_json::from_str::<serde_json::Value>(&listed[0]).unwrap()["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    // The start of the session's id is unambiguous.
    assert_eq!(sessions(&["tag", &id[..6], "+bug"]).code, Some(0));
    assert_eq!(lines(&["--tag", "bug", "--json"]).len(), 1);
    assert_eq!(sessions(&["archive", "last"]).code, Some(0));
    assert_eq!(lines(&["--json"]), Vec::<String>::new());
    assert_eq!(lines(&["--archived", "--json"]).len(), 1);
    assert_eq!(sessions(&["delete", "--yes", &id[..6]]).code, Some(0));
    assert_eq!(lines(&["--all", "--json"]), Vec::<String>::new());
}

#[test]
fn an_unwritable_home_is_reported_and_stops_nothing() {
    let project = Project::new();
    // Not even root can create files in this folder.
    let home = |command: &mut std::process::Command| {
        command
            .env_remove("ATTACHE_STORE")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME");
        command.env("HOME", "/proc/no-home");
    };
    let mut command = project.attache(&["chat"]);
    home(&mut command);
    let mut terminal = Terminal::of(command, 80, None);
    terminal.wait_for("this session will not be stored");
    terminal.wait_for("› ");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    let mut command = project.attache(&["run", "--yes", "rename total to sum in main.rs"]);
    home(&mut command);
    let ended = Ended::from(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("this session will not be stored"), "{ended:?}");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
}

#[test]
fn a_missing_agent_is_reported_as_in_run() {
    let project = Project::new();
    for (agent, says) in [
        ("no-such-agent", "`attache agents` lists the agents"),
        ("gemini", "npm install -g @google/gemini-cli"),
    ] {
        let without = [("PATH", "/nowhere"), ("SHELL", "/nowhere/sh"), ("NO_COLOR", "1")];
        let (code, chat) = Terminal::start(&project, &["chat", "--agent", agent], &without).end();
        let mut command = project.attache(&["run", "--agent", agent, "hello"]);
        let run = Ended::from(command.envs(without).output().unwrap());
        assert_eq!((code, run.code), (Some(3), Some(3)), "{chat} {run:?}");
        let told = |text: &str| {
            text.replace("\r\n", "\n").split_once("attache: ").unwrap().1.trim_end().to_owned()
        };
        assert_eq!(told(&chat), told(&run.stderr));
        assert!(chat.contains(says) && !chat.contains("/nowhere"), "{chat}");
    }
    let mut terminal = slow_chat(&project, &[]);
    terminal.press("/agent no-such-agent\r");
    terminal.wait_for("`attache agents` lists the agents");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn the_hidden_part_of_a_long_output_is_shown_on_request() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("run seq 1000 1100\r");
    // Without a sandbox the command needs permission.
    terminal.wait_for_one(&["allow? [", "more lines (/details shows them)"]);
    if terminal.seen().ends_with('[') {
        terminal.press("y");
        terminal.wait_for("more lines (/details shows them)");
    }
    terminal.wait_for("› ");
    terminal.press("/details\r");
    for number in [1000, 1050, 1100] {
        terminal.wait_for(&format!("{number}"));
    }
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
    let whole = project.run(&["run", "--yes", "--verbose", "run seq 1000 1100"]);
    assert!(whole.stderr.contains("1050") && !whole.stderr.contains("more lines"), "{whole:?}");
}

/// Returns the process ids of the agents that were started in this folder.
pub(crate) fn agents(folder: &Path) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let command = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let is_here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
        if is_here && command.split('\0').nth(1) == Some("agent") {
            found.push(pid);
        }
    }
    found
}

#[test]
fn a_waiting_line_says_how_to_cancel() {
    let project = Project::new();
    let agent = Script { prompt: "sleep 60", ..Script::default() }.install(&project);
    let mut terminal = Terminal::start(&project, &["chat", "--agent", &agent], &[]);
    terminal.wait_for("› ");
    terminal.press("hello\r");
    terminal.wait_for(" s; Ctrl-C cancels");
    terminal.press("\x03");
    terminal.wait_for("cancelling");
    terminal.press("\x03");
}
