//! The person's keys and the program's own files, which commands in a sandbox cannot read.

use crate::agent::{Agent, said};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns whether a sandbox works here, according to the program.
fn has_sandbox() -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_attache")).arg("doctor").output().unwrap();
    !String::from_utf8_lossy(&output.stdout).contains("every command needs your permission")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_command_cannot_read_keys_settings_sessions_checkpoints_or_tokens() {
    if !has_sandbox() {
        return;
    }
    // The folder is not in `/tmp`, which bubblewrap hides.
    let own = tempfile::tempdir_in("/var/tmp").unwrap();
    let (settings, data) = (own.path().join("settings"), own.path().join("data"));
    let state = own.path().join("state");
    let token = state.join("attache/hub-default.devices/token");
    write(&token, "hush\n");
    write(&settings.join("attache/keys.toml"), "openai = \"hush\"\n");
    write(&data.join("attache/chat_history"), "hush\n");
    let checkpoints = own.path().join("checkpoints");
    write(&checkpoints.join("checkpoints.db"), "hush\n");
    let variables = [
        ("XDG_CONFIG_HOME", settings.as_path()),
        ("XDG_DATA_HOME", data.as_path()),
        ("XDG_STATE_HOME", state.as_path()),
        ("ATTACHE_CHECKPOINTS", checkpoints.as_path()),
    ];
    let mut agent = Agent::start_with(&variables, None, json!({}));
    let home = agent.home().to_owned();
    let mut files = vec![
        settings.join("attache/keys.toml"),
        data.join("attache/chat_history"),
        checkpoints.join("checkpoints.db"),
        token,
    ];
    for name in
        [".npmrc", ".cargo/credentials.toml", ".ssh/id_ed25519", ".config/gh/hosts.yml", ".netrc"]
    {
        write(&home.join(name), "hush\n");
        files.push(home.join(name));
    }
    files.extend([
        home.join("sessions.db"),
        home.join("sessions.db-wal"),
        "/etc/shadow".into(),
        "/etc/gshadow".into(),
    ]);
    let files: Vec<String> = files.iter().map(|file| format!("'{}'", file.display())).collect();
    write(
        &agent.path().join("program"),
        &format!("wc -c {} | grep -v ' 0 '; echo end", files.join(" ")),
    );
    let session = agent.session("auto");
    let id = agent.prompt(&session, "run sh program");
    let text = said(&agent.turn(id));
    assert!(text.contains("end\n"), "{text}");
    let read: Vec<&str> =
        text.lines().filter(|line| line.contains('/') && !line.starts_with("wc:")).collect();
    assert_eq!(read, Vec::<&str>::new(), "{text}");
    assert!(fs::metadata(home.join("sessions.db")).unwrap().len() > 0);
}
