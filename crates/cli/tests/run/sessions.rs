//! `attache sessions`: stored sessions, from real conversations and from events that the tests
//! append.

use crate::project::{Ended, Project};
use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, StopReason};
use attache_session::{
    Event, EventBody, Log, MessageAuthor, Origin, SessionKey, Store, Timestamp, TurnOutcome,
};
use attache_store::Sqlite;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project with a separate store.
struct Fixture {
    project: Project,
    folder: Project,
}

impl Fixture {
    fn new() -> Self {
        Self { project: Project::new(), folder: Project::empty() }
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("kept/sessions.db")
    }

    fn attache(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.attache(arguments);
        command.env("ATTACHE_STORE", self.store());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.attache(arguments).output().unwrap().into()
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!((ended.code, &*ended.stderr), (Some(0), ""), "{arguments:?}: {ended:#?}");
        ended.stdout
    }

    /// Returns the sessions of a list.
    #[track_caller]
    fn listed(&self, arguments: &[&str]) -> Vec<Value> {
        let lines = self.done(&[&["sessions"], arguments, &["--json"]].concat());
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    fn titles(&self, arguments: &[&str]) -> Vec<String> {
        self.listed(arguments)
            .iter()
            .map(|listed| listed["shownTitle"].as_str().unwrap_or("-").to_owned())
            .collect()
    }

    /// Stores a session of the built-in agent that began `minutes` ago.
    fn add(&self, id: &str, minutes: i64, bodies: Vec<EventBody>) {
        self.add_for("attache", id, minutes, bodies);
    }

    /// Like `add`, for any agent.
    fn add_for(&self, agent: &str, id: &str, minutes: i64, bodies: Vec<EventBody>) {
        let key = SessionKey { agent: agent.to_owned(), ..key(id) };
        let mut log = Sqlite::open(self.store()).unwrap().create(&key).unwrap();
        append(&mut *log, minutes, bodies);
    }
}

fn append(log: &mut dyn Log, minutes: i64, bodies: Vec<EventBody>) {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let at = Timestamp(i64::try_from(now).unwrap() - minutes * 60_000);
    let cwd = "/srv/tally".to_owned();
    let opened = EventBody::Opened {
        cwd,
        additional_directories: Vec::new(),
        origin: Origin::New,
        agent: None,
    };
    for (body, sequence) in std::iter::once(opened).chain(bodies).zip(1..) {
        log.append(&Event { sequence, at, body });
    }
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(log.commit()).unwrap();
}

fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: "attache".to_owned(), session_id: id.into() }
}

fn prompt(text: &str) -> EventBody {
    EventBody::Prompt { content: vec![ContentBlock::text(text)] }
}

fn answer(text: &str) -> EventBody {
    EventBody::Message {
        author: MessageAuthor::Agent,
        message_id: None,
        content: ContentBlock::text(text),
    }
}

fn title(text: &str) -> EventBody {
    EventBody::StoredTitle { title: text.to_owned(), by_person: false }
}

fn ended() -> EventBody {
    EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::EndTurn), usage: None }
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// LIST-01, INFO-01.
#[test]
fn a_conversation_with_the_built_in_agent_is_listed_and_shown() {
    let fixture = Fixture::new();
    fixture.run(&["run", "--yes", "rename total to sum in main.rs"]);
    let documented = include_str!("../../JSON.md");
    let listed = fixture.listed(&["--cwd", "."]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    for member in listed[0].as_object().unwrap().keys() {
        assert!(documented.contains(&format!("`{member}`")), "JSON.md lists no {member}");
    }
    assert_eq!((&listed[0]["agent"], &listed[0]["prompts"]), (&"attache".into(), &1.into()));
    let table = fixture.done(&["sessions"]);
    assert!(
        table.contains("rename total to sum") && table.contains("just now") && table.contains('→'),
        "{table}"
    );

    let shown = fixture.done(&["sessions", "show", "last"]);
    for text in [
        "# rename total to sum in main.rs\n",
        "\n> rename total to sum in main.rs\n",
        "**edit** Edit main.rs: done; asked: Allow once\n",
        "```diff\n--- a/main.rs\n+++ b/main.rs\n@@",
        "\n+fn sum() {}\n",
        "\n**plan**\n\n- [x] ",
        "`total` is now `sum`",
        "\n*done · context ",
    ] {
        assert!(shown.contains(text), "the transcript lacks {text:?}: {shown}");
    }
    assert!(!shown.contains("thought:") && !shown.contains('\u{1b}'), "{shown}");
    assert!(fixture.done(&["sessions", "show", "last", "--thoughts"]).contains("\n> *thought:* "));
}

#[test]
fn an_empty_list_succeeds_and_creates_no_store() {
    let fixture = Fixture::new();
    let ended = fixture.run(&["sessions"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), ""), "{ended:#?}");
    assert!(
        ended.stderr.contains("no sessions are stored yet") && ended.stderr.contains("attache run"),
        "{ended:#?}"
    );
    assert_eq!(fixture.done(&["sessions", "--json"]), "");
    assert_eq!(fixture.run(&["sessions", "search", "x"]).code, Some(0));
    fixture.run(&["sessions", "show", "last"]).failed(2, &["no sessions are stored yet"]);
    fixture
        .run(&["sessions", "delete", "last", "--yes"])
        .failed(2, &["no sessions are stored yet"]);
    fixture.run(&["doctor"]);
    assert!(files(fixture.folder.path()).is_empty());
}

/// Every command that starts an agent or reads sessions writes only to the named files.
#[test]
fn only_the_store_is_written_to_the_users_folders() {
    let (fixture, home) = (Fixture::new(), Project::empty());
    let data = home.path().join("data");
    let at_home = |mut command: Command| -> Ended {
        command
            .env("HOME", home.path())
            .env("XDG_DATA_HOME", &data)
            .env("XDG_CONFIG_HOME", home.path().join("config"));
        command.output().unwrap().into()
    };
    for arguments in [
        &["run", "summarize this project"][..],
        &["demo"],
        &["doctor"],
        &["sessions"],
        &["sessions", "show", "last"],
        &["sessions", "tag", "last", "+bug"],
        &["sessions", "search", "Tally"],
        &["sessions", "export", "last", "-"],
        &["agent"],
    ] {
        assert_eq!(at_home(fixture.attache(arguments)).code, Some(0), "{arguments:?}");
        let mut without = fixture.attache(arguments);
        at_home(std::mem::replace(without.env("ATTACHE_STORE", "none"), Command::new("true")));
        assert!(files(home.path()).is_empty(), "{arguments:?} wrote {:?}", files(home.path()));
    }
    assert_eq!(
        fixture.titles(&["--all"]),
        ["summarize this project"],
        "the demo stores no session"
    );
    let names: Vec<_> = files(fixture.project.path())
        .iter()
        .map(|file| file.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // Without settings, the session is stored in the user's data directory, and nowhere else.
    let mut plain = fixture.attache(&["run", "help"]);
    plain.env_remove("ATTACHE_STORE");
    assert_eq!(at_home(plain).code, Some(0));
    let written = files(home.path());
    assert!(written.contains(&data.join("attache/sessions.db")), "{written:?}");
    assert!(written.iter().all(|file| file.starts_with(data.join("attache"))), "{written:?}");
}

#[test]
fn a_session_is_selected_by_its_id_a_prefix_or_last() {
    let fixture = Fixture::new();
    fixture.add("aa11", 3, vec![prompt("one"), ended()]);
    fixture.add("aa22", 2, vec![prompt("p"), title("The race in the cache")]);
    fixture.add("bb33", 1, vec![prompt("\n  three\nand more"), ended()]);
    fixture.add("bb", 9, vec![prompt("four")]);
    fixture.add_for("robot", "aa2", 10, vec![prompt("five")]);
    fixture.add_for("robot", "aa22", 11, vec![prompt("six")]);
    assert_eq!(
        fixture.titles(&[]),
        ["three", "The race in the cache", "one", "four", "five", "six"]
    );
    for (id, text) in
        [("last", "three"), ("aa1", "one"), ("aa22", "The race"), ("bb", "four"), ("aa2", "five")]
    {
        assert!(fixture.done(&["sessions", "show", id]).contains(text), "{id}");
    }
    fixture
        .run(&["sessions", "show", "aa"])
        .failed(2, &["4 session ids begin with aa", "aa11", "aa22", "more of the id"]);
    assert!(fixture.done(&["sessions", "show", "aa22", "--agent", "robot"]).contains("six"));
    assert!(fixture.done(&["sessions"]).lines().next().unwrap().contains("agent"));
    fixture.run(&["sessions", "show", "race"]).failed(2, &["session race", "Did you mean", "aa22"]);
    fixture.run(&["sessions", "show", "zz"]).failed(2, &["session zz does not exist", "bb33"]);
    fixture.run(&["sessions", "show", ""]).failed(2, &["the id is empty"]);
    fixture.run(&["sessions", "show", "last", "--agent", "other"]).failed(2, &["no last session"]);
}

/// TITLE-01, TITLE-03, ARCH-04, DEL-01.
#[test]
fn sessions_are_renamed_tagged_archived_and_deleted() {
    let fixture = Fixture::new();
    fixture.add("aa11", 2, vec![prompt("one"), ended()]);
    fixture.add("bb22", 1, vec![prompt("two"), ended()]);
    fixture.done(&["sessions", "rename", "aa", "The", "first  one"]);
    assert_eq!(fixture.titles(&["--title", "FIRST"]), ["The first one"]);
    fixture.run(&["sessions", "rename", "aa", " \u{202e} "]).failed(2, &["the title is empty"]);

    fixture.done(&["sessions", "tag", "aa", "+bug", "later", "#cache"]);
    assert_eq!(fixture.done(&["sessions", "tag", "aa", "-later"]), "aa11 has #bug #cache\n");
    assert_eq!(fixture.titles(&["--tag", "bug"]), ["The first one"]);
    assert!(fixture.listed(&["--tag", "later"]).is_empty());
    fixture.run(&["sessions", "tag", "aa", "+"]).failed(2, &["+ is not a tag"]);
    fixture
        .run(&["sessions", "tag", "aa", "+x", "--json"])
        .failed(2, &["options go before the id"]);

    fixture.done(&["sessions", "archive", "aa", "bb"]);
    assert!(fixture.listed(&[]).is_empty());
    assert_eq!(fixture.listed(&["--all"]).len(), 2);
    assert!(fixture.done(&["sessions", "--archived"]).contains("(archived) #bug #cache"));
    assert_eq!(fixture.done(&["sessions", "unarchive", "bb"]), "bb22 is now unarchived\n");
    assert_eq!(fixture.titles(&["--archived"]), ["The first one"]);

    fixture
        .run(&["sessions", "delete", "aa"])
        .failed(2, &["--yes", "aa11 “The first one”, 1 prompt"]);
    fixture
        .run(&["sessions", "delete", "aa", "nothing", "--yes"])
        .failed(2, &["session nothing does not exist"]);
    assert_eq!(fixture.listed(&["--all"]).len(), 2, "a wrong id deletes nothing");
    assert!(
        fixture.done(&["sessions", "delete", "aa", "aa11", "--yes"]).starts_with("deleted aa11")
    );
    assert_eq!(fixture.titles(&["--all"]), ["two"]);
}

/// A process that has a session open can write to the log of that session at any time, so no other
/// process may append events.
#[test]
fn a_session_that_is_open_elsewhere_is_read_only() {
    let fixture = Fixture::new();
    let store = Sqlite::open(fixture.store()).unwrap();
    let mut log = store.create(&key("aa11")).unwrap();
    append(&mut *log, 0, vec![prompt("one")]);
    for change in [
        &["rename", "aa", "x"][..],
        &["tag", "aa", "+x"],
        &["archive", "aa"],
        &["delete", "aa", "--yes"],
    ] {
        fixture.run(&[&["sessions"], change].concat()).failed(9, &["aa11 is open elsewhere"]);
    }
    assert!(fixture.done(&["sessions", "show", "aa"]).contains("> one"));
    // Dropping the log releases the session in the background. Dropping the store waits until that
    // is done.
    drop(log);
    drop(store);
    fixture.done(&["sessions", "rename", "aa", "x"]);
}

#[test]
fn a_search_finds_text_and_shows_its_line() {
    let fixture = Fixture::new();
    let said = vec![
        prompt("look"),
        answer("First.\nHere a ra"),
        answer("ce condi"),
        answer("tion is, see\nbelow."),
        ended(),
    ];
    fixture.add("aa11", 2, said);
    fixture.add("bb22", 1, vec![title("Race condition"), prompt("nothing"), ended()]);
    fixture.add("cc33", 0, vec![prompt("nothing"), ended()]);
    let found = fixture.done(&["sessions", "search", "RACE", "condition"]);
    assert!(found.contains("\n    agent: Here a race condition is, see"), "{found}");
    assert!(
        found.contains("aa11  look")
            && found.contains("bb22  Race condition")
            && !found.contains("cc33"),
        "{found}"
    );
    let found = fixture.listed(&["search", "race condition"]);
    assert_eq!((found.len(), &found[0]["found"]), (2, &Value::Null));
    assert_eq!(found[1]["found"]["author"], "agent");
    let none = fixture.run(&["sessions", "search", "no such text"]);
    assert_eq!((none.code, &*none.stdout), (Some(0), ""));
    assert!(none.stderr.contains("no session matches"), "{none:#?}");
}

#[test]
fn a_log_is_exported_completely_and_overwrites_nothing() {
    let fixture = Fixture::new();
    // The log is longer than one page of the store and contains text that would control a terminal.
    let long = "0123456789\u{9b}2J\u{202e}\n".repeat(2_000);
    fixture.add(
        "aa11",
        0,
        (0..40).flat_map(|_| [prompt("next"), answer(&long), ended()]).collect(),
    );
    let shown = fixture.done(&["sessions", "show", "aa", "--json"]);
    let events: Vec<Event> = shown.lines().map(|line| Event::decode(line).unwrap()).collect();
    assert_eq!(events.last().unwrap().sequence, 121);
    assert!(!shown.contains(['\u{9b}', '\u{202e}']));
    assert!(fixture.done(&["sessions", "export", "aa"]).contains("aa11.jsonl"));
    let file = fixture.project.path().join("aa11.jsonl");
    assert!(fs::read_to_string(&file).unwrap() == shown, "the file differs from what is shown");
    fs::write(&file, "mine").unwrap();
    fixture.run(&["sessions", "export", "aa"]).failed(2, &["aa11.jsonl already exists", "--force"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    fixture.done(&["sessions", "export", "aa", "aa11.jsonl", "--force"]);
    assert!(fs::read_to_string(&file).unwrap() == shown);
    assert!(fixture.done(&["sessions", "export", "aa", "-"]) == shown);
    fixture
        .run(&["sessions", "export", "aa", "nowhere/x.jsonl"])
        .failed(2, &["nowhere/x.jsonl cannot be written"]);
    let markdown = fixture.done(&["sessions", "show", "aa"]);
    assert_eq!(markdown.matches("> next").count(), 40);
    assert!(!markdown.contains(['\u{9b}', '\u{202e}']));
}

#[test]
fn every_session_of_a_long_list_is_listed_once() {
    let fixture = Fixture::new();
    let store = Sqlite::open(fixture.store()).unwrap();
    for number in 0..450 {
        let mut log = store.create(&key(&format!("{number:04}"))).unwrap();
        append(&mut *log, number, vec![prompt("p"), title(&format!("t{number}"))]);
    }
    let expected: Vec<String> = (0..450).map(|number| format!("t{number}")).collect();
    assert_eq!(fixture.titles(&[]), expected);
    assert_eq!(fixture.done(&["sessions"]).lines().count(), 451);
    assert_eq!(fixture.titles(&["--limit", "3"]), expected[..3]);
    let limited = fixture.run(&["sessions", "--limit", "3"]);
    assert!(limited.stderr.contains("there are more"), "{limited:#?}");
    assert_eq!(limited.stdout.lines().count(), 4);
    assert!(fixture.done(&["sessions", "show", "0449"]).contains("# t449"));
}

/// A person can still work, and sees that sessions are not stored.
#[test]
fn an_unusable_store_does_not_stop_work() {
    let fixture = Fixture::new();
    let initialize =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
    let agent = || {
        use std::io::Write;
        let mut command = fixture.attache(&["agent"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{initialize}").unwrap();
        let output = child.wait_with_output().unwrap();
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            reply["result"]["agentCapabilities"]["loadSession"] == true,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(agent(), (true, String::new()));
    fs::remove_dir_all(fixture.store().parent().unwrap()).unwrap();
    fs::create_dir(fixture.store().parent().unwrap()).unwrap();
    fs::write(fixture.store(), "this is my diary and no store of sessions".repeat(100)).unwrap();
    let (loads, told) = agent();
    assert!(
        !loads && told.lines().count() == 1 && told.contains("sessions are not stored: the store"),
        "{told}"
    );
    let ended = fixture.run(&["run", "summarize this project"]);
    assert!(ended.code == Some(0) && ended.stdout.contains("2 files"), "{ended:#?}");
    assert!(ended.stderr.contains("this session will not be stored: the store"), "{ended:#?}");
    fixture.run(&["sessions"]).failed(10, &["sessions.db"]);
    fixture.run(&["sessions", "delete", "last", "--yes"]).failed(10, &["sessions.db"]);
    assert!(fixture.run(&["doctor"]).stdout.contains("✗ sessions"));
    assert!(fs::read_to_string(fixture.store()).unwrap().starts_with("this is my diary"));
    let mut files = files(fixture.folder.path());
    files.retain(|file| !file.parent().is_some_and(|folder| folder.ends_with("checkpoints")));
    assert_eq!(files, [fixture.store()]);
}

#[test]
fn an_option_selects_the_store() {
    let fixture = Fixture::new();
    fixture.add("aa11", 0, vec![prompt("p"), title("here")]);
    fixture.add("bb22", 0, vec![title("nothing said")]);
    let store = fixture.store();
    let elsewhere = fixture.project.run(&["sessions", "--store", store.to_str().unwrap()]);
    assert!(
        elsewhere.stdout.contains("here") && !elsewhere.stdout.contains("nothing"),
        "{elsewhere:#?}"
    );
    assert!(
        fixture.done(&["sessions", "--all"]).contains("nothing said"),
        "an empty session is listed"
    );
    let none = fixture.run(&["sessions", "--store", "none"]);
    assert!(none.code == Some(0) && none.stderr.contains("the store is `none`"), "{none:#?}");
    let doctor = fixture.run(&["doctor"]).stdout;
    assert!(doctor.contains("sessions.db  (2 sessions, "), "{doctor}");
}

#[test]
fn a_stored_title_cannot_control_the_terminal() {
    let fixture = Fixture::new();
    let evil = "evil\u{1b}[2J\u{9b}1m\u{202e}";
    fixture.add(evil, 0, vec![prompt(evil), answer(evil), title(evil), ended()]);
    for arguments in [
        &["sessions"][..],
        &["sessions", "--json"],
        &["sessions", "search", "evil"],
        &["sessions", "show", "last"],
    ] {
        let shown = fixture.done(arguments);
        let commands =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(shown.contains("evil") && !shown.contains(commands), "{shown:?}");
    }
}
