//! The person's permission rules: their files, and their description in `doctor`.

use crate::project::{Ended, Project};
use std::fs;
use std::process::Command;

const RULES: &str = "[[allow]]\ncommand = \"mkdir\"\n\n[[deny]]\nreads = \"private/**\"\n\n[[ask]]\nhost = \"docs.rs\"\nproject = \"/home/ada\"\n";

/// A project and a home folder with this file of rules.
fn person(name: &str, rules: &str) -> (Project, Project) {
    let (project, home) = (Project::empty(), Project::empty());
    let file = home.path().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, rules).unwrap();
    (project, home)
}

fn command(project: &Project, home: &Project, arguments: &[&str]) -> Command {
    let mut command = project.attache(arguments);
    command
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env_remove("ATTACHE_PERMISSIONS");
    command
}

fn ran(mut command: Command) -> Ended {
    command.output().unwrap().into()
}

/// Without a person, only actions that a rule allows are performed.
#[test]
fn rules_from_the_usual_file_a_setting_or_a_variable_apply() {
    let makes = ["run", "run mkdir made"];
    for (name, setting, variable) in [
        ("attache/permissions.toml", false, false),
        ("mine.toml", true, false),
        ("mine.toml", false, true),
    ] {
        let (project, home) = person(name, RULES);
        let file = home.path().join(name);
        if setting {
            ran(command(
                &project,
                &home,
                &["config", "set", "permissions", file.to_str().unwrap()],
            ));
        }
        let mut run = command(&project, &home, &makes);
        if variable {
            run.env("ATTACHE_PERMISSIONS", &file);
        }
        let ended = ran(run);
        assert!(project.path().join("made").is_dir(), "{name} {setting} {variable}: {ended:?}");
    }
    for (name, variable) in [("mine.toml", "other.toml"), ("attache/permissions.toml", "none")] {
        let (project, home) = person(name, RULES);
        let mut run = command(&project, &home, &makes);
        run.env("ATTACHE_PERMISSIONS", variable);
        let ended = ran(run);
        assert!(!project.path().join("made").exists(), "{name} {variable}: {ended:?}");
    }
}

#[test]
fn doctor_shows_the_rules_that_apply() {
    let (project, home) = person("attache/permissions.toml", RULES);
    fs::create_dir(project.path().join(".attache")).unwrap();
    let own = "[[allow]]\ncommand = \"evil\"\n\n[[deny]]\ncommand = \"git push\"\n";
    fs::write(project.path().join(".attache/permissions.toml"), own).unwrap();
    let text = ran(command(&project, &home, &["doctor"])).stdout;
    for line in [
        "attache/permissions.toml  (3 rules)\n",
        " commands that start with `mkdir` are allowed\n",
        " reads of `private/**` are forbidden\n",
        " fetches from `docs.rs` ask in /home/ada\n",
        "this project's       .attache/permissions.toml: only rules that ask or deny apply  (1 rule)\n",
        " commands that start with `git push` are forbidden\n",
    ] {
        assert!(text.contains(line), "doctor lacks {line:?}: {text}");
    }
    assert!(!text.contains("evil"), "{text}");
}

#[test]
fn doctor_counts_many_rules_and_shows_them_with_a_flag() {
    let rules: String =
        (0..11).map(|number| format!("[[allow]]\ncommand = \"make {number}\"\n")).collect();
    let (project, home) = person("attache/permissions.toml", &rules);
    let text = ran(command(&project, &home, &["doctor"])).stdout;
    assert!(text.contains("(11 rules; -v shows them)") && !text.contains("make 3"), "{text}");
    let text = ran(command(&project, &home, &["doctor", "-v"])).stdout;
    assert!(text.contains("(11 rules)") && text.contains("`make 3` are allowed"), "{text}");
}

#[test]
fn doctor_reports_broken_rules_with_their_line() {
    let (project, home) =
        person("mine.toml", "\n[[deny]]\ncomand = \"rm\"\n[[allow]]\ncommand = \"ls\"\n");
    let mut doctor = command(&project, &home, &["doctor"]);
    doctor.env("ATTACHE_PERMISSIONS", home.path().join("mine.toml"));
    let text = ran(doctor).stdout;
    assert!(text.contains("mine.toml  (no rules; it allows nothing until you fix it)"), "{text}");
    assert!(text.contains("mine.toml, line 2: ") && text.contains("comand"), "{text}");
    let (project, home) = (Project::empty(), Project::empty());
    let text = ran(command(&project, &home, &["doctor"])).stdout;
    assert!(text.contains("none; \"always\" choices are stored in "), "{text}");
}

/// A project could use relative and empty entries of `PATH` to replace programs that only read, so
/// these entries are ignored. A program that an absolute entry leads to in the project needs
/// permission.
#[test]
fn a_project_cannot_replace_programs_that_only_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let (project, home) = person("attache/permissions.toml", "");
    for name in ["ls", "bin/ls"] {
        let file = project.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "#!/bin/sh\necho replaced\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let inherited = std::env::var("PATH").unwrap();
    let own = project.path().join("bin").display().to_string();
    for first in [".", "", "bin", "./bin", &own] {
        let mut run = command(&project, &home, &["run", "run ls"]);
        let ended = ran({
            run.env("PATH", format!("{first}:{inherited}"));
            run
        });
        let shown = format!("{ended:?}");
        assert!(!shown.contains("replaced"), "{first:?}: {shown}");
        assert_eq!(shown.contains("bin"), first != own, "{first:?}: {shown}");
    }
}
