//! Which placeholders remain when the program, its guardian or both are killed.

use super::marker::eventually;
use super::names::below;
use super::{Place, sandboxes};
use attache_host::{Launch, Sandbox, is_placeholder, reclaim_placeholders};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The protected names in the place, and one that is not protected.
const NAMES: [&str; 5] = [".claude", ".envrc", ".github/workflows", "sub/.cargo", "src"];

/// The variable that names the folder for the program when it runs again.
const OWNER: &str = "ATTACHE_TEST_OWNER";

/// A place with missing names, one of them below a missing folder.
fn place() -> Place {
    let mut place = Place::new();
    fs::create_dir(place.at("project/sub")).unwrap();
    let names = NAMES.iter().filter(|name| **name != "src");
    place.bounds.missing = names.map(|name| place.at("project").join(name)).collect();
    place
}

fn reclaim(place: &Place) {
    reclaim_placeholders(&place.at("project"), NAMES);
}

/// The process that started this one.
fn parent(process: u32) -> libc::pid_t {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}

fn signal(process: libc::pid_t, signal: libc::c_int) {
    // SAFETY: a system call; the process belongs to this test and has not been waited for.
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

/// Not a separate test: the program that is killed while its command runs.
#[tokio::test]
async fn owner() {
    let Some(project) = std::env::var_os(OWNER).map(PathBuf::from) else { return };
    let sandbox = Sandbox::bubblewrap().await.unwrap();
    let mut place = place();
    place.bounds.missing =
        NAMES.iter().filter(|name| **name != "src").map(|name| project.join(name)).collect();
    place.bounds.writable = vec![project.clone()];
    let launch = Launch::shell("echo ready; exec sleep 1000").cwd(&project);
    let mut command = launch.within(&sandbox, &place.bounds).unwrap().run().unwrap();
    assert_eq!(command.chunk().await.unwrap(), b"ready\n");
    println!("GUARDIAN {}", parent(command.pid()));
    std::io::stdout().flush().unwrap();
    command.wait().await;
}

/// Runs the program on a project. While the program's command runs, calls a function with the
/// process ids of the program and of the command's guardian.
fn with_owner(project: &Path, deed: impl FnOnce(libc::pid_t, libc::pid_t)) {
    let mut owner = Command::new(std::env::current_exe().unwrap());
    owner.args(["--exact", "leftovers::owner", "--nocapture"]).env(OWNER, project);
    let mut owner = owner.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let guardian = lines
        .find_map(|line| Some(line.unwrap().split_once("GUARDIAN ")?.1.parse().unwrap()))
        .unwrap();
    deed(owner.id().try_into().unwrap(), guardian);
    owner.wait().unwrap();
}

#[tokio::test]
async fn no_placeholder_remains_when_the_guardian_is_killed() {
    let Ok(sandbox) = Sandbox::bubblewrap().await else { return };
    let place = place();
    let before = below(&place.at("project"));
    let launch = Launch::shell("echo ready; exec sleep 1000");
    let mut command = place.inside(&sandbox, launch).run().unwrap();
    assert_eq!(command.chunk().await.unwrap(), b"ready\n");
    assert!(is_placeholder(&place.at("project/.claude")));
    reclaim(&place);
    assert!(
        is_placeholder(&place.at("project/.claude")),
        "a running command keeps its placeholders"
    );
    signal(parent(command.pid()), libc::SIGKILL);
    command.wait().await;
    assert_eq!(below(&place.at("project")), before);
}

#[tokio::test]
async fn no_placeholder_remains_when_the_program_is_killed() {
    if Sandbox::bubblewrap().await.is_err() {
        return;
    }
    let place = place();
    let before = below(&place.at("project"));
    with_owner(&place.at("project"), |owner, _| signal(owner, libc::SIGKILL));
    eventually("the guardian removes the placeholders", || below(&place.at("project")) == before);
}

#[tokio::test]
async fn the_next_check_removes_placeholders_that_remain_when_both_are_killed() {
    if Sandbox::bubblewrap().await.is_err() {
        return;
    }
    let place = place();
    let before = below(&place.at("project"));
    with_owner(&place.at("project"), |owner, guardian| {
        signal(guardian, libc::SIGSTOP);
        signal(owner, libc::SIGKILL);
        signal(guardian, libc::SIGKILL);
    });
    assert!(is_placeholder(&place.at("project/.claude")));
    // The state after an interrupted removal.
    let envrc = place.at("project/.envrc");
    for mark in fs::read_dir(&envrc).unwrap() {
        fs::remove_dir(mark.unwrap().path()).unwrap();
    }
    reclaim(&place);
    assert_eq!(below(&place.at("project")), before);
}

#[tokio::test]
async fn the_next_command_removes_old_placeholders_where_it_creates_new_ones() {
    for sandbox in sandboxes().await {
        let place = place();
        let before = below(&place.at("project"));
        if Sandbox::bubblewrap().await.is_ok() {
            with_owner(&place.at("project"), |owner, guardian| {
                signal(guardian, libc::SIGSTOP);
                signal(owner, libc::SIGKILL);
                signal(guardian, libc::SIGKILL);
            });
        }
        if sandbox.name() == "bubblewrap" {
            place.run(&sandbox, "true").await;
        }
        reclaim(&place);
        assert_eq!(below(&place.at("project")), before, "{}", sandbox.name());
    }
}

#[test]
fn what_another_made_stays() {
    let place = place();
    fs::create_dir(place.at("project/.claude")).unwrap();
    // A new mark from another machine, whose process id is in use here, stays. A mark from an
    // earlier version whose process has ended is removed.
    let own = std::process::id();
    for mark in [format!("{own}-1-2-0"), "4194305-0".to_owned()] {
        fs::create_dir_all(place.at("project/.envrc").join(format!(".attache-placeholder-{mark}")))
            .unwrap();
    }
    fs::write(place.at("project/src/.attache-placeholder-4194305-0"), "a file").unwrap();
    reclaim(&place);
    assert!(place.at("project/.claude").exists(), "an empty folder of the person");
    assert!(place.at("project/src/.attache-placeholder-4194305-0").exists());
    let left = below(&place.at("project/.envrc"));
    assert_eq!(
        left,
        [place.at("project/.envrc").join(format!(".attache-placeholder-{own}-1-2-0"))]
    );
}
