//! Results of judging: reports, known failures, comparisons, repeats.

use crate::project::{Ended, Project};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};

const OURS: [&str; 2] = [env!("CARGO_BIN_EXE_attache"), "agent"];

/// An agent that also prints a line of other text: it breaks only RPC-03.
const CHATTY: [&str; 3] =
    ["sh", "-c", concat!("echo Welcome; exec '", env!("CARGO_BIN_EXE_attache"), "' agent")];

/// Judges an agent by a few rules.
fn check(project: &Project, arguments: &[&str], command: &[&str]) -> Ended {
    project.run(
        &[&["check", "agent", "--only", "RPC-03,INIT-04,INIT-05"], arguments, &["--"], command]
            .concat(),
    )
}

#[test]
fn a_report_is_written_in_the_format_of_its_file_extension() {
    let project = Project::empty();
    let reports = ["a.json", "a.xml", "a.md", "a.html"].map(|file| ["--report", file]);
    let ended = check(&project, &reports.concat(), &CHATTY);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    let read = |file: &str| fs::read_to_string(project.path().join(file)).unwrap();
    let document: Value = serde_json::from_str(&read("a.json")).unwrap();
    assert_eq!((&document["version"], &document["side"]), (&1.into(), &"agent".into()));
    assert_eq!(document["support"]["name"], "attache");
    let rules: Vec<&str> = document["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| verdict["rule"].as_str().unwrap())
        .collect();
    assert!(
        rules.len() == 3 && rules.iter().all(|rule| *rule == "RPC-03" || rule.starts_with("INIT-")),
        "{rules:?}"
    );
    assert!(read("a.xml").contains("<failure type=\"must not\""), "{}", read("a.xml"));
    assert!(read("a.md").contains("| `initialize` | stable |  | ✓ |"), "{}", read("a.md"));
    for row in [
        "| Connecting | JSON-RPC over stdio | partly: breaks RPC-03 |",
        "| Connecting | Handshake | yes | `initialize` | INIT-0",
        "| Sessions | Session list | ",
    ] {
        assert!(read("a.md").contains(row), "{row} is missing in {}", read("a.md"));
    }
    assert!(read("a.html").contains("The peer breaks 1 of the"), "{}", read("a.html"));
}

#[test]
fn a_mapping_to_an_unknown_tool_is_refused() {
    let project = Project::empty();
    check(&project, &["--tool", "look=my_read"], &OURS)
        .failed(2, &["--tool: unknown tool \"look\"", "read, write"]);
}

#[test]
fn an_unwritable_report_is_refused_before_judging() {
    let project = Project::empty();
    check(&project, &["--report", "a.pdf"], &["no-such-agent"])
        .failed(2, &["a.pdf", ".json, .xml (JUnit)"]);
    check(&project, &["--report", "no/folder.json"], &OURS)
        .failed(2, &["no/folder.json cannot be written"]);
}

#[test]
fn only_differences_from_known_failures_count() {
    let project = Project::empty();
    let ended = check(&project, &["--baseline", "known.md"], &["no-such-agent"]);
    ended.failed(2, &["known.md does not exist", "--write-baseline known.md"]);
    let ended = check(&project, &["--write-baseline", "known.md"], &CHATTY);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let path = project.path().join("known.md");
    let written = fs::read_to_string(&path).unwrap();
    assert!(
        written.starts_with("# Known failures of attache ")
            && written.contains("\n- RPC-03: seen: "),
        "{written}"
    );

    let ended = check(&project, &["--baseline", "known.md"], &CHATTY);
    assert_eq!(ended.code, Some(0), "known failures do not count: {ended:#?}");
    assert!(ended.stdout.contains("known.md: 1 of the listed rules still fail."), "{ended:#?}");

    let ended = check(&project, &["--baseline", "known.md"], &OURS);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    assert!(
        ended.stdout.contains("These rules pass now and can be removed from the list: RPC-03."),
        "{ended:#?}"
    );

    fs::write(&path, "- CONF-07: not asked about\n").unwrap();
    let ended = check(&project, &["--baseline", "known.md", "--json"], &CHATTY);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    assert!(ended.stderr.contains("New failures, not in the list: RPC-03."), "{ended:#?}");
    assert!(
        ended.stderr.contains("Listed rules that were not judged this time: CONF-07."),
        "{ended:#?}"
    );

    fs::write(&path, "- RPC-03, flaky: it greets\n  now and then\n").unwrap();
    for command in [&OURS[..], &CHATTY[..]] {
        let ended = check(&project, &["--baseline", "known.md"], command);
        assert_eq!(ended.code, Some(0), "a flaky rule may pass or fail: {ended:#?}");
    }
    check(&project, &["--write-baseline", "known.md"], &CHATTY);
    let written = fs::read_to_string(&path).unwrap();
    assert!(
        written.contains("- RPC-03, flaky: it greets now and then\n"),
        "a reason is kept: {written}"
    );

    fs::write(&path, "\n- RPC-03 it greets\n").unwrap();
    check(&project, &["--baseline", "known.md"], &OURS)
        .failed(2, &["known.md, line 2, column", "needs its reason"]);
}

#[test]
fn judgements_are_compared_rule_by_rule() {
    let project = Project::empty();
    check(&project, &["--report", "ours.json"], &OURS);
    check(&project, &["--report", "chatty.json"], &CHATTY);
    let compare = |arguments: &[&str]| project.run(&[&["check", "compare"], arguments].concat());
    let ended = compare(&["ours.json", "chatty.json"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        ended
            .stdout
            .contains("RPC-03    must not   pass       fail       Write anything to stdout"),
        "{ended:#?}"
    );
    assert!(ended.stdout.contains("The judgements differ on 1 of "), "{ended:#?}");
    let all = compare(&["ours.json", "chatty.json", "--all"]);
    assert!(all.stdout.contains("INIT-04") && !ended.stdout.contains("INIT-04"), "{all:#?}");
    let same = compare(&["ours.json", "ours.json"]);
    assert!(same.stdout.contains("The judgements agree on all "), "{same:#?}");
    let markdown = compare(&["ours.json", "chatty.json", "--markdown"]);
    assert!(markdown.stdout.contains("| RPC-03 | must not | pass | fail | Write"), "{markdown:#?}");
    let document: Value =
        serde_json::from_str(&compare(&["ours.json", "chatty.json", "--json"]).stdout).unwrap();
    assert_eq!(document["rules"].as_array().unwrap().len(), 1);
    assert_eq!(document["rules"][0]["verdicts"].as_object().unwrap().len(), 2, "{document}");

    let support = compare(&["ours.json", "chatty.json", "--support"]).stdout;
    assert!(
        support.contains(
            "| Method | Settled | Needs | attache, agent: answers | attache, agent: answers |"
        ),
        "{support}"
    );
    assert!(
        support.contains("| `session/prompt` | stable |  | not provoked | not provoked |"),
        "{support}"
    );

    fs::write(project.path().join("broken.json"), "{\"version\": 1,\n\"side\": 1}").unwrap();
    compare(&["ours.json", "broken.json"])
        .failed(2, &["broken.json, line 2, column 9: this is not a judgement"]);
    compare(&["ours.json", "absent.json"]).failed(2, &["absent.json cannot be read"]);
    compare(&["ours.json"]).failed(2, &["2"]);
}

/// An agent that prints a banner only when it is started for the first time, so that one round
/// fails and the other passes.
#[test]
fn verdicts_that_differ_between_rounds_are_flaky() {
    let project = Project::empty();
    let script =
        format!("if mkdir greeted 2>/dev/null; then echo Welcome; fi; exec '{}' agent", OURS[0]);
    let command = ["sh", "-c", &script];
    let ended = check(&project, &["--repeat", "2", "--seed", "7", "--report", "a.json"], &command);
    assert_eq!(ended.code, Some(4), "the worst verdict counts: {ended:#?}");
    assert!(ended.stdout.contains("flaky      RPC-03    fail and pass in 2 rounds"), "{ended:#?}");
    let document: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join("a.json")).unwrap()).unwrap();
    assert_eq!((&document["repeats"], &document["seed"]), (&2.into(), &7.into()));
    assert_eq!(document["flaky"]["RPC-03"], serde_json::json!(["fail", "pass"]));
    check(&project, &["--repeat", "0"], &OURS).failed(2, &["--repeat 0 judges nothing"]);
}

/// Starts to judge our agent by every rule, and sends Ctrl-C as soon as stdout contains `word`.
fn interrupted(project: &Project, arguments: &[&str], word: &str) -> Ended {
    let arguments = [&["check", "agent"], arguments, &["--"], &OURS].concat();
    let mut child = project.attache(&arguments).spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).map(|_| text).unwrap()
    });
    let mut stdout = String::new();
    let mut lines = BufReader::new(&mut out);
    while !stdout.contains(word) {
        assert_ne!(lines.read_line(&mut stdout).unwrap(), 0, "it ended too soon: {stdout}");
    }
    let buffered = String::from_utf8(lines.buffer().to_vec()).unwrap();
    stdout.push_str(&buffered);
    assert!(child.try_wait().unwrap().is_none(), "it still runs: {stdout}");
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so the process id is still its own.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    out.read_to_string(&mut stdout).unwrap();
    let code = child.wait().unwrap().code();
    Ended { code, stdout, stderr: errors.join().unwrap() }
}

#[test]
fn verdicts_are_written_as_json_during_the_run() {
    let project = Project::empty();
    let ended = interrupted(&project, &["--json", "--report", "a.json"], "\"verdict\"");
    ended
        .failed(130, &["0/", " first contact", "interrupted after ", "no report file was written"]);
    let mut rules = Vec::new();
    for line in ended.stdout.lines() {
        let verdict: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        rules.push(verdict["rule"].as_str().unwrap().to_owned());
    }
    let count = rules.len();
    rules.sort();
    rules.dedup();
    assert_eq!(rules.len(), count, "each rule has one line: {ended:#?}");
    assert!(!project.path().join("a.json").exists(), "an incomplete judgement is not a report");
}

#[test]
fn an_interrupted_run_shows_the_verdicts_it_has() {
    let project = Project::empty();
    let [starts, last] = ["starts", "last"].map(|name| project.path().join(name));
    // The eighth process of the agent never answers.
    let script = format!(
        "mkdir -p '{starts}' && touch \"{starts}/$$\"; \
         if [ $(ls '{starts}' | wc -l) -lt 8 ]; then exec '{ours}' agent; fi; touch '{last}'; exec sleep 1000",
        starts = starts.display(),
        ours = OURS[0],
        last = last.display()
    );
    let arguments = ["check", "agent", "--timeout", "600", "--", "sh", "-c", &script];
    let child = project.attache(&arguments).spawn().unwrap();
    while !last.exists() {
        std::thread::yield_now();
    }
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so the process id is still its own.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    let ended = Ended::from(child.wait_with_output().unwrap());
    ended.failed(130, &["interrupted after "]);
    assert!(
        ended.stdout.starts_with("pass\n") && !ended.stdout.contains(" 0 pass, "),
        "{ended:#?}"
    );
}

/// After the judgement, the home of the person who judges contains no files of the judged programs.
#[test]
fn a_peer_under_test_has_a_separate_home() {
    let project = Project::empty();
    let home = project.path().join("home");
    fs::create_dir(&home).unwrap();
    let judge = |arguments: &[&str]| {
        let mut command = project.attache(&[&["check"], arguments].concat());
        for (name, below) in [
            ("HOME", ""),
            ("XDG_CONFIG_HOME", "c"),
            ("XDG_DATA_HOME", "d"),
            ("XDG_STATE_HOME", "s"),
        ] {
            command.env(name, home.join(below));
        }
        let ended = Ended::from(command.env_remove("ATTACHE_STORE").output().unwrap());
        assert_eq!(ended.code, Some(0), "{ended:#?}");
    };
    let script = format!(
        "'{}' sessions >seen; mkdir -p \"$HOME/x\" \"$XDG_DATA_HOME/x\"; exec '{0}' agent",
        OURS[0]
    );
    judge(&["agent", "--only", "INIT-05,SESS-01", "--", "sh", "-c", &script]);
    judge(&[
        "client",
        "--only",
        "INIT-01,PROMPT-01",
        "--",
        OURS[0],
        "run",
        "--agent",
        "{agent}",
        "{prompt}",
    ]);
    let left: Vec<_> =
        fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
