//! An agent for runs of the full screen: the prompt says what it does.

use crate::project::Project;
use crate::screen::Screen;
use std::fs;

/// The agent. Its sessions are `s1`, `s2` and so on. It answers a prompt by its first word:
///
/// - `form` asks for a name and a colour, and `page` asks to open a page;
/// - `run` asks for permission to run a command;
/// - `wait` ends the turn when the file `go` exists;
/// - `many` answers with 300 messages, of 2 KB each;
/// - others are repeated.
///
/// While the file `slow` exists, it does not answer `session/load`. If the file `closed` exists, it
/// needs a login, which removes the file.
const AGENT: &str = r#"
import json, os, select, sys
def send(**message): sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n"); sys.stdout.flush()
def update(session, **update): send(method="session/update", params=dict(sessionId=session, update=update))
def say(session, text, id): update(session, sessionUpdate="agent_message_chunk", messageId=id, content=dict(type="text", text=text))
numbers, asked, waiting, loading, begun = iter(range(1, 1000000)), {}, [], [], b""
def ask(method, prompt, params):
    id = "ask-%d" % next(numbers); asked[id] = prompt; send(id=id, method=method, params=params)
def end(prompt, text):
    session, id = prompt; say(session, text, "m%d-%d" % (os.getpid(), next(numbers))); send(id=id, result=dict(stopReason="end_turn"))
def prompted(session, id, text):
    word, prompt = text.split()[0], (session, id)
    if word == "form": ask("elicitation/create", prompt, dict(sessionId=session, mode="form", message="Who are you?", requestedSchema=dict(type="object", required=["name"], properties=dict(name=dict(type="string", title="Your name"), colour=dict(type="string", title="Colour", enum=["red", "green"])))))
    elif word == "page": ask("elicitation/create", prompt, dict(sessionId=session, mode="url", elicitationId="e1", url="https://pay.example.org/invoice/7", message="Please pay the invoice"))
    elif word == "run": ask("session/request_permission", prompt, dict(sessionId=session, toolCall=dict(toolCallId="call-%s" % id, title="Ship it", kind="execute", status="pending", rawInput=dict(command="make " + text)), options=[dict(optionId="yes", name="Yes", kind="allow_once"), dict(optionId="no", name="No", kind="reject_once")]))
    elif word == "wait": say(session, "waiting", "w%s" % id); waiting.append(prompt)
    elif word == "many":
        for number in range(300): say(session, "message %d. %s" % (number, "word " * 400), "m%d-%s-%d" % (os.getpid(), id, number))
        end(prompt, "that was all")
    else: end(prompt, "asked <%s>" % text)
while True:
    ready = select.select([0], [], [], 0.02)[0]
    if waiting and os.path.exists("go"): os.remove("go"); [end(prompt, "finished") for prompt in waiting]; waiting = []
    if loading and not os.path.exists("slow"): [send(id=id, result={}) for id in loading]; loading = []
    if not ready: continue
    read = os.read(0, 65536)
    if not read: break
    begun += read
    *lines, begun = begun.split(b"\n")
    for line in lines:
        message = json.loads(line); method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        session = params.get("sessionId")
        if method == "initialize": send(id=id, result=dict(protocolVersion=1, agentCapabilities=dict(loadSession=True, auth={}), authMethods=[dict(id="oauth", name="Robot account")]))
        elif method == "authenticate": os.remove("closed"); send(id=id, result={})
        elif method == "session/new" and os.path.exists("closed"): send(id=id, error=dict(code=-32000, message="Who are you?"))
        elif method == "session/new":
            with open("count", "a+") as count: count.write("x"); count.flush(); number = count.tell()
            send(id=id, result=dict(sessionId="s%d" % number))
        elif method == "session/load": loading.append(id)
        elif method == "session/prompt": prompted(session, id, params["prompt"][0]["text"])
        elif method == "session/cancel":
            [send(id=each[1], result=dict(stopReason="cancelled")) for each in waiting if each[0] == session]
            waiting = [each for each in waiting if each[0] != session]
        elif id in asked: end(asked.pop(id), "answer " + json.dumps(message.get("result") or message.get("error"), sort_keys=True))
        elif id is not None and method: send(id=id, error=dict(code=-32601, message="no"))
"#;

/// Writes the agent and returns the command that starts it.
pub(crate) fn install(project: &Project) -> String {
    let path = project.path().join("agent.py");
    fs::write(&path, AGENT).unwrap();
    format!("python3 {}", path.display())
}

/// Starts the screen with the agent, and waits until the session is open.
pub(crate) fn open(project: &Project, arguments: &[&str], size: (u16, u16)) -> Screen {
    let agent = install(project);
    let all: Vec<&str> = [&["--agent", &agent], arguments].concat();
    let mut screen = Screen::start(project, &all, size);
    screen.until("help");
    screen.until_gone("starting");
    screen.until_gone("opening the session");
    screen
}

/// Ends the screen, and returns the id of the session that was shown.
pub(crate) fn quit(mut screen: Screen) -> String {
    screen.press("\x11");
    let (code, after) = screen.end();
    assert_eq!(code, Some(0), "{after}");
    let id = after.split("--resume ").nth(1).and_then(|rest| rest.split_whitespace().next());
    id.unwrap_or_else(|| panic!("no session is named: {after}")).to_owned()
}
