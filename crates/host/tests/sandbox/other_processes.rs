//! Checks that processes outside cannot be changed, and that interfaces to the kernel are refused.

use super::{Place, sandboxes};
use attache_host::Launch;
use std::fs;
use std::os::unix::net::UnixDatagram;

/// Calls that name another process.
const NAMED: [&str; 19] = [
    "prlimit",
    "prlimit-64",
    "affinity",
    "parameter",
    "scheduler",
    "attributes",
    "priority",
    "group-priority",
    "user-priority",
    "io-priority",
    "user-io-priority",
    "read-memory",
    "write-memory",
    "seize",
    "descriptor",
    "same",
    "pages",
    "advise",
    "counter",
];

/// Calls other than `kill` that send signals.
const SIGNALS: [&str; 3] = ["stop", "queue", "thread"];

/// Interfaces to the kernel and to namespaces.
const DOORS: [&str; 11] = [
    "namespace",
    "mount-namespace",
    "namespace-3",
    "unshare",
    "enter",
    "add-key",
    "program",
    "fault",
    "root",
    "clone-mount",
    "handle",
];

/// The observable settings of a process: its limits, its priority and its processors.
fn state(pid: u32) -> String {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
    let lines = read("status");
    let cpus = lines.lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap().to_owned();
    let stat = read("stat");
    // Among the fields after the name, the priority is the sixteenth, the nice value the
    // seventeenth and the policy the thirty-ninth.
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let at = |index: usize| *fields.get(index).unwrap();
    format!("{}{cpus} priority {} nice {} policy {}", read("limits"), at(15), at(16), at(38))
}

#[tokio::test]
async fn no_call_changes_a_process_outside() {
    // SAFETY: a plain system call. Landlock restricts signals from a certain version on.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, 1_usize) };
    for sandbox in sandboxes().await {
        let place = Place::new();
        let child = Launch::new("sleep").arg("1000").run().unwrap();
        let (pid, name) = (child.pid(), sandbox.name());
        let before = state(pid);
        let signals = SIGNALS.iter().filter(|_| name == "bubblewrap" || version >= 6);
        for deed in NAMED.iter().chain(signals) {
            let said = place.deed(&sandbox, &format!("{deed} {pid}")).await;
            // In its own namespaces a command may lower the priority of a user's processes, because
            // it sees only its own processes.
            let harmless = name == "bubblewrap" && deed.starts_with("user-");
            assert!(said.starts_with("refused") || harmless, "{name}: {deed}: {said}");
            assert!(child.try_exit().is_none(), "{name}: {deed} ended it");
        }
        if name == "Landlock" {
            assert_eq!(state(pid), before, "{name}");
        }
    }
}

#[tokio::test]
async fn calls_to_interfaces_of_the_kernel_are_refused() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        for deed in DOORS {
            let said = place.deed(&sandbox, &format!("{deed} 0")).await;
            assert!(said.starts_with("refused"), "{}: {deed}: {said}", sandbox.name());
        }
        if sandbox.name() == "Landlock" {
            for deed in ["shared-memory", "queue-of-messages"] {
                let said = place.deed(&sandbox, &format!("{deed} 0")).await;
                assert!(said.starts_with("refused"), "{}: {deed}: {said}", sandbox.name());
            }
        }
    }
}

#[tokio::test]
async fn a_process_may_change_itself_and_its_children() {
    for sandbox in sandboxes().await {
        assert_eq!(Place::new().deed(&sandbox, "own 0").await, "done", "{}", sandbox.name());
    }
}

#[tokio::test]
async fn a_socket_of_a_pair_reaches_no_address() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let path = place.at("project/log");
        let log = UnixDatagram::bind(&path).unwrap();
        log.set_nonblocking(true).unwrap();
        let said = place.deed(&sandbox, &format!("datagram {}", path.display())).await;
        assert!(said.starts_with("refused"), "{}: {said}", sandbox.name());
        assert!(log.recv(&mut [0]).is_err(), "{}: reached", sandbox.name());
    }
}

#[tokio::test]
async fn no_program_can_get_the_rights_of_its_owner() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let said =
            place.deed(&sandbox, &format!("set-user {}", place.at("project/note").display())).await;
        assert!(said.starts_with("refused"), "{}: {said}", sandbox.name());
    }
}
