//! The remembered permission rules of this client: from questions, from a file, and through
//! `attache permissions`.

use crate::project::{MAIN, Project};
use crate::terminal::Terminal;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const RENAME: &str = "rename total to sum in main.rs";

fn file(project: &Project, name: &str) -> PathBuf {
    project.path().join(".no-settings/attache").join(name)
}

/// Writes rules in the format of older versions, which are moved to `permissions.toml`.
fn remember(project: &Project, rules: &str) {
    let file = file(project, "client-permissions.txt");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, rules).unwrap();
}

/// Returns the rules that `attache permissions` lists, one per line.
fn rules(project: &Project) -> Vec<String> {
    let list = project.run(&["permissions"]).stdout;
    let lines = list.lines().filter_map(|line| line.strip_prefix("     "));
    lines.map(str::to_owned).collect()
}

/// Returns the environment variables with which the program stores decisions.
fn kept(project: &Project) -> [(&'static str, String); 2] {
    let path = |name: &str| project.path().join(name).to_string_lossy().into_owned();
    [("ATTACHE_STORE", path("sessions.db")), ("XDG_DATA_HOME", path("data"))]
}

/// PERM-05, PERM-11: every decision is shown, and uses the agent's own options.
#[test]
fn a_rule_overrides_flags_and_every_output_shows_it() {
    for (rule, flags, renamed) in [
        ("allow kind=\"edit\"", &[][..], true),
        ("reject kind=\"edit\"", &["--yes"][..], false),
        ("allow kind=\"read\"", &[][..], false),
        ("allow agent=\"another\" kind=\"edit\"", &[][..], false),
    ] {
        let project = Project::new();
        remember(&project, rule);
        let ended = project.run(&[&["run", RENAME], flags].concat());
        let expected = if renamed { MAIN.replace("total", "sum") } else { MAIN.to_owned() };
        let code = if renamed { 0 } else { 11 };
        assert_eq!((ended.code, project.main()), (Some(code), expected), "{rule}: {ended:#?}");
        let verdict = if renamed { "allowed" } else { "rejected" };
        let told = ended.stderr.contains(&format!("{verdict} by your rule {rule}: "));
        assert_eq!(
            told,
            rule.ends_with("edit\"") && !rule.contains("another"),
            "{rule}: {ended:#?}"
        );

        let project = Project::new();
        remember(&project, rule);
        let ended = project.run(&[&["run", "--json", RENAME], flags].concat());
        let mut lines =
            ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let permission = lines.find(|line| line["event"] == "permission").unwrap();
        let by = if told { ("rule", Some(rule)) } else { ("nobody", None) };
        assert_eq!(
            (permission["by"].as_str().unwrap(), permission["rule"].as_str()),
            by,
            "{permission}"
        );
    }
}

#[test]
fn a_broken_rule_stops_the_command() {
    let project = Project::new();
    remember(&project, "# mine\nallow kind=\"read\"\nreject comand=\"rm\"\n");
    for arguments in [&["run", "--yes", RENAME][..], &["permissions"]] {
        project
            .run(arguments)
            .failed(2, &["line 3", "client-permissions.txt", "comand", "correct the line"]);
    }
    assert_eq!(project.main(), MAIN);
}

#[test]
fn a_key_remembers_the_answer_for_the_project() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["run", RENAME], &[("NO_COLOR", "1")]);
    terminal.wait_for("[r] Remember an answer as a rule");
    terminal.wait_for("allow? [y/a/");
    terminal.press("r");
    terminal.wait_for("remember? [s/p/a/n/b]");
    terminal.press("b");
    terminal.wait_for("allow? [y/a/");
    terminal.press("r");
    terminal.wait_for("remember? [s/p/a/n/b]");
    assert_eq!((project.main(), rules(&project)), (MAIN.to_owned(), Vec::new()));
    terminal.press("p");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(0), MAIN.replace("total", "sum")), "{shown}");
    let kept = rules(&project).concat();
    let begin = format!("allow agent=\"attache\" project={:?} kind=\"edit\"", project.path());
    assert!(kept.starts_with(&begin) && kept.contains("/main.rs\""), "{kept}");
    assert!(
        shown.replace("\r\n      ", "").contains(&kept),
        "the rule is named before it is added: {shown}"
    );
    assert!(shown.contains("remembered: allow") && shown.contains("allowed by you"), "{shown}");

    fs::write(project.path().join("main.rs"), MAIN).unwrap();
    let ended = project.run(&["run", RENAME]);
    assert!(ended.stderr.contains(&format!("allowed by your rule {kept}: ")), "{ended:#?}");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
}

#[test]
fn a_rejection_is_remembered_everywhere() {
    let project = Project::new();
    let mut terminal = Terminal::start(&project, &["run", RENAME], &[("NO_COLOR", "1")]);
    terminal.wait_for("allow? [");
    terminal.press("r");
    terminal.wait_for("remember? [s/p/a/n/b]");
    terminal.press("n");
    terminal.wait_for("remember? [s/p/a/y/b]");
    terminal.press("a");
    let (code, shown) = terminal.end();
    assert_eq!((code, project.main()), (Some(11), MAIN.to_owned()), "{shown}");
    assert!(rules(&project).concat().starts_with("reject agent=\"attache\" kind=\"edit\""));
    assert!(shown.contains("rejected by you"), "{shown}");
    project.run(&["run", "--yes", RENAME]);
    assert_eq!(project.main(), MAIN, "a rule that rejects holds under --yes");
}

/// In a conversation, a rule for the session is not stored in a file, and is shown each time it
/// applies.
#[test]
fn a_rule_for_the_session_prevents_further_questions() {
    let project = Project::new();
    remember(&project, "reject command=\"touch made\"");
    let kept = kept(&project);
    let environment: Vec<(&str, &str)> =
        kept.iter().map(|(name, value)| (*name, &**value)).collect();
    let mut terminal = Terminal::start(&project, &["chat"], &environment);
    terminal.wait_for("ask › ");
    terminal.press("run touch one\r");
    terminal.wait_for("allow? [");
    terminal.press("r");
    terminal.wait_for("remember? [");
    terminal.press("s");
    terminal.wait_for("exit code 0");
    terminal.wait_for("› ");
    terminal.press("run touch one\r");
    terminal.wait_for("allowed by your rule allow agent=\"attache\"");
    terminal.wait_for("exit code 0");
    terminal.wait_for("› ");
    terminal.press("run touch made\r");
    terminal.wait_for("rejected by your rule reject command=\"touch made\"");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(rules(&project), ["reject command=\"touch made\""]);
    assert!(!project.path().join("made").exists());

    let audit = |arguments: &[&str]| {
        let arguments = [&["permissions", "audit"], arguments].concat();
        let output = project.attache(&arguments).envs(kept.iter().cloned()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = audit(&[]);
    let lines: Vec<&str> = shown.lines().collect();
    let [asked, by_rule, rejected, place] = lines.as_slice() else { panic!("{shown}") };
    assert!(asked.contains("attache  allowed by you: "), "{shown}");
    assert!(by_rule.contains("attache  allowed by your rule allow agent="), "{shown}");
    assert!(
        rejected.contains("attache  rejected by your rule reject command=\"touch made\": "),
        "{shown}"
    );
    assert!(
        place.starts_with("3 of 3 decisions; the log is ") && place.contains("data/attache"),
        "{shown}"
    );
    let one: Value = serde_json::from_str(&audit(&["--count", "1", "--json"])).unwrap();
    assert_eq!((&one["verdict"], &one["by"]), (&"rejected".into(), &"rule".into()));
}

#[test]
fn rules_are_listed_with_their_meaning_and_removed_by_number() {
    let project = Project::empty();
    let list = project.run(&["permissions"]);
    assert!(list.stdout.contains("no rules are stored") && list.code == Some(0), "{list:#?}");
    let rule = "reject path=\"/home/ann/.ssh\"";
    remember(&project, &format!("# mine\nallow project=\"/x\" command=\"cargo test\"\n{rule}\n"));
    let list = project.run(&["permissions", "list"]).stdout;
    for text in [
        "  1  allows commands that start with `cargo test`, in /x\n",
        "  2  rejects tool calls, on /home/ann/.ssh and below, everywhere\n",
        rule,
        "permissions.toml",
    ] {
        assert!(list.contains(text), "it lacks {text}: {list}");
    }
    for number in ["0", "3"] {
        project
            .run(&["permissions", "remove", number])
            .failed(2, &["does not exist", "from 1 to 2"]);
    }
    let removed = project.run(&["permissions", "remove", "1"]);
    assert!(removed.stdout.contains("removed: allow project=\"/x\""), "{removed:#?}");
    assert_eq!(rules(&project), [rule]);
    let table = "[[deny]]\nagents = \"all\"\ncall = { path = \"/home/ann/.ssh\" }\n";
    let text = fs::read_to_string(file(&project, "permissions.toml")).unwrap();
    assert!(text.ends_with(table) && !text.contains("cargo"), "{text}");
    assert!(project.run(&["permissions", "audit"]).stdout.contains("decisions are not stored"));
}
