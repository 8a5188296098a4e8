//! `attache check agent`.

use crate::project::{Ended, Project};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Judges the agent that this command starts.
fn check(arguments: &[&str], command: &[&str]) -> Ended {
    Project::empty().run(&[&["check", "agent"], arguments, &["--"], command].concat())
}

fn verdicts(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the verdict about a rule.
#[track_caller]
fn verdict<'v>(verdicts: &'v [Value], rule: &str) -> &'v Value {
    verdicts.iter().find(|verdict| verdict["rule"] == rule).unwrap()
}

const OURS: [&str; 2] = [env!("CARGO_BIN_EXE_attache"), "agent"];

#[test]
fn our_agent_passes_every_probe() {
    for (version, at_least) in [("1", 180), ("2", 85)] {
        let ended = check(&["--json", "--protocol", version], &OURS);
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        let verdicts = verdicts(&ended);
        let fails: Vec<_> =
            verdicts.iter().filter(|verdict| verdict["verdict"] == "fail").collect();
        assert!(fails.is_empty(), "{fails:#?}");
        let passed = verdicts.iter().filter(|verdict| verdict["verdict"] == "pass").count();
        assert!(passed > at_least, "{passed}: {ended:#?}");
    }
}

/// An agent of version 1 breaks no rule of version 2, and none is judged.
#[test]
fn an_agent_of_another_version_is_not_judged() {
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#;
    let agent = format!("read line; echo '{reply}'; cat >/dev/null");
    let ended = check(&["--protocol", "2"], &["sh", "-c", &agent]);
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    let said = "the agent speaks version 1, so it cannot be judged by version 2: judge it by the version that it speaks, with --protocol";
    assert!(ended.stderr.contains(said) && ended.stdout.is_empty(), "{ended:#?}");
}

/// The tokens of this program are for servers, not for the programs that it judges.
#[test]
fn a_judged_program_gets_no_token_of_this_program() {
    for (side, command) in [
        ("agent", "env >env.txt; cat >/dev/null"),
        ("client", "env >env.txt # {agent}"),
        ("fuzz agent", "env >env.txt; cat >/dev/null"),
    ] {
        let project = Project::empty();
        let seen = project.path().join("env.txt");
        let script = command.replace("env.txt", seen.to_str().unwrap());
        let only = if side.starts_with("fuzz") { ["--runs", "1"] } else { ["--only", "INIT-01"] };
        let mut words: Vec<&str> = ["check"].into_iter().chain(side.split(' ')).collect();
        words.extend(only);
        words.extend(["--timeout", "1", "--", "sh", "-c", &script]);
        let mut attache = project.attache(&words);
        attache.env("ATTACHE_TOKEN", "s3cret").env("ATTACHE_NOTIFY_TOKEN", "s3cret");
        let output = attache.env("ORDINARY", "ordinary").output().unwrap();
        let seen = std::fs::read_to_string(&seen).unwrap_or_else(|_| panic!("{side}: {output:?}"));
        assert!(seen.contains("ORDINARY=ordinary"), "{side}: {seen}");
        assert!(!seen.contains("s3cret"), "{side}: {seen}");
    }
}

/// RPC-05.
#[test]
fn an_agent_that_fills_stderr_is_judged_like_any_other() {
    let loud = format!("head -c 1048576 /dev/zero >&2; exec '{}' agent", OURS[0]);
    let ended = check(&["--only", "EXT-02"], &["sh", "-c", &loud]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.starts_with("pass\n            EXT-02\n"), "{ended:#?}");
    assert!(ended.stdout.contains("\n1 rule: 1 pass, 0 fail"), "{ended:#?}");
}

/// RPC-03.
#[test]
fn text_on_stdout_is_reported_and_other_rules_are_judged() {
    let chatty = format!("printf 'Wel\\033[31mcome\\n'; exec '{}' agent", OURS[0]);
    let ended = check(&[], &["sh", "-c", &chatty]);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    // Passes come first; failures are at the end, where they stay visible.
    let (before, fails) = ended.stdout.split_once("\n\nfail       ").unwrap();
    assert!(before.starts_with("pass\n") && before.contains(" CONF-07 "), "{ended:#?}");
    assert!(
        fails.starts_with("RPC-03    must not   watching\n  rule      MUST NOT:"),
        "{ended:#?}"
    );
    assert!(ended.stdout.contains(" <- Wel") && !ended.stdout.contains('\u{1b}'), "{ended:#?}");
    assert!(ended.stdout.contains(" mandatory rules are broken: RPC-03.\n"), "{ended:#?}");
}

#[test]
fn a_silent_agent_gets_a_verdict_and_ends_soon() {
    let began = Instant::now();
    for (timeout, command, seen) in [
        ("0.2", vec!["sh", "-c", "sleep 600 & sleep 600"], "no such line within 0.6 s"),
        (
            "10",
            vec!["sh", "-c", "echo no key >&2; exit 3"],
            "the agent ended (exit code 3); its last output: no key",
        ),
        ("10", vec!["yes"], "the agent flooded the judge"),
        ("10", vec!["cat"], "the judge does not support this method"),
    ] {
        let ended = check(&["--json", "--timeout", timeout], &command);
        assert_eq!(ended.code, Some(4), "{ended:#?}");
        let verdicts = verdicts(&ended);
        let first = verdict(&verdicts, "INIT-05");
        assert!(
            first["verdict"] == "fail" && first["seen"].as_str().unwrap().contains(seen),
            "{first}"
        );
        assert_eq!(verdict(&verdicts, "CONF-07")["verdict"], "not tested");
    }
    assert!(began.elapsed() < Duration::from_secs(120), "sleeping processes delayed the end");
}

#[test]
fn wrong_arguments_are_reported() {
    check(&[], &["no-such-agent"]).failed(3, &["no program no-such-agent in PATH"]);
    check(&["--only", "ZZZ-1"], &OURS).failed(2, &["there is no rule \"ZZZ-1\""]);
    check(&["--timeout", "0"], &OURS).failed(2, &["number of seconds above 0"]);
}

/// An agent that does not start breaks INIT-05, whichever rules are selected, and none of the
/// selected rules counts as kept.
#[test]
fn an_agent_that_does_not_start_passes_no_selected_rule() {
    for (only, command) in [("RPC-01", "echo hello; exit 3"), ("RPC-01,RPC-11", "sleep 30")] {
        let only: Vec<&str> = only.split(',').flat_map(|rule| ["--only", rule]).collect();
        let arguments = [&["--timeout", "0.2"][..], &only].concat();
        let ended = check(&arguments, &["sh", "-c", command]);
        assert_eq!(ended.code, Some(4), "{ended:#?}");
        assert!(ended.stdout.contains("fail       INIT-05"), "{ended:#?}");
        assert!(
            ended.stdout.contains(" 0 pass, 1 fail,") && !ended.stdout.contains(" kept"),
            "{ended:#?}"
        );
    }
}

/// Rules that were not tested do not count as judged.
#[test]
fn a_judgement_without_a_verdict_says_so() {
    let ended = check(&["--only", "AUTH-09"], &OURS);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.contains(" 0 pass, 0 fail,"), "{ended:#?}");
    assert!(ended.stdout.contains("\nNo rule was judged.\n"), "{ended:#?}");
}

#[test]
fn a_missing_program_is_named_without_the_value_of_path() {
    let ended = check(&[], &["attache-no-such-program"]);
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    assert!(
        ended.stderr.contains("no program attache-no-such-program in PATH: install it"),
        "{ended:#?}"
    );
    assert!(!ended.stderr.contains("/bin"), "{ended:#?}");
}
