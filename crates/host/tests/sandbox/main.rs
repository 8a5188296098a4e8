//! The restrictions of every sandbox on this machine.
//!
//! This test program itself makes the attempts: it runs again inside the sandbox (see [`deed`]).
//! The tests find out independently of the crate which sandboxes the system offers.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails at the first unexpected value, and says what this machine lacks"
)]

use attache_host::{Bounded, Bounds, Exit, Launch, Sandbox};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

mod another_user;
mod deeds;
mod kernel_files;
mod leftovers;
mod names;
mod other_processes;

#[path = "../marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;

/// The variable that names the attempt that the program makes when it runs again.
const DEED: &str = "ATTACHE_TEST_DEED";

/// Every sandbox on this machine. Fails if the system offers one that the crate does not find.
async fn sandboxes() -> Vec<Sandbox> {
    let mut found = Vec::new();
    let words = [
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--unshare-pid",
        "--unshare-net",
        "true",
    ];
    let tried = std::process::Command::new("bwrap").args(words).output();
    match (Sandbox::bubblewrap().await, tried) {
        (Ok(sandbox), _) => found.push(sandbox),
        (Err(error), Ok(output)) if output.status.success() => panic!("bwrap works, but: {error}"),
        (Err(error), _) => eprintln!("not tried with bubblewrap: {error}"),
    }
    // SAFETY: with these arguments the system call only returns a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, 1_usize) };
    match Sandbox::landlock().await {
        Ok(sandbox) => found.push(sandbox),
        Err(error) if version > 0 => panic!("the kernel has Landlock {version}, but: {error}"),
        Err(error) => eprintln!("not tried with Landlock: {error}"),
    }
    match found.first() {
        Some(first) => {
            assert_eq!(
                Sandbox::find().await.unwrap().name(),
                first.name(),
                "the first sandbox that works"
            )
        }
        None => assert!(Sandbox::find().await.is_err()),
    }
    found
}

/// A project, another folder next to it that the command must not use, and this program.
struct Place {
    folder: tempfile::TempDir,
    bounds: Bounds,
}

impl Place {
    fn new() -> Self {
        // Not in `/tmp`, because bubblewrap hides it.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["project/.git/hooks", "project/src", "outside", "secrets", "temporary"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in [
            "project/.git/config",
            "project/src/a",
            "project/note",
            "outside/file",
            "secrets/key",
            "token",
        ] {
            fs::write(at(name), "before\n").unwrap();
        }
        copy_of_this_program(&at("project/deed"));
        let bounds = Bounds {
            writable: vec![at("project")],
            read_only: vec![at("project/.git"), at("project/.hg")],
            missing: Vec::new(),
            hidden: vec![at("secrets"), at("token"), at("missing")],
            temporary: Some(at("temporary")),
            network: false,
        };
        Self { folder, bounds }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn inside(&self, sandbox: &Sandbox, launch: Launch) -> Launch {
        launch.cwd(self.at("project")).within(sandbox, &self.bounds).unwrap()
    }

    /// Runs a script inside the sandbox.
    async fn run(&self, sandbox: &Sandbox, script: &str) -> (Exit, String) {
        ran(self.inside(sandbox, Launch::shell(script))).await
    }

    /// Makes an attempt inside the sandbox and returns its output.
    async fn deed(&self, sandbox: &Sandbox, deed: &str) -> String {
        let words = ["--exact", "deed", "--nocapture"];
        let launch = Launch::new(self.at("project/deed")).args(words).env(DEED, deed);
        let (_, said) = ran(self.inside(sandbox, launch)).await;
        let answer = said
            .lines()
            .find_map(|line| line.split_once("DEED "))
            .map(|(_, answer)| answer.to_owned());
        answer.unwrap_or_else(|| panic!("{}: {deed} said nothing: {said}", sandbox.name()))
    }
}

/// Lets another process copy this program. If this process made the copy, a process that it forks
/// meanwhile could hold the copy open for writing, and then the copy could not be started.
fn copy_of_this_program(to: &Path) {
    let copied =
        std::process::Command::new("cp").arg(std::env::current_exe().unwrap()).arg(to).status();
    assert!(copied.unwrap().success());
}

async fn ran(launch: Launch) -> (Exit, String) {
    let mut command = launch.run().unwrap();
    command.deadline(Duration::from_secs(60));
    let mut output = Bounded::new(64 * 1024);
    while let Some(chunk) = command.chunk().await {
        output.push(chunk);
    }
    assert!(!command.timed_out(), "no end: {}", output.text());
    (command.wait().await, output.text())
}

/// Not a separate test: the program that the tests run inside a sandbox.
#[test]
fn deed() {
    let Some(deed) = std::env::var(DEED).ok() else { return };
    let (deed, argument) = deed.split_once(' ').unwrap();
    let done: io::Result<()> = match deed {
        "tcp" => TcpStream::connect(argument).and_then(|mut stream| stream.write_all(b"!")),
        "udp" => UdpSocket::bind("127.0.0.1:0")
            .and_then(|socket| socket.send_to(b"!", argument))
            .map(drop),
        "listen" => TcpListener::bind(argument).map(drop),
        "unix" => UnixStream::connect(argument).and_then(|mut stream| stream.write_all(b"!")),
        "pair" => UnixStream::pair().map(drop),
        // SAFETY: the call gets no pointers.
        "trace" => number(unsafe {
            let pid: libc::pid_t = argument.parse().unwrap();
            libc::ptrace(libc::PTRACE_ATTACH, pid, 0, 0)
        }),
        "signal" => {
            number(unsafe { i64::from(libc::kill(argument.parse().unwrap(), libc::SIGUSR1)) })
        }
        "environment" => fs::read(format!("/proc/{argument}/environ")).map(drop),
        "mount" => number(i64::from(unsafe {
            libc::mount(c"none".as_ptr(), c"/mnt".as_ptr(), c"tmpfs".as_ptr(), 0, std::ptr::null())
        })),
        "keys" => number(unsafe { libc::syscall(libc::SYS_keyctl, 0, -3, 0) }),
        "ring" => number(unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, 0) }),
        "truncate" => number(i64::from(unsafe {
            libc::truncate(std::ffi::CString::new(argument).unwrap().as_ptr(), 0)
        })),
        other => deeds::done(other, argument),
    };
    println!(
        "\nDEED {}",
        done.map_or_else(|error| format!("refused: {error}"), |()| "done".into())
    );
}

fn number(result: i64) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[tokio::test]
async fn work_inside_the_bounds_is_not_restricted() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let script = "set -e; cat note src/a .git/config; echo new > src/new; rm src/a; mkdir src/deep
            mv src/new src/deep/newer; echo more >> note; echo x > /dev/null; cd $TMPDIR; echo t > t; cat t
            cat /etc/passwd | head -n 1 | wc -l; (exit 3)";
        let (exit, said) = place.run(&sandbox, script).await;
        let expected = "before\n".repeat(3) + "t\n1\n";
        assert_eq!((exit.code, said), (Some(3), expected), "{}", sandbox.name());
    }
}

#[tokio::test]
async fn nothing_outside_can_be_written() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let outside = place.at("outside");
        let script = format!(
            "o='{}'; for each in \"$o/new\" \"$o/file\" /etc/attache-test /usr/attache-test \"$HOME/attache-test\"; do
               echo after >> \"$each\" && echo wrote $each; done
             rm \"$o/file\" && echo removed; mv \"$o/file\" \"$o/other\" && echo moved; mkdir \"$o/folder\" && echo made
             ln src/a \"$o/link\" && echo linked; mv note \"$o/note\" && echo gone; ln -s \"$o\" src/way; echo a >> src/way/file && echo led
             true",
            outside.display()
        );
        let (exit, said) = place.run(&sandbox, &script).await;
        assert!(exit.success(), "{}: {said}", sandbox.name());
        // Some of the commands may have written to the private temporary folder instead. Only the
        // files that exist afterwards count.
        let names: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["file"], "{}: {said}", sandbox.name());
        assert_eq!(
            fs::read_to_string(outside.join("file")).unwrap(),
            "before\n",
            "{}: {said}",
            sandbox.name()
        );
        for path in ["/etc/attache-test", "/usr/attache-test"] {
            assert!(!Path::new(path).exists(), "{}: {path}", sandbox.name());
        }
        assert!(
            !said.contains("wrote /etc") && !said.contains("wrote /usr"),
            "{}: {said}",
            sandbox.name()
        );
        place.deed(&sandbox, &format!("truncate {}", outside.join("file").display())).await;
        assert_eq!(
            fs::read_to_string(outside.join("file")).unwrap(),
            "before\n",
            "{}",
            sandbox.name()
        );
    }
}

#[tokio::test]
async fn read_only_files_inside_the_bounds_cannot_be_written() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let script = "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; rm -rf .git; mv .git .old; rm .git/config
            mv .git/config src/; echo evil > src/config; mv src/config .git/config; ln src/a .git/hooks/link; cat .git/config";
        let (_, said) = place.run(&sandbox, script).await;
        assert!(said.ends_with("before\n"), "{}: it is readable: {said}", sandbox.name());
        assert_eq!(
            fs::read_to_string(place.at("project/.git/config")).unwrap(),
            "before\n",
            "{}",
            sandbox.name()
        );
        assert_eq!(
            fs::read_dir(place.at("project/.git/hooks")).unwrap().count(),
            0,
            "{}",
            sandbox.name()
        );
    }
}

#[tokio::test]
async fn hidden_files_cannot_be_read() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let (secrets, token) = (place.at("secrets"), place.at("token"));
        let script = format!(
            "cat '{0}/key' '{1}'; cp -r '{0}' here; cat here/key; echo evil > '{0}/key'; echo evil > '{1}'",
            secrets.display(),
            token.display()
        );
        let (_, said) = place.run(&sandbox, &script).await;
        assert!(!said.contains("before"), "{}: {said}", sandbox.name());
        assert_eq!(
            fs::read_to_string(secrets.join("key")).unwrap(),
            "before\n",
            "{}",
            sandbox.name()
        );
        assert_eq!(fs::read_to_string(token).unwrap(), "before\n", "{}", sandbox.name());
    }
}

#[tokio::test]
async fn connections_work_only_if_the_network_is_allowed() {
    for sandbox in sandboxes().await {
        let mut place = Place::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_nonblocking(true).unwrap();
        let (tcp, udp) = (listener.local_addr().unwrap(), receiver.local_addr().unwrap());
        for deed in [format!("tcp {tcp}"), format!("udp {udp}"), "listen 127.0.0.1:0".to_owned()] {
            let said = place.deed(&sandbox, &deed).await;
            assert!(said.starts_with("refused"), "{}: {deed}: {said}", sandbox.name());
        }
        assert!(listener.accept().is_err(), "{}: reached", sandbox.name());
        assert!(receiver.recv(&mut [0]).is_err(), "{}: reached", sandbox.name());
        place.bounds.network = true;
        assert_eq!(place.deed(&sandbox, &format!("tcp {tcp}")).await, "done", "{}", sandbox.name());
        let (mut stream, _) = listener.accept().unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"!");
    }
}

#[tokio::test]
async fn programs_that_could_act_for_the_command_cannot_be_reached() {
    for sandbox in sandboxes().await {
        let mut place = Place::new();
        let socket = place.at("project/socket");
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        for network in [false, true] {
            place.bounds.network = network;
            let said = place.deed(&sandbox, &format!("unix {}", socket.display())).await;
            assert!(said.starts_with("refused"), "{}: {said}", sandbox.name());
            assert!(listener.accept().is_err(), "{}: reached", sandbox.name());
        }
        assert_eq!(place.deed(&sandbox, "pair -").await, "done", "{}", sandbox.name());
    }
}

#[tokio::test]
async fn the_kernel_and_other_processes_are_out_of_reach() {
    // SAFETY: a system call that returns the version of Landlock, on which the restriction of
    // signals depends.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, 1_usize) };
    for sandbox in sandboxes().await {
        let place = Place::new();
        let child = Launch::new("sleep").arg("1000").run().unwrap();
        for deed in ["trace", "environment", "mount", "keys", "ring"] {
            let said = place.deed(&sandbox, &format!("{deed} {}", child.pid())).await;
            assert!(said.starts_with("refused"), "{}: {deed}: {said}", sandbox.name());
        }
        if sandbox.name() == "bubblewrap" || version >= 6 {
            let said = place.deed(&sandbox, &format!("signal {}", child.pid())).await;
            assert!(said.starts_with("refused"), "{}: {said}", sandbox.name());
            assert_eq!(child.try_exit(), None, "{}", sandbox.name());
        }
    }
}

#[tokio::test]
async fn a_tree_in_a_sandbox_is_owned_like_any_other() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        for how in ["end", "kill", "drop", "deadline"] {
            let marker = marker::fresh();
            let last = if how == "end" { "exit 5" } else { "sleep 1000" };
            let script = format!(
                "setsid sh -c 'setsid sleep 1000 & sleep 1000' & (sleep 1000 &) ; echo ready; {last}"
            );
            let mut command = place
                .inside(&sandbox, Launch::shell(script).env(marker::NAME, &marker))
                .run()
                .unwrap();
            assert_eq!(command.chunk().await.unwrap(), b"ready\n", "{} {how}", sandbox.name());
            match how {
                "end" => assert_eq!(command.wait().await.code, Some(5), "{}", sandbox.name()),
                "kill" => {
                    command.kill();
                    assert_eq!(command.wait().await.signal, Some(9), "{}", sandbox.name());
                }
                "deadline" => {
                    command.deadline(Duration::from_millis(50));
                    command.wait().await;
                    assert!(command.timed_out(), "{}", sandbox.name());
                }
                _ => {
                    drop(command);
                    marker::expect_none(&marker);
                }
            }
            assert_eq!(marker::alive(&marker), [], "{} {how}", sandbox.name());
        }
    }
}

#[tokio::test]
async fn a_missing_program_and_a_signal_are_reported() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let (exit, said) = place.run(&sandbox, "attache-no-such-program").await;
        assert_eq!(exit.code, Some(127), "{}: {said}", sandbox.name());
        let (exit, _) = place.run(&sandbox, "kill -9 $$").await;
        assert!(exit.signal == Some(9) || exit.code == Some(137), "{}: {exit}", sandbox.name());
    }
}

#[tokio::test]
async fn a_command_in_a_sandbox_may_have_a_terminal() {
    for sandbox in sandboxes().await {
        let place = Place::new();
        let launch =
            place.inside(&sandbox, Launch::shell("test -t 1 && stty size; echo x > /dev/tty"));
        let mut command = launch.run_in_terminal(30, 100).unwrap();
        let mut output = Bounded::new(1024);
        while let Some(chunk) = command.chunk().await {
            output.push(chunk);
        }
        assert_eq!(output.text(), "30 100\r\nx\r\n", "{}", sandbox.name());
    }
}
