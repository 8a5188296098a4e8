//! Bad input for the screen: agents that flood, die or send control characters, terminals of any
//! size, and sessions of a newer program.

use super::{LEFT, Screen, write_editor};
use crate::project::Project;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// An agent that does what the prompt says: its first word names a function, and a second word is a
/// number.
const AGENT: &str = r##"
import json, os, sys, time
def send(**message): sys.stdout.write(json.dumps(dict(jsonrpc="2.0", **message)) + "\n")
def update(what, **members): send(method="session/update", params=dict(sessionId="s", update=dict(sessionUpdate=what, **members)))
def text(it): return dict(type="text", text=it)
def say(it): update("agent_message_chunk", content=text(it))
def call(number, title="Read", **members): update("tool_call", toolCallId="c%d" % number, title=title, **members)
def receive():
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line: sys.exit()
    return json.loads(line)
def reply_to(id):
    while True:
        message = receive()
        if message.get("id") == id and "method" not in message: return message
        if message.get("method") == "session/cancel": return None
def ask(id, number):
    options = [dict(optionId="y", name="Yes", kind="allow_once"), dict(optionId="n", name="No", kind="reject_once")]
    send(id=id, method="session/request_permission", params=dict(sessionId="s", options=options,
        toolCall=dict(toolCallId="c%d" % number, title="Build", kind="execute", rawInput=dict(command="make all"))))

def chunks(count):
    for number in range(count): say("chunk %d of many\n\n" % number)
def dies(_): say("these are my last words"); sys.stdout.flush(); os._exit(9)
def controls(_):
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[?1049l\x1b[31mred\x9b2J\u202e\x00\x08\r"
    update("session_info_update", title="title " + evil)
    update("plan", entries=[dict(content="plan " + evil, priority="high", status="pending")])
    call(1, "tool " + evil, kind="execute", status="completed", rawInput=dict(command="command " + evil), content=[dict(type="content", content=text("output " + evil))])
    update("available_commands_update", availableCommands=[dict(name="name" + evil, description="description " + evil)])
    say("said " + evil)
def wide(_):
    update("session_info_update", title="\u6f22\U0001f469\u200d\U0001f469\u200d\U0001f467e\u0301" * 5000)
    call(1, "\u6f22" * 100000, status="completed")
    say("\u6f22\u5b57 " * 20000 + "\n\n" + "a" + "\u0301" * 100000)
def calls(count):
    for number in range(count):
        call(number, "Call %d" % number, status="pending", kind="read", locations=[dict(path="/p/%d" % number)])
        update("tool_call_update", toolCallId="c%d" % number, status="completed", content=[dict(type="content", content=text("the content of file %d" % number))])
def output(megabytes):
    send(id=900, method="terminal/create", params=dict(sessionId="s", command="sh", args=["-c", "head -c %d000000 /dev/zero | tr '\\0' x; echo; echo the last line" % megabytes]))
    id = reply_to(900)["result"]["terminalId"]
    call(1, "Build", kind="execute", status="in_progress", content=[dict(type="terminal", terminalId=id)])
    send(id=901, method="terminal/wait_for_exit", params=dict(sessionId="s", terminalId=id))
    reply_to(901)
    update("tool_call_update", toolCallId="c1", status="completed")
def asks(count):
    for number in range(count): ask(1000 + number, number)
    answered = 0
    while answered < count:
        message = receive()
        answered += "method" not in message
def works(count):
    for number in range(count):
        ask(1000 + number, number)
        while not number and not os.path.exists("started"):
            message = receive()
            if message.get("id") == 1000: open("started", "w").close()
        if number: reply_to(1000 + number)
        while not os.path.exists("go"): time.sleep(0.02)
    open("all", "w").close()

while True:
    message = receive()
    method, id = message.get("method"), message.get("id")
    if method == "initialize": send(id=id, result=dict(protocolVersion=1, agentCapabilities=dict(sessionCapabilities=dict(resume={}))))
    elif method == "session/new": send(id=id, result=dict(sessionId="s"))
    elif method == "session/prompt":
        words = message["params"]["prompt"][0]["text"].split()
        if words[0] in globals():
            globals()[words[0]](int(words[1]) if len(words) > 1 else 0)
        say("\n\nthe turn of %s is done\n" % words[0])
        send(id=id, result=dict(stopReason="end_turn"))
    elif id is not None and method: send(id=id, result={})
"##;

/// Starts the screen with that agent in a terminal of this size.
fn open(project: &Project, arguments: &[&str], size: (u16, u16)) -> Screen {
    let path = project.path().join("agent.py");
    fs::write(&path, AGENT).unwrap();
    let agent = format!("python3 {}", path.display());
    Screen::start(project, &[&["--agent", &agent], arguments].concat(), size)
}

fn opened(project: &Project, size: (u16, u16)) -> Screen {
    let mut screen = open(project, &[], size);
    screen.until("Write what to do");
    screen
}

impl Screen {
    /// Sends a prompt and waits until its turn has ended.
    #[track_caller]
    fn turn(&mut self, prompt: &str) -> String {
        self.press(&format!("{prompt}\r"));
        let done = format!("the turn of {} is done", prompt.split(' ').next().unwrap());
        self.until(&done)
    }

    /// The largest memory of the program so far, in MB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }
}

#[test]
fn a_flood_of_chunks_is_shown_to_its_end_and_typed_text_remains() {
    let project = Project::new();
    let mut screen = opened(&project, (80, 24));
    screen.press("chunks 20000\r");
    screen.until("of many");
    screen.press("typed meanwhile");
    let shown = screen.until("the turn of chunks is done");
    assert!(shown.contains("chunk 19999 of many"), "{shown}");
    screen.until("› typed meanwhile");
    screen.quits_with("\x11");
}

#[test]
fn an_agent_that_dies_in_its_turn_starts_again() {
    let project = Project::new();
    let mut screen = opened(&project, (100, 30));
    screen.press("dies\r");
    screen.until("these are my last words");
    screen.until("restarted");
    screen.turn("chunks 3");
    screen.quits_with("\x04");
}

#[test]
fn control_characters_of_an_agent_do_not_reach_the_terminal() {
    let project = Project::new();
    let mut screen = opened(&project, (100, 40));
    let shown = screen.turn("controls");
    assert!(shown.contains("said") && shown.contains("› "), "{shown}");
    screen.press("/name");
    screen.until("description");
    let all = String::from_utf8_lossy(&screen.bytes).into_owned();
    for evil in ["\x1b]0;owned", LEFT, "\x1b[31m", "\u{9b}", "\u{202e}", "\0", "\x08"] {
        assert!(!all.contains(evil), "the terminal got {evil:?}");
    }
    screen.quits_with("\x11");
}

#[test]
fn wide_titles_and_long_marks_leave_the_composer_visible() {
    for size in [(40, 12), (120, 40)] {
        let project = Project::new();
        let mut screen = opened(&project, size);
        screen.turn("wide");
        screen.press("/new\r");
        // The list of tabs has the title.
        screen.until("1 \u{6f22}");
        screen.press("typed");
        screen.until("› typed");
        screen.quits_with("\x11");
    }
}

#[test]
fn many_tool_calls_take_little_memory() {
    let project = Project::new();
    let mut screen = opened(&project, (80, 24));
    screen.turn("chunks 100");
    let before = screen.peak();
    let shown = screen.turn("calls 10000");
    assert!(shown.contains("Call 9999"), "{shown}");
    let grown = screen.peak() - before;
    assert!(grown < 100, "10,000 tool calls take {grown} MB");
    screen.quits_with("\x04");
}

#[test]
fn a_tool_output_of_100_mb_takes_little_memory() {
    let project = Project::new();
    let mut screen = opened(&project, (80, 24));
    let before = screen.peak();
    screen.press("output 100\r");
    screen.until("yes");
    screen.answer("y");
    screen.until("the turn of output is done");
    let shown = screen.text();
    assert!(shown.contains("the last line"), "{shown}");
    let grown = screen.peak() - before;
    assert!(grown < 100, "an output of 100 MB takes {grown} MB");
    screen.press("!head -c 5000000 /dev/zero | tr '\\0' x; echo; echo shell ended\r");
    screen.until("│ shell ended");
    let grown = screen.peak() - before;
    assert!(grown < 150, "both outputs take {grown} MB");
    screen.quits_with("\x04");
}

#[test]
fn ten_thousand_permission_requests_leave_the_screen_usable() {
    let project = Project::new();
    let mut screen = opened(&project, (100, 30));
    let before = screen.peak();
    screen.press("asks 10000\r");
    screen.until("make all");
    screen.answer("\x1b");
    screen.until("the turn of asks is done");
    let grown = screen.peak() - before;
    assert!(grown < 100, "10,000 requests take {grown} MB");
    screen.turn("chunks 3");
    screen.quits_with("\x04");
}

#[test]
fn a_terminal_whose_size_always_changes_shows_the_end() {
    let project = Project::new();
    let mut screen = opened(&project, (80, 24));
    screen.press("chunks 5000\r");
    screen.until("of many");
    let sizes = [(10, 3), (300, 100), (1, 1), (40, 12), (39, 12), (120, 40), (2, 200)];
    for (columns, rows) in sizes.into_iter().cycle().take(200) {
        screen.resize(columns, rows);
        thread::sleep(Duration::from_millis(2));
    }
    screen.resize(80, 24);
    let rule = "─".repeat(80);
    screen.until_that("the end", |shown| {
        let is_whole = shown.lines().count() == 24 && shown.contains(&rule);
        is_whole && shown.contains("the turn of chunks is done")
    });
    // A screen that is too small takes no text, and this frame may come from another size.
    screen.answer("after all");
    screen.until("› after all");
    screen.quits_with("\x11");
}

#[test]
fn the_smallest_terminal_says_what_it_needs_and_a_key_ends_it() {
    for size in [(10, 3), (1, 1)] {
        let project = Project::new();
        let mut screen = open(&project, &[], size);
        screen.until_that("anything", |shown| shown.contains('T'));
        screen.quits_with("\x11");
    }
}

#[test]
fn a_closed_terminal_ends_the_screen_in_the_middle_of_a_flood() {
    let project = Project::new();
    let mut screen = opened(&project, (80, 24));
    screen.press("chunks 100000\r");
    screen.until("of many");
    let Screen { mut child, terminal, .. } = screen;
    drop(terminal);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{status:?}");
}

#[test]
fn decisions_by_a_rule_do_not_wait_for_the_editor() {
    let project = Project::new();
    write_editor(
        &project,
        "touch go; until [ -e all ]; do sleep 0.05; done; echo 'written later' >\"$1\"",
    );
    let mut screen = opened(&project, (100, 30));
    screen.press("works 40\r");
    screen.until("make all");
    screen.answer("a");
    screen.until("remembered");
    screen.press("\x07");
    screen.until("written later");
    screen.until("the turn of works is done");
    screen.quits_with("\x11");
}

fn store(project: &Project) -> PathBuf {
    project.path().join("sessions.db")
}

#[test]
fn a_store_of_a_newer_program_is_named_and_stays_as_it_is() {
    let project = Project::new();
    let mut screen = opened(&project, (100, 30));
    screen.turn("chunks 3");
    screen.quits_with("\x04");
    // The version is at this place of a database file.
    let file = OpenOptions::new().write(true).open(store(&project)).unwrap();
    file.write_all_at(&99_u32.to_be_bytes(), 60).unwrap();
    let before = fs::read(store(&project)).unwrap();
    let mut screen = open(&project, &[], (100, 30));
    screen.until("a newer program wrote the store");
    screen.turn("chunks 4");
    screen.quits_with("\x04");
    assert!(fs::read(store(&project)).unwrap() == before, "the store was changed");
}
