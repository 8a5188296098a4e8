//! `attache agents`, and agents selected by name.

use crate::project::{Ended, Project};
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;

/// Runs the program with a PATH that begins with the project's folder and contains no known agent.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let path = format!("{}:/usr/bin:/bin", project.path().display());
    let home = project.path().join("home");
    project
        .attache(arguments)
        .env("PATH", path)
        .env("XDG_CONFIG_HOME", home)
        .output()
        .unwrap()
        .into()
}

/// Installs the scripted agent as the program of a known one, in an npm package.
fn install(project: &Project, program: &str, package: &str, script: &Script<'_>) {
    let start = script.install(project);
    let folder = project.path().join("node_modules").join(package);
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::write(folder.join("package.json"), r#"{"name":"x","version":"7.8.9"}"#).unwrap();
    let file = folder.join("dist/index.js");
    fs::write(&file, format!("#!/bin/sh\necho \"$@\" >started\nexec {start}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&file, project.path().join(program)).unwrap();
}

#[test]
fn a_known_agent_is_started_by_its_name() {
    let project = Project::new();
    install(&project, "gemini", "@google/gemini-cli", &Script::default());
    assert_eq!(run(&project, &["run", "--agent", "gemini", "hello"]).code, Some(0));
    assert_eq!(fs::read_to_string(project.path().join("started")).unwrap(), "--acp\n");
    assert_eq!(run(&project, &["run", "--agent", "attache", "help"]).code, Some(0));
}

#[test]
fn a_missing_known_agent_is_reported_with_its_install_command() {
    let project = Project::new();
    for agent in ["gemini", "gemini --acp --debug"] {
        let ended = run(&project, &["run", "--agent", agent, "hello"]);
        ended.failed(
            3,
            &["Gemini CLI is not installed", "npm install -g @google/gemini-cli", "Google account"],
        );
    }
    run(&project, &["agents", "check", "vibe"]).failed(3, &["uv tool install mistral-vibe"]);
}

#[test]
fn the_list_shows_installed_agents_and_install_commands() {
    let project = Project::new();
    install(&project, "qwen", "@qwen-code/qwen-code", &Script::default());
    let shown = run(&project, &["agents"]).stdout;
    assert!(shown.contains("✓ qwen        7.8.9"), "{shown}");
    assert!(shown.contains("- gemini      npm install -g @google/gemini-cli"), "{shown}");
    let json = run(&project, &["agents", "list", "--json"]).stdout;
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let qwen = lines.iter().find(|line| line["name"] == "qwen").unwrap();
    assert_eq!((&qwen["version"], qwen["program"].is_string()), (&"7.8.9".into(), true));
    assert!(lines.iter().any(|line| line["name"] == "gemini" && line["program"].is_null()));
    let documented = include_str!("../../JSON.md");
    for member in qwen.as_object().unwrap().keys() {
        assert!(documented.contains(&format!("`{member}`")), "JSON.md lists no {member}");
    }
    assert!(!project.path().join("started").exists(), "a list starts no agent");
}

#[test]
fn a_check_shows_the_features_and_sends_no_prompt() {
    let project = Project::new();
    let initialize = r#"echo Welcome; reply '{"protocolVersion":1,"agentInfo":{"name":"robot","version":"2"},
        "agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"sessionCapabilities":{"resume":{}}},
        "authMethods":[{"id":"term","name":"Robot account","type":"terminal","env":{"KEY":"s3cret"}}]}'"#;
    let initialize = initialize.replace("\n        ", "");
    let script = Script {
        initialize: &initialize,
        prompt: "echo prompted >prompted; exit 1",
        ..Script::default()
    };
    let agent = script.install(&project);
    let shown = run(&project, &["agents", "check", &agent]);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    for text in ["robot 2", "opened one in", "load, resume", "images", "Robot account", "Welcome"] {
        assert!(shown.stdout.contains(text), "{shown:#?}");
    }
    let json = run(&project, &["agents", "check", &agent, "--json"]);
    let line: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&line["agentInfo"]["name"], &line["agentCapabilities"]["loadSession"]),
        (&"robot".into(), &true.into())
    );
    assert!(!json.stdout.contains("s3cret") && json.stdout.contains("Robot account"), "{json:#?}");
    for member in line.as_object().unwrap().keys() {
        assert!(
            include_str!("../../JSON.md").contains(&format!("`{member}`")),
            "JSON.md lists no {member}"
        );
    }
    assert_eq!(
        (&line["session"]["opened"], &line["session"]["loginNeeded"]),
        (&true.into(), &false.into())
    );
    assert!(!project.path().join("prompted").exists());
    run(&project, &["agents", "check", "sh -c 'exit 9'"]).failed(3, &["exit code 9"]);
}

/// The check asks a second process of the agent for version 2. Its answer does not fail the check.
#[test]
fn a_check_shows_the_versions_that_the_agent_speaks() {
    let project = Project::new();
    let unknown = "ACP version 1; the agent";
    for (answer, numbers, shown, error) in [
        (r#"reply '{"protocolVersion":1}'"#, &[1][..], "ACP version 1\n", ""),
        (
            r#"reply '{"protocolVersion":2,"info":{"name":"robot","version":"2"}}'"#,
            &[1, 2],
            "ACP versions 1 and 2\n",
            "",
        ),
        (r#"refuse '{"code":-32022,"message":"Unsupported"}'"#, &[1], "ACP version 1\n", ""),
        (r#"reply '{"protocolVersion":3}'"#, &[1], unknown, "expected 1 or 2, found 3"),
        (r#"reply '{"protocolVersion":"2"}'"#, &[1], unknown, "found a string"),
        ("exit 9", &[1], unknown, "ended before it answered the request for version 2"),
    ] {
        let initialize = format!(
            r#"case "$line" in *'"protocolVersion":2'*) {answer} ;; *) reply '{{"protocolVersion":1}}' ;; esac"#
        );
        let agent = Script { initialize: &initialize, ..Script::default() }.install(&project);
        let check = run(&project, &["agents", "check", &agent]);
        assert_eq!(check.code, Some(0), "{answer}: {check:#?}");
        assert!(check.stdout.contains(&format!("protocol      {shown}")), "{answer}: {check:#?}");
        assert!(check.stdout.contains(error), "{answer}: {check:#?}");
        let json = run(&project, &["agents", "check", &agent, "--json"]);
        let line: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(line["protocolVersion"], 1, "{answer}");
        assert_eq!(line["versions"], serde_json::json!(numbers), "{answer}: {json:#?}");
        match error {
            "" => assert!(line["versionsError"].is_null(), "{answer}: {json:#?}"),
            error => assert!(line["versionsError"].as_str().unwrap().contains(error), "{json:#?}"),
        }
    }
    let built_in = run(&project, &["agents", "check", "attache", "--json"]).stdout;
    assert!(built_in.contains(r#""versions":[1,2],"versionsError":null"#), "{built_in}");
}

#[test]
fn an_agent_that_ignores_the_request_for_version_2_is_checked_in_time() {
    let project = Project::new();
    let initialize = r#"case "$line" in *'"protocolVersion":2'*) echo $$ >asked; sleep 600 ;; *) reply '{"protocolVersion":1}' ;; esac"#;
    install(&project, "qwen", "@qwen-code/qwen-code", &Script { initialize, ..Script::default() });
    let began = std::time::Instant::now();
    let all = run(&project, &["agents", "check"]);
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    assert_eq!(all.code, Some(0), "{all:#?}");
    let row = all.stdout.lines().find(|line| line.contains("qwen")).unwrap();
    assert!(row.starts_with('✓') && row.contains("1, ?"), "{all:#?}");
    let asked = fs::read_to_string(project.path().join("asked")).unwrap();
    let process = std::path::Path::new("/proc").join(asked.trim());
    assert!(!process.exists(), "the second process is stopped");
}

#[test]
fn own_names_are_stored_and_override_known_ones() {
    let (project, home) = (Project::new(), Project::empty());
    let own = |arguments: &[&str]| -> Ended {
        let mut command = project.attache(arguments);
        command.env("XDG_CONFIG_HOME", home.path()).output().unwrap().into()
    };
    let agent = Script::default().install(&project);
    own(&["agents", "add", "gemini", &format!("KEY=s3cret {agent}")])
        .failed(0, &["agents check gemini", "agents.toml"]);
    let file = home.path().join("attache/agents.toml");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(own(&["run", "--agent", "gemini", "hello"]).code, Some(0));
    let listed = own(&["agents"]).stdout;
    assert!(listed.contains("✓ gemini      yours     KEY=… sh"), "{listed}");
    let words = ["agents", "add", "words", "--env", "A=b c", "--", "sh", "-c", "exit 9", "--acp"];
    own(&words).failed(0, &["agents check words"]);
    assert!(fs::read_to_string(&file).unwrap().contains("A='b c' sh -c 'exit 9' --acp"));
    own(&["agents", "check", "words"]).failed(3, &["exit code 9"]);
    own(&["agents", "add", "later", "not-here-yet --acp"])
        .failed(0, &["install its program not-here-yet"]);
    own(&["agents", "remove", "gemini"]).failed(0, &["removed "]);
    own(&["agents", "remove", "gemini"]).failed(2, &["no agent of your own named gemini"]);
    assert!(own(&["agents"]).stdout.contains("words"), "other names stay");
    own(&["agents", "add", "a b", "sh"]).failed(2, &["cannot be a name"]);
    own(&["agents", "add", "a", "'open"]).failed(2, &["quote"]);
    own(&["agents", "add", "a"]).failed(2, &["CMD ARGS"]);
    own(&["agents", "add", "a", "--env", "1=2", "sh"]).failed(2, &["NAME=VALUE"]);
    for broken in ["{", "agents = 7", "[agents.x]\ncmd = 's3cret'"] {
        fs::write(&file, broken).unwrap();
        let ended = own(&["run", "--agent", "mine", "hello"]);
        ended.failed(2, &["agents.toml", "expected", "fix it or remove it"]);
        assert!(!ended.stderr.contains("s3cret"));
        assert_eq!(
            own(&["run", "--agent", &agent, "hello"]).code,
            Some(0),
            "a command line works without the file of names"
        );
    }
}

/// Without a name, the check starts every installed agent. If one fails, the others are still
/// reported.
#[test]
fn a_check_of_all_agents_shows_which_work() {
    let project = Project::new();
    let new = r#"refuse '{"code":-32000,"message":"Authentication required"}'"#;
    install(&project, "qwen", "@qwen-code/qwen-code", &Script { new, ..Script::default() });
    run(&project, &["agents", "add", "dead", "sh -c 'exit 9'"]).failed(0, &[]);
    let all = run(&project, &["agents", "check"]);
    all.failed(3, &[]);
    let row = |name: &str| all.stdout.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(row("attache").starts_with('✓') && row("attache").contains("not needed"), "{all:#?}");
    assert!(row("dead").starts_with('✗') && row("dead").contains("exit code 9"), "{all:#?}");
    assert!(row("qwen").starts_with('✗') && row("qwen").contains("needed"), "{all:#?}");
    let json = run(&project, &["agents", "check", "--json"]).stdout;
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap();
    assert_eq!(of("qwen")["session"]["loginNeeded"], true);
    assert!(of("dead")["error"].as_str().unwrap().contains("exit code 9"));
    assert_eq!(of("attache")["session"]["opened"], true);
}

const REGISTRY: &str = r#"{"version": "1.0.0", "agents": [
    {"id": "zeta", "name": "Zeta", "version": "0.9.0", "description": "A program", "distribution": {"binary": {
        "linux-x86_64": {"archive": "https://example.com/z.tgz", "cmd": "./bin/zeta"},
        "linux-aarch64": {"archive": "https://example.com/z.tgz", "cmd": "./bin/zeta"},
        "darwin-aarch64": {"archive": "https://example.com/z.tgz", "cmd": "./bin/zeta"}}}},
    {"id": "alpha", "name": "Alpha", "version": "1.2.3", "description": "From npm",
     "distribution": {"npx": {"package": "@x/alpha@1.2.3", "args": ["--acp"]}}}]}"#;

#[test]
fn an_agent_of_a_registry_can_be_added_to_the_own_ones() {
    let project = Project::new();
    fs::write(project.path().join("registry.json"), REGISTRY).unwrap();
    let listed = run(&project, &["agents", "list", "--registry", "registry.json"]).stdout;
    assert!(listed.contains("In the registry:") && listed.contains("alpha"), "{listed}");
    let json = run(&project, &["agents", "list", "--json", "--registry", "registry.json"]).stdout;
    let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let alpha = lines.iter().find(|line| line["name"] == "alpha").unwrap();
    assert_eq!((&alpha["source"], &alpha["version"]), (&"registry".into(), &"1.2.3".into()));
    assert_eq!(alpha["command"], "npx --yes @x/alpha@1.2.3 --acp");
    run(&project, &["agents", "add", "--registry", "registry.json", "alpha"])
        .failed(0, &["agents.toml"]);
    let own = run(&project, &["agents"]).stdout;
    assert!(own.contains("alpha       1.2.3     npx --yes"), "{own}");
    run(&project, &["agents", "add", "--registry", "registry.json", "zeta"])
        .failed(0, &["download https://example.com/z.tgz", "put its program zeta"]);
    run(&project, &["agents", "add", "--registry", "registry.json", "omega"])
        .failed(2, &["no agent omega", "agents list --registry registry.json"]);
}

#[test]
fn a_broken_registry_is_reported_with_line_or_field() {
    let project = Project::new();
    let add = |place: &str| run(&project, &["agents", "add", "--registry", place, "alpha"]);
    fs::write(project.path().join("registry.json"), "{\n\"version\": }").unwrap();
    add("registry.json").failed(2, &["registry.json cannot be used", "line 2, column 12"]);
    fs::write(project.path().join("registry.json"), REGISTRY.replace("[\"--acp\"]", "[7]"))
        .unwrap();
    add("registry.json").failed(2, &["agents[1].distribution.npx.args"]);
    add("none.json").failed(2, &["none.json cannot be read", "give the path or URL"]);
    add("http://127.0.0.1:9/registry.json")
        .failed(3, &["cannot be fetched", "check the address and the network"]);
}

/// A registry on the web: a server that answers one request per connection.
#[test]
fn a_registry_can_be_a_url() {
    let project = Project::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/registry.json", server.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        for status in ["200 OK", "404 Not Found"] {
            let (mut stream, _) = server.accept().unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).unwrap() > 0);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                REGISTRY.len()
            );
            stream.write_all((head + REGISTRY).as_bytes()).unwrap();
        }
    });
    run(&project, &["agents", "add", "--registry", &address, "alpha"]).failed(0, &["agents.toml"]);
    run(&project, &["agents", "add", "--registry", &address, "alpha"])
        .failed(3, &["the server answered 404"]);
    serving.join().unwrap();
}

#[test]
fn the_login_of_a_known_agent_is_explained() {
    let project = Project::new();
    let new = r#"refuse '{"code":-32000,"message":"Authentication required"}'"#;
    install(
        &project,
        "claude-agent-acp",
        "@agentclientprotocol/claude-agent-acp",
        &Script { new, ..Script::default() },
    );
    run(&project, &["run", "--agent", "claude", "hello"])
        .failed(5, &["login", "Claude subscription", "run `claude` once"]);
}

/// A program that is started from a desktop does not inherit the PATH of the person's login shell.
/// Some agents can be found only in that PATH.
#[test]
fn an_agent_that_only_the_login_shell_finds_gets_its_environment() {
    let (project, away) = (Project::new(), Project::empty());
    let new = r#"[ "$FROM_PROFILE" = yes ] && reply '{"sessionId":"s"}' || exit 9"#;
    install(&project, "gemini", "@google/gemini-cli", &Script { new, ..Script::default() });
    let shell = away.path().join("shell");
    let place = project.path().display();
    let profile = format!(
        "echo asked >>{}/asked; export PATH={place}:/usr/bin:/bin FROM_PROFILE=yes",
        away.path().display()
    );
    fs::write(
        &shell,
        format!("#!/bin/sh\necho Welcome\n{profile}\nshift 2\nexec /bin/sh \"$@\"\n"),
    )
    .unwrap();
    fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).unwrap();
    let started = |agent: &str| -> Ended {
        let mut command = project.attache(&["run", "--agent", agent, "hello"]);
        command
            .env("PATH", "/usr/bin:/bin")
            .env("SHELL", &shell)
            .env("HOME", away.path())
            .output()
            .unwrap()
            .into()
    };
    assert_eq!(
        started("sh agent.sh").code,
        Some(4),
        "it is found without the shell, and without the shell's environment"
    );
    assert!(!away.path().join("asked").exists(), "a program in PATH needs no shell");
    assert_eq!(started("gemini").code, Some(0));
    assert!(away.path().join("asked").exists());
    fs::write(&shell, "#!/bin/sh\nexit 1\n").unwrap();
    started("gemini").failed(3, &["Gemini CLI is not installed", "npm install -g"]);
}

#[test]
fn an_own_name_is_replaced_only_by_force() {
    let (project, home) = (Project::new(), tempfile::tempdir().unwrap());
    let own = |arguments: &[&str]| {
        Ended::from(
            project.attache(arguments).env("XDG_CONFIG_HOME", home.path()).output().unwrap(),
        )
    };
    let file = || fs::read_to_string(home.path().join("attache/agents.toml")).unwrap();
    own(&["agents", "add", "mine", "KEY=s3cret first --acp"]).failed(0, &["agents.toml"]);
    let before = file();
    let refused = own(&["agents", "add", "mine", "second --acp"]);
    refused.failed(
        2,
        &["mine already exists in", "and starts KEY=… first --acp", "replace it with --force"],
    );
    assert!(!refused.stderr.contains("s3cret") && file() == before, "{refused:?}");
    // Adding the same agent again changes nothing and succeeds.
    own(&["agents", "add", "mine", "KEY=s3cret first --acp"]).failed(0, &[]);
    assert_eq!(file(), before);
    own(&["agents", "add", "--force", "mine", "second --acp"])
        .failed(0, &["agents.toml", "after `attache serve restart`"]);
    assert!(file().contains("second --acp") && !file().contains("first"), "{}", file());
    own(&["agents", "add", "attache", "sh"]).failed(2, &["the name of the built-in agent"]);
    let registry = r#"{"version":"1","agents":[{"id":"mine","name":"Mine","version":"1","description":"d","distribution":{"npx":{"package":"mine@1"}}}]}"#;
    fs::write(project.path().join("registry.json"), registry).unwrap();
    own(&["agents", "add", "--registry", "registry.json", "mine"])
        .failed(2, &["and starts second --acp"]);
    own(&["agents", "add", "--force", "--registry", "registry.json", "mine"]).failed(0, &[]);
}
