//! Notifications of the hub for a person who looks at no front end.

use super::hub::{Home, RunningHub};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

/// Lets the next hub open a session whose agent asks for permission at once.
fn open_asking_session(home: &Home) {
    let question = json!({
        "jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": {
            "sessionId": "s", "toolCall": { "toolCallId": "t", "title": "Read the s3cret plan" },
            "options": [{ "optionId": "y", "name": "Yes", "kind": "allow_once" }],
        },
    });
    let script = format!(
        r#"reply() {{ printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$1"; }}
env >"{home}/agent-env"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*)
      reply '{{"protocolVersion":1,"agentCapabilities":{{"loadSession":true}}}}' ;;
    *'"session/load"'*) reply '{{}}'; printf '%s\n' '{question}' ;;
  esac
done
"#,
        home = home.path().display()
    );
    let agent = home.path().join("agent.sh");
    fs::write(&agent, script).unwrap();
    let agent = format!("sh {}", agent.display());
    let list = json!([{ "agent": agent, "id": "s", "cwd": home.path() }]);
    fs::write(home.sessions_file(), list.to_string()).unwrap();
}

/// Waits until the program has written the notice to the file.
fn written(file: &Path) -> Value {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Ok(notice) = serde_json::from_str(&text) {
            return notice;
        }
        assert!(Instant::now() < deadline, "no notice: {text:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_question_that_waits_reaches_the_program_and_the_server_of_the_person() {
    let home = Home::new();
    let file = home.path().join("notice.json");
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", server.local_addr().unwrap());
    let command = format!("tee '{}'", file.display());
    for (key, value) in [
        ("hub.notify_command", command.as_str()),
        ("hub.notify_url", url.as_str()),
        ("hub.notify_after", "0"),
    ] {
        let set = home.run(&["config", "set", key, value]);
        assert_eq!(set.code, Some(0), "{set:?}");
    }
    open_asking_session(&home);
    let mut hub = home.attache(&["serve", "--port", "0", "--json"]);
    hub.env("ATTACHE_NOTIFY_TOKEN", "t0ken");
    let hub = RunningHub::spawn(hub);
    let notice = written(&file);
    let (mut stream, _) = server.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        let mut part = [0; 1024];
        let length = stream.read(&mut part).unwrap();
        assert_ne!(length, 0);
        request.extend_from_slice(&part[..length]);
    }
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    let request = String::from_utf8(request).unwrap();
    drop(hub);

    assert_eq!((&notice["kind"], &notice["sessionId"]), (&json!("question"), &json!("s")));
    let link = notice["link"].as_str().unwrap();
    assert!(link.starts_with("http://127.0.0.1:") && link.ends_with("/s"), "{link}");
    assert!(!notice.to_string().contains("s3cret"), "{notice}");
    assert!(request.contains("Bearer t0ken") || request.contains("bearer t0ken"), "{request}");
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), notice);
    let environment = fs::read_to_string(home.path().join("agent-env")).unwrap();
    assert!(!environment.contains("t0ken"), "an agent gets the token");
}
