//! Files of an earlier build: this build reads them, and recovers the intact part of a damaged one.

use crate::project::{Ended, Project};
use crate::screen_program::Screen;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The folder of the project in the saved files.
const FOLDER: &str = "/home/ann/tally";

fn saved(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saved").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(saved(name)).unwrap()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs the program with this store.
fn with(project: &Project, store: &Path, arguments: &[&str]) -> Ended {
    project.attache(arguments).env("ATTACHE_STORE", store).output().unwrap().into()
}

/// Copies the saved store beside a project.
fn stored(project: &Project) -> PathBuf {
    let store = project.path().join("sessions.db");
    fs::copy(saved("sessions.db"), &store).unwrap();
    store
}

/// Creates a folder whose path is as long as the path in the stores, so that it can replace that
/// path in their bytes.
pub(crate) fn moved_folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("at-").rand_bytes(7).tempdir_in("/tmp").unwrap();
    assert_eq!(folder.path().to_str().unwrap().len(), FOLDER.len());
    fs::write(folder.path().join("README.md"), "# Tally\n").unwrap();
    folder
}

/// Returns the bytes of a saved store whose sessions are in `folder` instead.
pub(crate) fn moved(store: &str, folder: &Path) -> Vec<u8> {
    let path = folder.to_str().unwrap();
    let mut bytes = fs::read(saved(store)).unwrap();
    let places: Vec<usize> = bytes
        .windows(FOLDER.len())
        .enumerate()
        .filter(|(_, part)| *part == FOLDER.as_bytes())
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at..at + FOLDER.len()].copy_from_slice(path.as_bytes());
    }
    bytes
}

/// Copies the saved files of a folder of the home.
pub(crate) fn copy_home(from: &str, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(saved("home").join(from)).unwrap() {
        let entry = entry.unwrap();
        let copy = to.join(entry.file_name());
        fs::copy(entry.path(), &copy).unwrap();
        // A checkout does not keep that only the person can read them.
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn members(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_sessions_are_listed_shown_and_found() {
    let project = Project::new();
    let store = stored(&project);
    let listed = with(&project, &store, &["sessions", "--all", "--json"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""), "{listed:#?}");
    let by_id = |text: &str| -> BTreeMap<String, Value> {
        let sessions = objects(text).into_iter();
        sessions
            .map(|session| (session["sessionId"].as_str().unwrap().to_owned(), session))
            .collect()
    };
    let (now, then) = (by_id(&listed.stdout), by_id(&text("json/sessions.jsonl")));
    assert_eq!(then.len(), 10);
    for (id, then) in &then {
        let now = &now[id];
        for (member, value) in then.as_object().unwrap() {
            // These members may have changed since the list was saved.
            if !["archived", "updatedAt", "events", "prompts", "title", "shownTitle", "tags"]
                .contains(&member.as_str())
            {
                assert_eq!(now.get(member), Some(value), "{member} of {id}");
            }
            assert!(now.get(member).is_some(), "{member} of {id}");
        }
        let shown = with(&project, &store, &["sessions", "show", id, "--thoughts"]);
        assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{shown:#?}");
        let log = with(&project, &store, &["sessions", "show", id, "--json"]);
        assert_eq!(log.code, Some(0), "{log:#?}");
        assert!(objects(&log.stdout).iter().all(|event| event["v"] == 1), "{id}");
    }
    let found = with(&project, &store, &["sessions", "search", "numbers"]);
    assert!(found.stdout.contains("think about numbers"), "{found:#?}");
}

#[test]
fn a_session_continues() {
    let folder = moved_folder();
    let path = folder.path().to_str().unwrap();
    let project = Project::new();
    let store = project.path().join("sessions.db");
    fs::write(&store, moved("sessions.db", folder.path())).unwrap();
    let id = objects(&text("json/resumed.jsonl"))[1]["sessionId"].as_str().unwrap().to_owned();
    let ended = with(&project, &store, &["run", "--json", "--cwd", path, "--resume", &id, "help"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let session =
        objects(&ended.stdout).into_iter().find(|line| line["event"] == "session").unwrap();
    assert_eq!(
        (session["sessionId"].as_str(), session["opened"].as_str()),
        (Some(id.as_str()), Some("loaded"))
    );
    let shown = with(&project, &store, &["sessions", "show", &id]).stdout;
    assert!(shown.contains("help"), "{shown}");
}

#[test]
fn the_rules_apply_and_the_decisions_are_shown() {
    let project = Project::new();
    let (config, data) =
        (project.path().join(".no-settings/attache"), project.path().join("data/attache"));
    for (folder, name) in [
        (&config, "permissions.toml"),
        (&config, "client-permissions.txt"),
        (&data, "client-permissions.jsonl"),
    ] {
        fs::create_dir_all(folder).unwrap();
        fs::copy(saved(name), folder.join(name)).unwrap();
    }
    let run = |arguments: &[&str]| -> Ended {
        let mut command = project.attache(arguments);
        command.env("ATTACHE_STORE", project.path().join("sessions.db"));
        command.env("XDG_DATA_HOME", project.path().join("data")).output().unwrap().into()
    };
    let listed = run(&["permissions"]);
    assert_eq!(listed.code, Some(0), "{listed:#?}");
    for rule in text("client-permissions.txt").lines().filter(|line| !line.starts_with('#')) {
        assert!(listed.stdout.contains(rule), "it lacks {rule}: {}", listed.stdout);
    }
    // 11 rules of the built-in agent, and 5 of the client.
    assert!(
        listed.stdout.contains("\n 16  ") && !listed.stdout.contains("\n 17  "),
        "{}",
        listed.stdout
    );
    let audit = run(&["permissions", "audit", "--json"]);
    let (now, then) = (objects(&audit.stdout), objects(&text("client-permissions.jsonl")));
    assert_eq!((now.len(), then.len()), (3, 3), "{audit:#?}");
    for then in &then {
        let same = |now: &&Value| {
            now["at"] == then["at"]
                && now["title"] == then["title"]
                && now["verdict"] == then["verdict"]
        };
        let now = now.iter().find(same).unwrap_or_else(|| panic!("it lacks {then}: {audit:#?}"));
        assert!(members(now).is_superset(&members(then)), "{now}");
    }
    let doctor = run(&["doctor"]).stdout;
    assert!(doctor.contains("permissions.toml  (16 rules"), "{doctor}");
    for name in ["permissions.toml", "client-permissions.txt"] {
        let backup = fs::read_to_string(config.join(format!("{name}.v1"))).unwrap();
        assert_eq!(backup, text(name), "the old file is kept");
    }
}

#[test]
fn the_settings_keys_agents_and_models_stay() {
    let project = Project::new();
    copy_home("config/attache", &project.path().join(".no-settings/attache"));
    let run = |arguments: &[&str]| -> Ended {
        let mut command = project.attache(arguments);
        for name in ["ATTACHE_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "LAB_API_KEY"] {
            command.env_remove(name);
        }
        command.env("HOME", project.path()).output().unwrap().into()
    };
    let config = run(&["config", "--json"]);
    assert_eq!((config.code, config.stderr.as_str()), (Some(0), ""), "{config:#?}");
    assert!(!config.stdout.contains("key-of-ann"), "{config:#?}");
    let lines = objects(&config.stdout);
    assert!(lines.iter().all(|line| line["trouble"].is_null()), "{lines:#?}");
    for (key, value) in [
        ("model", "offline"),
        ("fallback", "openai/gpt-5-mini"),
        ("mode", "edit"),
        ("titles", "off"),
        ("thought_level", "high"),
        ("base_url.openai", "http://localhost:8080/v1"),
    ] {
        let line = lines.iter().find(|line| line["key"] == key).unwrap();
        assert_eq!(line["value"], value, "{line}");
    }
    let keys = lines.iter().filter(|line| line["keySet"] == true);
    let keys: Vec<_> = keys.map(|line| line["provider"].as_str().unwrap()).collect();
    assert_eq!(keys, ["anthropic", "openai"]);
    assert!(lines.iter().any(|line| line["provider"] == "lab"), "{lines:#?}");

    let agents = objects(&run(&["agents", "--json"]).stdout);
    let commands: Vec<_> = agents
        .iter()
        .filter(|agent| agent["source"] == "own")
        .map(|agent| (agent["name"].as_str().unwrap(), agent["command"].as_str().unwrap()))
        .collect();
    assert_eq!(commands, [("mine", "my-agent --acp 'a b'"), ("other", "python3 agent.py")]);
    let doctor = run(&["doctor"]).stdout;
    assert!(!doctor.contains("your own list"), "the list of models is read: {doctor}");
}

#[test]
fn the_history_of_prompts_stays() {
    let project = Project::new();
    copy_home("data/attache", &project.path().join("data/attache"));
    let mut command = project.attache(&[]);
    command
        .env("XDG_DATA_HOME", project.path().join("data"))
        .env("ATTACHE_STORE", project.path().join("data/attache/sessions.db"))
        .env("NO_COLOR", "1");
    let mut screen = Screen::run(command, (100, 30));
    screen.until("? help");
    screen.until("Offline");
    for prompt in ["› where is `total` used?", "› summarize this project", "› help"] {
        screen.press("\x1b[A");
        screen.until(prompt);
    }
    screen.press("\x15\x15");
    screen.until_gone("› help");
    screen.press("\x04");
    assert_eq!(screen.end().0, Some(0));
}

/// Returns the members that all lines of an event have.
fn by_event(lines: &[Value]) -> BTreeMap<String, BTreeSet<String>> {
    let mut events: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines {
        let event = line["event"].as_str().unwrap_or_default().to_owned();
        events.entry(event).or_default().extend(members(line));
    }
    events
}

#[test]
fn output_for_scripts_keeps_its_members() {
    let mut then = Vec::new();
    for entry in fs::read_dir(saved("json")).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("sessions.jsonl") {
            then.extend(objects(&fs::read_to_string(path).unwrap()));
        }
    }
    let project = Project::new();
    let store = project.path().join("sessions.db");
    let mut now = Vec::new();
    for arguments in [
        &["run", "--json", "summarize this project"][..],
        &["run", "--json", "--yes", "rename total to sum in main.rs"],
        &["run", "--json", "think about numbers"],
        &["run", "--json", "--agent", "nosuchagent", "help"],
    ] {
        now.extend(objects(&with(&project, &store, arguments).stdout));
    }
    let (now, then) = (by_event(&now), by_event(&then));
    for (event, members) in &then {
        let has = now
            .get(event)
            .unwrap_or_else(|| panic!("no line of the event {event}: {:?}", now.keys()));
        assert!(has.is_superset(members), "{event}: {has:?} lacks some of {members:?}");
    }
}

/// If a page of the store is overwritten, every command still works and names the lost sessions,
/// and the damaged file is kept.
#[test]
fn a_damaged_page_stops_no_command() {
    for page in [0, 1, 6, 7, 20] {
        let project = Project::new();
        let store = stored(&project);
        let mut bytes = fs::read(&store).unwrap();
        for (at, byte) in bytes[page * 4096..(page + 1) * 4096].iter_mut().enumerate() {
            *byte = (at * 31 % 251) as u8;
        }
        fs::write(&store, &bytes).unwrap();
        let before = if page % 2 == 0 {
            with(&project, &store, &["run", "--json", "summarize this project"])
        } else {
            with(&project, &store, &["sessions", "--all"])
        };
        assert_eq!(before.code, Some(0), "page {page}: {before:#?}");
        assert!(before.stderr.contains("was damaged"), "page {page}: {before:#?}");
        // Opening a store can change a counter in its first page, so that page is not compared.
        let kept = fs::read(project.path().join("sessions.db.damaged-1")).unwrap();
        assert!(kept.len() == bytes.len() && kept[4096..] == bytes[4096..], "page {page}");
        let run = with(&project, &store, &["run", "--json", "think about numbers"]);
        assert_eq!(run.code, Some(0), "page {page}: {run:#?}");
        assert!(!run.stderr.contains("damaged"), "reported once: {run:#?}");
        let listed = objects(&with(&project, &store, &["sessions", "--all", "--json"]).stdout);
        let new = objects(&run.stdout).into_iter().find(|line| line["event"] == "session").unwrap();
        assert!(
            listed.iter().any(|session| session["sessionId"] == new["sessionId"]),
            "the new one is kept"
        );
        let named = before.stderr.matches("\n  lost: ").count();
        assert!(
            listed.len() + named >= 11,
            "page {page}: {} and {named}: {before:#?}",
            listed.len()
        );
    }
}
