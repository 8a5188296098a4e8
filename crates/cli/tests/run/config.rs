//! Settings: their sources, their changes, and their effect on the agent.

use crate::project::{Ended, Project};
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const KEY: &str = "sk-very-secret-key";

/// A person with a separate configuration folder and an empty environment.
struct Person(Project);

impl Person {
    fn new() -> Self {
        Self(Project::empty())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join("config/attache").join(name)
    }

    fn writes(&self, name: &str, text: &str) {
        fs::create_dir_all(self.file("").as_path()).unwrap();
        fs::write(self.file(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.attache(arguments);
        command.env_remove("ATTACHE_MODEL").env("HOME", self.0.path());
        command.env("XDG_CONFIG_HOME", self.0.path().join("config"));
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"] {
            command.env_remove(name);
        }
        command
    }

    fn runs(&self, arguments: &[&str]) -> Ended {
        let ended: Ended = self.command(arguments).output().unwrap().into();
        assert!(!ended.stdout.contains(KEY) && !ended.stderr.contains(KEY), "{ended:?}");
        ended
    }

    /// Opens a session with the agent and returns its options by id, and the notices that follow.
    fn session(&self, mut command: Command) -> (Value, Vec<String>) {
        let mut agent = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let capabilities = json!({ "session": { "notices": {} } });
        let initialize = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        let new = json!({ "cwd": self.0.path(), "mcpServers": [] });
        let mut stdin = agent.stdin.take().unwrap();
        for (id, method, params) in [(1, "initialize", initialize), (2, "session/new", new)] {
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            writeln!(stdin, "{call}").unwrap();
        }
        let (mut options, mut notices) = (Value::Null, Vec::new());
        let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines();
        let mut stdin = Some(stdin);
        while let Some(Ok(line)) = lines.next() {
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == 2 {
                let all = message["result"]["configOptions"].as_array().unwrap().clone();
                options = all
                    .iter()
                    .map(|option| {
                        (option["id"].as_str().unwrap().to_owned(), option["currentValue"].clone())
                    })
                    .collect();
                // Closing stdin ends the agent once it has sent its notices.
                stdin = None;
            }
            let update = &message["params"]["update"];
            if update["sessionUpdate"] == "notice" {
                notices.push(format!("{}: {}", update["title"], update["description"]));
            }
        }
        drop(stdin);
        agent.wait().unwrap();
        (options, notices)
    }
}

#[test]
fn a_setting_is_written_and_comments_stay() {
    let person = Person::new();
    person.writes(
        "config.toml",
        "# mine\nmodel = \"openai/a\" # for now\n\n# elsewhere\n[base_url]\nopenai = 'http://one/v1'\n",
    );
    for (key, value) in [
        ("model", "openai/b"),
        ("mode", "plan"),
        ("base_url.openai", "http://two/v1"),
        ("base_url.anthropic", "http://three"),
    ] {
        let set = person
            .command(&["config", "set", key, value])
            .env("OPENAI_API_KEY", KEY)
            .output()
            .unwrap();
        let ended = Ended::from(set);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{ended:?}");
        assert_eq!(person.runs(&["config", "get", key]).stdout, format!("{value}\n"));
    }
    let text = fs::read_to_string(person.file("config.toml")).unwrap();
    for kept in [
        "# mine\n",
        "model = \"openai/b\" # for now",
        "# elsewhere\n[base_url]",
        "mode = \"plan\"",
        "openai = \"http://two/v1\"",
    ] {
        assert!(text.contains(kept), "{text}");
    }
    assert!(person.runs(&["config", "unset", "model"]).stderr.contains("removed model from"));
    person.runs(&["config", "get", "model"]).failed(2, &["model is not set", "or offline"]);
}

/// A model that cannot be used ends the command with code 2 and names the variable to set, wherever
/// the model was selected. The offline model never replaces it.
#[test]
fn an_unusable_model_ends_with_code_2_and_names_the_variable() {
    let person = Person::new();
    let said = [
        "the model \"openai/gpt-6-luna\" needs a key: set OPENAI_API_KEY",
        "attache config key openai",
    ];
    person.runs(&["config", "set", "model", "openai/gpt-6-luna"]).failed(2, &said);
    person.runs(&["config", "get", "model"]).failed(2, &["model is not set"]);
    person
        .runs(&["config", "set", "model", "unknown/model"])
        .failed(2, &["there is no model", "ATTACHE_MODEL"]);
    person
        .runs(&["config", "set", "fallback", "unknown/model"])
        .failed(2, &["there is no model", "ATTACHE_FALLBACK", "config set fallback"]);
    person.runs(&["config", "get", "fallback"]).failed(2, &["fallback is not set"]);
    let run = |model: Option<&str>| {
        let mut command = person.command(&["run", "help"]);
        command.envs(model.map(|model| ("ATTACHE_MODEL", model)));
        Ended::from(command.output().unwrap())
    };
    run(Some("openai/gpt-6-luna")).failed(2, &said);
    person.writes("config.toml", "model = \"openai/gpt-6-luna\"\n");
    run(None).failed(2, &said);
    assert!(person.runs(&["doctor"]).stdout.contains("set OPENAI_API_KEY"));
    assert_eq!(run(Some("offline")).code, Some(0), "it answers if it is selected");
}

/// AUTH-09: the login that an editor runs in a terminal stores one key and ends.
#[test]
fn the_login_of_editors_stores_a_key() {
    let person = Person::new();
    let mut adding = person.command(&["agent", "--add-key"]).stdin(Stdio::piped()).spawn().unwrap();
    write!(adding.stdin.take().unwrap(), "anthropic\n{KEY}\n").unwrap();
    let ended: Ended = adding.wait_with_output().unwrap().into();
    assert!(
        ended.code == Some(0) && ended.stdout.is_empty() && !ended.stderr.contains(KEY),
        "{ended:?}"
    );
    assert!(person.runs(&["config", "--json"]).stdout.contains(r#""keySet":true"#));
}

#[test]
fn an_invalid_setting_is_refused_with_the_expected_values() {
    let person = Person::new();
    for (arguments, said) in [
        (
            &["config", "set", "colour", "red"][..],
            "unknown setting colour: use one of model, fallback, mode",
        ),
        (&["config", "set", "mode", "fast"], "mode must be one of ask, edit, auto, plan"),
        (
            &["config", "set", "base_url.openai", "localhost"],
            "a URL that begins with https:// or http://",
        ),
        (
            &["config", "set", "base_url.openai", "https://me:pw@host"],
            "store keys with `attache config key`",
        ),
        (&["config", "set", "model", " "], "model must be text on one line"),
        (&["config", "key", "nonsense"], "unknown provider nonsense: use one of anthropic, openai"),
    ] {
        person.runs(arguments).failed(2, &[said]);
    }
    assert!(!person.file("config.toml").exists());
}

/// A key is stored in a file that only its owner can read, and is never shown.
#[test]
fn a_key_is_readable_only_by_its_owner_and_never_shown() {
    let person = Person::new();
    let mut keeping =
        person.command(&["config", "key", "anthropic"]).stdin(Stdio::piped()).spawn().unwrap();
    writeln!(keeping.stdin.take().unwrap(), "{KEY}").unwrap();
    let ended: Ended = keeping.wait_with_output().unwrap().into();
    assert!(
        ended.code == Some(0)
            && !ended.stderr.contains(KEY)
            && ended.stderr.contains("only you can read"),
        "{ended:?}"
    );
    assert_eq!(fs::metadata(person.file("keys.toml")).unwrap().permissions().mode() & 0o777, 0o600);
    let shown = person.runs(&["config"]);
    assert!(shown.stdout.contains("anthropic         set  keys"), "{}", shown.stdout);
    assert!(person.runs(&["config", "--json"]).stdout.contains(r#""keySet":true"#));
    assert!(
        person.runs(&["doctor"]).stdout.contains("anthropic/claude-sonnet-5-5"),
        "the agent has the model"
    );
    let options = person.session(person.command(&["agent"])).0;
    assert_eq!(options["model"], "anthropic/claude-sonnet-5-5");
    // A key in the environment overrides the stored key.
    let with = person.command(&["config"]).env("ANTHROPIC_API_KEY", "another").output().unwrap();
    assert!(Ended::from(with).stdout.contains("set  environment, ANTHROPIC_API_KEY"));
    assert!(person.runs(&["config", "key", "anthropic", "--remove"]).stderr.contains("removed"));
    assert!(!fs::read_to_string(person.file("keys.toml")).unwrap().contains(KEY));
    fs::set_permissions(person.file("keys.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(person.runs(&["config"]).stderr.contains("can be read by other users: run chmod 600"));
}

/// A flag overrides the environment, which overrides the file, which overrides the default. A
/// project's own file is ignored.
#[test]
fn a_flag_overrides_the_environment_and_that_the_file() {
    let person = Person::new();
    let mode = |arguments: &[&str], environment: Option<&str>| {
        let mut command = person.command(arguments);
        if let Some(mode) = environment {
            command.env("ATTACHE_MODE", mode);
        }
        person.session(command).0["mode"].as_str().unwrap().to_owned()
    };
    let projects = person.0.path().join(".attache");
    fs::create_dir_all(&projects).unwrap();
    fs::write(projects.join("config.toml"), "mode = \"auto\"\n").unwrap();
    assert_eq!(mode(&["agent"], None), "ask");
    person.writes("config.toml", "mode = \"plan\"\n");
    assert_eq!(mode(&["agent"], None), "plan");
    assert_eq!(mode(&["agent"], Some("edit")), "edit");
    assert_eq!(mode(&["agent", "--mode", "auto"], Some("edit")), "auto");
    let shown = person.command(&["config"]).env("ATTACHE_MODE", "edit").output().unwrap();
    let shown = Ended::from(shown).stdout;
    assert!(shown.contains("environment, ATTACHE_MODE") && shown.contains("default"), "{shown}");
    assert!(person.runs(&["config"]).stdout.contains("settings, line 1"));
}

/// NOTE-01: if the settings file is invalid, the agent starts anyway and names the problem and its
/// line.
#[test]
fn a_broken_file_is_reported_with_its_line_and_the_agent_starts() {
    for (text, said, mode) in [
        ("mode = \"plan\"\nmodel = \n", "config.toml, line 2: ", "ask"),
        (
            "mode = \"plan\"\n\ncolour = \"red\"\n",
            "config.toml, line 3: unknown setting colour",
            "plan",
        ),
        (
            "# x\nmode = \"fast\"\n",
            "config.toml, line 2: mode must be one of ask, edit, auto, plan",
            "ask",
        ),
        ("mode = 7\n", "config.toml, line 1: mode must be a quoted string", "ask"),
        (
            "[base_url]\nopenai = \"nonsense\"\n",
            "config.toml, line 2: base_url.openai must be a URL",
            "ask",
        ),
        ("base_url = 1\n", "config.toml, line 1: unknown setting base_url", "ask"),
    ] {
        let person = Person::new();
        person.writes("config.toml", text);
        let (options, notices) = person.session(person.command(&["agent"]));
        assert_eq!(options["mode"], mode, "{text}");
        assert!(notices.iter().any(|notice| notice.contains(said)), "{text}: {notices:?}");
        assert!(person.runs(&["config"]).stderr.contains(said));
    }
    let person = Person::new();
    person.writes("config.toml", "model = \n");
    person
        .runs(&["config", "set", "model", "offline"])
        .failed(2, &["config.toml, line 1", "fix the file or remove it"]);
    assert_eq!(
        fs::read_to_string(person.file("config.toml")).unwrap(),
        "model = \n",
        "the broken file is not overwritten"
    );
    person.writes("keys.toml", &format!("anthropic = {KEY}\n"));
    let ended = person.runs(&["config"]);
    assert!(ended.stderr.contains("keys.toml is not valid TOML"), "{ended:?}");
}

/// No line is wider than the terminal, nothing is cut, and a name never touches its value.
#[test]
fn the_settings_fit_the_terminal() {
    let person = Person::new();
    person.writes(
        "config.toml",
        "model = \"openai/漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\"\n[base_url]\nopenrouter = \"https://gateway.example/an/address/that/is/longer/than/eighty/columns/of/any/terminal/v1\"\n",
    );
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let whole = person.runs(&["config"]).stdout;
    for columns in [40, 80, 120] {
        let mut command = person.command(&["config"]);
        command.env("NO_COLOR", "1");
        let (code, shown) = Terminal::of(command, columns, None).end();
        let fits = |line: &str| {
            unicode_width::UnicodeWidthStr::width(line.trim_end()) <= usize::from(columns)
        };
        assert!(code == Some(0) && shown.lines().all(fits), "{columns}: {shown}");
        assert_eq!(squeezed(&shown), squeezed(&whole), "{columns}");
        assert!(shown.contains("base_url.openrouter  https://"), "{shown}");
    }
}

/// The user name and password in a URL are never shown: not in the list, not in JSON, not for a
/// single setting.
#[test]
fn a_url_is_shown_without_its_login() {
    let person = Person::new();
    let address = "https://me:hush-hush@gateway.example/v1?api_key=hush-hush&region=eu&access_token=hush-hush";
    for arguments in [
        &["config"][..],
        &["config", "--json"],
        &["config", "get", "base_url.openai"],
        &["doctor"],
        &["run", "help"],
    ] {
        let mut command = person.command(arguments);
        command.env("OPENAI_BASE_URL", address).env("OPENAI_API_KEY", KEY);
        let ended = Ended::from(command.output().unwrap());
        assert!(
            !ended.stdout.contains("hush") && !ended.stderr.contains("hush"),
            "{arguments:?}: {ended:?}"
        );
        if arguments[0] == "config" {
            assert!(
                ended.stdout.contains("https://gateway.example/v1?api_key=…&region=eu"),
                "{ended:?}"
            );
        }
    }
}

/// If a pipe, a device or a folder is in the place of one of our files, no command hangs, and the
/// message names it.
#[test]
fn a_special_file_is_reported_and_blocks_nothing() {
    for (name, says) in [
        ("config.toml", "config.toml cannot be read: it is not a regular file"),
        ("keys.toml", "keys.toml cannot be read: it is not a regular file"),
        ("agents.toml", "agents.toml cannot be read: it is not a regular file"),
        (
            "client-permissions.txt",
            "client-permissions.txt cannot be used: it is not a regular file",
        ),
        ("models.json", "models.json cannot be read: it is not a regular file"),
        ("permissions.toml", "permissions.toml: it cannot be read: it is not a regular file"),
        ("AGENTS.md", ""),
    ] {
        let person = Person::new();
        person.writes("x", "");
        pipe(&person.file(name));
        let mut told = String::new();
        for arguments in [
            &["config"][..],
            &["doctor"],
            &["agents"],
            &["run", "--agent", "x", "help"],
            &["run", "help"],
        ] {
            // `timeout` ends a command that hangs, with exit code 124.
            let mut command = person.command(&[]);
            let mut limited = Command::new("timeout");
            limited.args(["20"]).arg(env!("CARGO_BIN_EXE_attache")).args(arguments);
            limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            limited.env_remove("ATTACHE_MODEL").current_dir(person.0.path()).stdin(Stdio::null());
            let ended = Ended::from(limited.output().unwrap());
            assert_ne!(ended.code, Some(124), "{name}: {arguments:?} hangs");
            told.push_str(&ended.stdout);
            told.push_str(&ended.stderr);
            command.env_clear();
        }
        assert!(told.contains(says), "{name}: {told}");
    }
}

/// Pipes in the place of a project's files, or named by a flag, do not make a command hang either.
#[test]
fn a_pipe_in_a_project_or_after_a_flag_blocks_nothing() {
    let person = Person::new();
    let project = person.0.path();
    fs::create_dir(project.join(".attache")).unwrap();
    for name in [".attache/permissions.toml", "AGENTS.md", "pipe"] {
        pipe(&project.join(name));
    }
    for (arguments, code) in [
        (&["run", "--yes", "run echo one"][..], 0),
        (&["run", "--mcp", "pipe", "help"], 2),
        (&["run", "--file", "pipe"], 2),
        (&["run", "help", "@pipe"], 0),
        (&["agents", "list", "--registry", "pipe"], 2),
    ] {
        let mut limited = Command::new("timeout");
        limited.args(["20"]).arg(env!("CARGO_BIN_EXE_attache")).args(arguments);
        limited
            .envs(person.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        limited.env("ATTACHE_MODEL", "offline").current_dir(project).stdin(Stdio::null());
        let ended = Ended::from(limited.output().unwrap());
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
    }
    // The file that a shell creates for `<(command)` is read.
    let line = format!("{} run --file <(echo help)", env!("CARGO_BIN_EXE_attache"));
    let mut shell = Command::new("bash");
    shell.args(["-c", &line]).current_dir(project).stdin(Stdio::null());
    shell.envs(person.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = Ended::from(shell.env("ATTACHE_MODEL", "offline").output().unwrap());
    assert!(ended.code == Some(0) && ended.stdout.contains("rename A to B"), "{ended:?}");
}

fn pipe(path: &std::path::Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the name ends with a zero byte and outlives the call.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
}

/// A key that others can read is used and reported; a file that others can change is not used.
#[test]
fn a_keys_file_that_others_can_change_is_refused() {
    let person = Person::new();
    person.writes("keys.toml", &format!("anthropic = \"{KEY}\"\n"));
    let file = person.file("keys.toml");
    for (mode, says, is_set) in [
        (0o600, "", true),
        (0o640, "can be read by other users: run chmod 600", true),
        (0o604, "can be read by other users: run chmod 600", true),
        (0o602, "can be changed by other users: its keys are ignored", false),
        (0o666, "chmod 600", false),
    ] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        for arguments in [&["config"][..], &["doctor"], &["run", "--set", "model=offline", "help"]]
        {
            let ended = person.runs(arguments);
            assert!(
                ended.stderr.contains(says) || ended.stdout.contains(says),
                "{mode:o} {arguments:?}: {ended:?}"
            );
        }
        let set = person.runs(&["config", "--json"]).stdout.contains(r#""keySet":true"#);
        assert_eq!(set, is_set, "{mode:o}");
        // A key must not be added to a file that was refused.
        let mut keeping =
            person.command(&["config", "key", "openai"]).stdin(Stdio::piped()).spawn().unwrap();
        drop(writeln!(keeping.stdin.take().unwrap(), "{KEY}"));
        assert_eq!(keeping.wait().unwrap().success(), is_set, "{mode:o}");
        fs::write(&file, format!("anthropic = \"{KEY}\"\n")).unwrap();
    }
    // SAFETY: the call has no arguments and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
        let ended = person.runs(&["config"]);
        assert!(
            ended.stderr.contains("belongs to another user: its keys are ignored"),
            "{ended:?}"
        );
        assert!(
            person
                .runs(&["config", "--json"])
                .stdout
                .lines()
                .all(|line| !line.contains(r#""keySet":true"#))
        );
    }
}
