//! Agents cannot use the hub that runs them.

use super::hub::Home;
use std::process::Command;

/// An agent, a child of it, and a process that left its session and whose parent has ended: none of
/// them can see or end the hub.
#[test]
fn no_process_of_an_agent_can_use_the_hub() {
    let home = Home::new();
    let attache = env!("CARGO_BIN_EXE_attache");
    home.open_session_of(
        &format!(
            "try() {{ {attache} serve $1 >$2 2>&1; echo \"exit $?\" >>$2; echo $2 >>log; }}
{attache} serve stop >by-agent 2>&1; echo \"exit $?\" >>by-agent; echo by-agent >>log
(try restart by-child)
(setsid sh -c '{attache} serve status >by-orphan 2>&1; echo by-orphan >>log' &)"
        ),
        "exit",
    );
    let hub = home.start(&["serve", "--json"]);
    let described = hub.first_line();
    home.wait_for("by-orphan");
    home.wait_for("session/load");
    for file in ["by-agent", "by-child", "by-orphan"] {
        let said = std::fs::read_to_string(home.path().join(file)).unwrap();
        assert!(said.contains("an agent of this hub started this program"), "{file}: {said}");
        assert!(!said.contains("exit 0"), "{file}: {said}");
    }
    assert_eq!(home.status()["pid"], described["pid"], "the hub runs, and serves the person");
}

/// A process that kills the guardian of its agent is still a descendant of the hub.
#[test]
fn a_process_without_its_guardian_cannot_use_the_hub() {
    let home = Home::new();
    let attache = env!("CARGO_BIN_EXE_attache");
    home.open_session_of(
        &format!(
            "[ -e freed ] || {{ touch freed; (setsid sh -c \"kill -9 $PPID
  while kill -0 $PPID 2>/dev/null; do :; done
  {attache} serve status >by-freed 2>&1; echo by-freed >>log\" &) ; }}"
        ),
        "exit",
    );
    let hub = home.start(&["serve", "--json"]);
    let described = hub.first_line();
    home.wait_for("by-freed");
    let said = std::fs::read_to_string(home.path().join("by-freed")).unwrap();
    assert!(said.contains("an agent of this hub started this program"), "{said}");
    assert_eq!(home.status()["pid"], described["pid"]);
}

/// A command of the built-in agent sees neither the socket nor the hub.
#[test]
fn a_sandboxed_command_cannot_reach_the_hub() {
    let home = Home::new();
    let hub = home.start(&["serve", "--json"]);
    let described = hub.first_line();
    let socket = described["socket"].as_str().unwrap();
    let attache = env!("CARGO_BIN_EXE_attache");
    let prompt = format!("run {attache} serve stop; cat {socket}; echo done");
    let mut command = home.attache(&["run", "--yes", "-v", &prompt]);
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("done"), "{said}");
    assert!(!said.contains("has ended"), "{said}");
    assert_eq!(home.status()["pid"], described["pid"]);
    // Outside of the sandbox, the same command ends the hub.
    let stopped = Command::new(attache)
        .args(["serve", "stop"])
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&stopped.stdout).contains("has ended"), "{stopped:?}");
    assert_eq!(hub.ended().code, Some(0));
}
