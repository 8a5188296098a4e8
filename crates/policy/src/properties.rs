//! Tests properties of decisions that hold for all rules and commands.

use crate::Touch;
use crate::corpus::project;
use crate::folders::Folders;
use crate::shell::parts;
use crate::{Effect, Judge, Mode, Rule, Subject};
use proptest::prelude::*;
use std::process::Command;
use std::sync::LazyLock;

static PROJECT: LazyLock<(tempfile::TempDir, Folders)> = LazyLock::new(project);

/// Commands of every kind: commands that only read, plain commands, commands that use protected
/// files or files outside of the folders, commands that run other programs, and lines that cannot
/// be parsed.
const COMMANDS: &[&str] = &[
    "ls",
    "cat README.md",
    "cat .env",
    "cat /etc/passwd",
    "touch a",
    "touch .git/config",
    "cargo test",
    "cargo build -q",
    "git status",
    "git push",
    "git -c a=b log",
    "rm x",
    "sudo rm x",
    "xargs rm",
    "sh -c 'rm x'",
    "eval rm x",
    "$X y",
    "echo x > a",
    "echo x > .git/hooks/y",
    "X=1 cargo test",
    "cd src",
    "cd ..",
    "for f in a; do rm $f; done",
    "echo $(rm x)",
];

const JOINTS: &[&str] = &["; ", " && ", " || ", " | ", "\n", " & "];

fn subject() -> impl Strategy<Value = Subject> {
    let words = [
        "ls",
        "cat",
        "touch",
        "cargo",
        "cargo test",
        "git",
        "git push",
        "rm",
        "sudo",
        "sh",
        "echo",
        "eval",
    ];
    let command = prop::sample::select(words.to_vec());
    let line = prop::sample::select(COMMANDS);
    prop_oneof![
        4 => command.prop_map(|words| {
            Subject::Command(words.split(' ').map(str::to_owned).collect())
        }),
        2 => line.prop_map(|line| Subject::Line(line.to_owned())),
        1 => Just(Subject::Tool("execute".to_owned())),
        1 => Just(Subject::Changes(crate::Pattern::new("**").unwrap())),
        1 => Just(Subject::Reads(crate::Pattern::new("**").unwrap())),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let effect = prop::sample::select(vec![Effect::Allow, Effect::Ask, Effect::Deny]);
    (effect, subject()).prop_map(|(effect, subject)| Rule::new(effect, subject))
}

fn line() -> impl Strategy<Value = String> {
    let one = prop::sample::select(COMMANDS);
    let more =
        prop::collection::vec((prop::sample::select(JOINTS), prop::sample::select(COMMANDS)), 0..3);
    (one, more).prop_map(|(one, more)| {
        more.into_iter().fold(one.to_owned(), |line, (joint, next)| line + joint + next)
    })
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(Mode::ALL.to_vec())
}

fn decided(rules: &[Rule], mode: Mode, command: &str, sandboxed: bool) -> Effect {
    let judge = Judge { mode, rules, broken: false, folders: &PROJECT.1, scratch: None };
    judge.verdict_of(&Touch::Runs { command, sandboxed, network: false }).effect
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Deny, then ask, then allow: adding an allowing rule never overrides a stricter one, and
    /// adding a stricter rule never loosens a decision.
    #[test]
    fn the_strictest_rule_wins(
        rules in prop::collection::vec(rule(), 0..4),
        more in rule(),
        line in line(),
        mode in mode(),
        sandboxed: bool,
    ) {
        let before = decided(&rules, mode, &line, sandboxed);
        let mut after = rules.clone();
        after.push(more.clone());
        let after = decided(&after, mode, &line, sandboxed);
        match more.effect {
            Effect::Allow => {
                prop_assert!(after <= before, "an allowing rule made it stricter");
                prop_assert!(before != Effect::Deny || after == Effect::Deny, "an allowing rule overrode a denial");
            }
            Effect::Ask | Effect::Deny => prop_assert!(after >= before, "a stricter rule loosened the decision"),
        }
    }

    /// The order of the rules does not matter.
    #[test]
    fn the_order_of_rules_does_not_matter(
        rules in prop::collection::vec(rule(), 0..5),
        line in line(),
        mode in mode(),
    ) {
        let backwards: Vec<_> = rules.iter().rev().cloned().collect();
        prop_assert_eq!(decided(&rules, mode, &line, true), decided(&backwards, mode, &line, true));
    }

    /// A line is never more allowed than the strictest of its commands. Rules for whole lines are
    /// left out, because such a rule does not apply to the commands of its line one by one.
    #[test]
    fn a_compound_command_is_never_more_allowed_than_its_strictest_part(
        rules in prop::collection::vec(rule(), 0..4),
        line in line(),
        joint in prop::sample::select(JOINTS),
        other in prop::sample::select(COMMANDS),
        first: bool,
        mode in mode(),
        sandboxed: bool,
    ) {
        let is_about_the_line = |rule: &Rule| matches!(rule.subject, Subject::Line(_));
        let rules: Vec<_> = rules.into_iter().filter(|rule| !is_about_the_line(rule)).collect();
        let both = match first {
            true => format!("{other}{joint}{line}"),
            false => format!("{line}{joint}{other}"),
        };
        let apart = decided(&rules, mode, &line, sandboxed)
            .max(decided(&rules, mode, other, sandboxed));
        prop_assert!(decided(&rules, mode, &both, sandboxed) >= apart, "{both:?}");
    }

    /// Every offered rule that allows makes the action run the next time without a question.
    #[test]
    fn an_offered_rule_allows_the_action(
        line in line(),
        rules in prop::collection::vec(rule(), 0..3),
        mode in mode(),
    ) {
        let folders = &PROJECT.1;
        let judge = Judge { mode, rules: &rules, broken: false, folders, scratch: None };
        let touch = Touch::Runs { command: &line, sandboxed: false, network: true };
        let verdict = judge.verdict_of(&touch);
        if verdict.effect == Effect::Ask {
            let question = judge.question(verdict.reason, &touch, true);
            prop_assert!(question.options().len() <= 6);
            if let Some(subject) = question.allow {
                let mut rules = rules.clone();
                rules.push(Rule::new(Effect::Allow, subject));
                prop_assert_eq!(decided(&rules, mode, &line, false), Effect::Allow);
            }
        }
    }

    /// Judging a text never panics. A rule for commands never allows a line that cannot be
    /// parsed.
    #[test]
    fn any_text_is_judged_without_panic(text in "[ -~\n\t$`'\"(){}<>|&;\\\\é\u{200b}]{0,60}", mode in mode()) {
        let allowed = Rule::new(Effect::Allow, Subject::Command(vec!["a".into()]));
        let decision = decided(&[allowed], mode, &text, true);
        prop_assert!(parts(&text).is_ok() || decision != Effect::Allow, "{text:?}");
    }
}

/// Creates programs that record how they were started.
fn witnesses() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        let path = folder.path().join(name);
        let script = format!("#!/bin/sh\necho {name} >> \"$LOG\"\necho out\n");
        std::fs::write(&path, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    folder
}

/// Pieces of command lines that do no harm in any shell.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "c",
        " ",
        " ",
        " ",
        ";",
        "&&",
        "||",
        "|",
        "\n",
        "(",
        ")",
        "{ ",
        "; }",
        "$(",
        "`",
        "\"",
        "'",
        "\\",
        "#",
        "<f",
        ">f",
        "2>&1",
        "<<E\n",
        "\nE\n",
        "if ",
        "; then ",
        "; fi",
        "for x in ",
        "; do ",
        "; done",
        "!",
        "$x",
        "=",
        "{",
        "}",
        "*",
        "~",
        "else ",
        "case a in ",
        ") ",
        ";; ",
        "esac",
        "while ",
        "\\\n",
        "$",
        "&",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Runs lines in the shell of this machine, if the parser understands them, and checks that the
    /// parser found every program that the shell starts.
    #[test]
    fn the_parser_finds_every_program_that_the_shell_starts(
        pieces in prop::collection::vec(piece(), 1..14),
    ) {
        static WITNESSES: LazyLock<tempfile::TempDir> = LazyLock::new(witnesses);
        let line: String = pieces.concat();
        // A line with `while` could run forever.
        prop_assume!(!line.contains("while"));
        if let Ok(parts) = crate::line::commands(&line) {
            let programs = parts.iter().filter_map(crate::command::program);
            let seen: Vec<_> = programs.map(str::to_owned).collect();
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("f"), "").unwrap();
            let log = folder.path().join("log");
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(&line).current_dir(folder.path()).env_clear();
            shell.env("PATH", WITNESSES.path()).env("LOG", &log).env("HOME", folder.path());
            shell.stdin(std::process::Stdio::null()).output().unwrap();
            for started in std::fs::read_to_string(&log).unwrap_or_default().lines() {
                prop_assert!(seen.iter().any(|program| program == started), "{line:?} started {started}, seen were {seen:?}");
            }
        }
    }
}
