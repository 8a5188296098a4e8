//! Plays every row of `corpus/corpus.tsv`.

use crate::Touch;
use crate::folders::Folders;
use crate::{Judge, Mode, Rule, Rules};
use std::fmt::Write as _;
use std::path::Path;

const CORPUS: &str = include_str!("../corpus/corpus.tsv");

/// The project of the corpus.
pub(super) fn project() -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let at = |path: &str| project.join(path);
    for file in [
        "src/main.rs",
        "README.md",
        ".env",
        ".git/HEAD",
        ".git/hooks/x",
        "tls/server.pem",
        "deploy/id_rsa",
        "docs/guide.md",
        "secrets.json",
        ".aws/config.json",
        "private/plan.txt",
        "odd/-oREADME.md",
    ] {
        std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        std::fs::write(at(file), "x\n").unwrap();
    }
    std::fs::create_dir(folder.path().join("outside")).unwrap();
    std::fs::write(folder.path().join("outside/notes.txt"), "x\n").unwrap();
    for (to, link) in [
        (".env", "notes-link.txt"),
        (".git/hooks", "hooks-link"),
        ("/etc", "etc-link"),
        ("../outside", "outside-link"),
    ] {
        std::os::unix::fs::symlink(to, at(link)).unwrap();
    }
    let folders = Folders::new(&[project]).unwrap();
    (folder, folders)
}

/// The rules of a named set that apply in all projects, and whether their file is broken.
fn rules(name: &str) -> (Vec<Rule>, bool) {
    if name == "none" {
        return (Vec::new(), false);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{name}.toml"));
    assert!(path.exists(), "{name}");
    let rules = Rules::read(&path);
    assert_eq!(
        rules.faults().is_empty(),
        !["wrong", "torn"].contains(&name),
        "{name}: {:?}",
        rules.faults()
    );
    (
        rules.rules.into_iter().filter(|rule| rule.scope == crate::RuleScope::Always).collect(),
        rules.broken,
    )
}

struct Row<'r> {
    modes: Vec<Mode>,
    rules: &'r str,
    sandbox: &'r str,
    decision: &'r str,
    reason: &'r str,
    kind: &'r str,
    given: String,
}

fn row<'r>(line: &'r str, project: &Path) -> Row<'r> {
    let cells: Vec<_> = line.split('\t').map(str::trim_end).collect();
    let [modes, rules, sandbox, decision, reason, _] = cells[..6] else { panic!("{line}") };
    // Spaces at the end belong to the action.
    let action = line.split('\t').nth(5).unwrap();
    let (kind, given) = action.split_once(':').unwrap();
    let given = given.strip_prefix(' ').unwrap_or(given);
    let text = given.starts_with('"').then(|| serde_json::from_str::<String>(given).ok()).flatten();
    let given =
        text.unwrap_or_else(|| given.to_owned()).replace("{project}", project.to_str().unwrap());
    let modes = match modes {
        "*" => Mode::ALL.to_vec(),
        modes => modes.split(',').map(Mode::of).collect(),
    };
    Row { modes, rules, sandbox, decision, reason, kind, given }
}

fn verdict(row: &Row<'_>, judge: &Judge<'_>) -> crate::decision::Verdict {
    let tool = |name: &str, path: &str| judge.verdict(name, &Touch::Reads(vec![path]));
    match row.kind {
        kind @ ("read" | "list" | "grep") => tool(kind, &row.given),
        "change" => judge.verdict_of(&Touch::Changes(row.given.split(", ").collect())),
        "run" => {
            let (sandboxed, network) = (row.sandbox != "-", row.sandbox != "box");
            if row.sandbox == "out" {
                return judge.verdict_of(&Touch::Unsandboxed { command: &row.given });
            }
            judge.verdict_of(&Touch::Runs { command: &row.given, sandboxed, network })
        }
        "mcp" => {
            let (server, tool) = row.given.split_once(' ').unwrap();
            judge.verdict_of(&Touch::Mcp { server, tool })
        }
        "fetch" => judge.verdict_of(&Touch::Fetches { url: &row.given }),
        kind => panic!("{kind}"),
    }
}

#[test]
fn every_row_of_the_corpus_has_its_stated_decision() {
    let (_folder, folders) = project();
    let (mut rows, mut wrong) = (0, String::new());
    for (number, line) in (1..).zip(CORPUS.lines()) {
        if line.is_empty() || line.starts_with('#') || line.starts_with("mode ") {
            continue;
        }
        rows += 1;
        let row = row(line, folders.cwd());
        let (rules, broken) = rules(row.rules);
        for mode in &row.modes {
            let judge =
                Judge { mode: *mode, rules: &rules, broken, folders: &folders, scratch: None };
            let verdict = verdict(&row, &judge);
            let effect = match verdict.effect {
                crate::Effect::Allow => "run",
                crate::Effect::Ask => "ask",
                crate::Effect::Deny => "refuse",
            };
            let found = (effect, verdict.reason.id());
            if found != (row.decision, row.reason) {
                writeln!(
                    wrong,
                    "line {number}, {}, {}, {}: {} {}, found {} {}: {}: {:?}",
                    mode.id(),
                    row.rules,
                    row.sandbox,
                    row.decision,
                    row.reason,
                    found.0,
                    found.1,
                    row.kind,
                    row.given
                )
                .unwrap();
            }
        }
    }
    assert!(rows >= 300, "{rows} rows");
    assert!(wrong.is_empty(), "{} have another decision:\n{wrong}", wrong.lines().count());
}
