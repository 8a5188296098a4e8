//! Starts, environment, stop and exit of one program.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use attache_host::{Child, Exit, Launch, StartError, StopPatience};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[path = "marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;

/// Long enough that no test waits for it. A test that waits this long fails, because the wrong step
/// ended the program.
const LONG: Duration = Duration::from_secs(60);

/// Short enough that a test can wait for it.
const SHORT: Duration = Duration::from_millis(50);

fn code(code: i32) -> Exit {
    Exit { code: Some(code), signal: None }
}

fn signal(signal: i32) -> Exit {
    Exit { code: None, signal: Some(signal) }
}

async fn output(child: &mut Child) -> String {
    let mut text = String::new();
    child.take_stdout().unwrap().read_to_string(&mut text).await.unwrap();
    text
}

/// Waits for one byte of stdout, with which the program reports that it is ready.
async fn ready(child: &mut Child) -> tokio::net::unix::pipe::Receiver {
    let mut stdout = child.take_stdout().unwrap();
    stdout.read_u8().await.unwrap();
    stdout
}

#[tokio::test]
async fn stdin_and_stdout_are_the_programs() {
    let mut cat = Launch::new("cat").start().unwrap();
    let mut stdin = cat.take_stdin().unwrap();
    stdin.write_all("héllo\n".as_bytes()).await.unwrap();
    drop(stdin);
    assert_eq!(output(&mut cat).await, "héllo\n");
    assert_eq!(cat.wait().await, code(0));
    assert_eq!(cat.try_exit(), Some(code(0)));
    assert!(cat.take_stdin().is_none() && cat.take_stdout().is_none());
}

#[tokio::test]
async fn exit_codes_and_signals_are_reported_exactly() {
    for (script, exit) in [
        ("exit 0", code(0)),
        ("exit 3", code(3)),
        ("exit 255", code(255)),
        ("kill -9 $$", signal(9)),
        ("kill -TERM $$", signal(15)),
        ("kill -SEGV $$", signal(11)),
        ("kill -40 $$", signal(40)),
    ] {
        assert_eq!(Launch::shell(script).start().unwrap().wait().await, exit, "{script}");
    }
}

#[tokio::test]
async fn many_may_wait_and_a_wait_may_be_dropped() {
    let mut child = Launch::shell("read line; exit 7").start().unwrap();
    let watch = child.watch();
    assert!(tokio::time::timeout(SHORT, child.wait()).await.is_err());
    assert_eq!(watch.exit(), None);
    drop(child.take_stdin());
    let (one, two, three) =
        tokio::join!(child.wait(), watch.wait(), child.watch().wait_owned_twice());
    assert_eq!((one, two, three), (code(7), code(7), code(7)));
    drop(child);
    assert_eq!(watch.wait().await, code(7), "the watch outlives the child");
}

trait WaitTwice {
    async fn wait_owned_twice(self) -> Exit;
}

impl WaitTwice for attache_host::ChildWatch {
    async fn wait_owned_twice(self) -> Exit {
        self.wait().await;
        self.wait().await
    }
}

#[tokio::test]
async fn stop_first_closes_stdin() {
    let mut child =
        Launch::shell("trap 'exit 9' TERM; while read line; do :; done; exit 4").start().unwrap();
    assert_eq!(
        child.stop(StopPatience { after_stdin: LONG, after_terminate: LONG }).await,
        code(4)
    );
}

#[tokio::test]
async fn stop_then_asks_the_group_to_terminate() {
    // The whole group, a wrapper and its program, gets the signal. The program has time to finish.
    let inner = "trap 'sleep 0.2; echo inner >&2; exit 0' TERM; echo; while :; do sleep 0.01; done";
    let script = format!("trap 'exit 5' TERM; (trap - TERM; exec sh -c \"{inner}\") & wait");
    let mut child = Launch::shell(script).start().unwrap();
    let _stdout = ready(&mut child).await;
    let exit = child.stop(StopPatience { after_stdin: SHORT, after_terminate: LONG }).await;
    assert_eq!(exit, code(5));
    // Some shells announce "Terminated" first.
    assert!(child.stderr_tail().ends_with("inner\n"), "{}", child.stderr_tail());
}

#[tokio::test]
async fn stop_last_kills_the_group() {
    let mut child =
        Launch::shell("trap '' TERM; echo; while :; do sleep 0.01; done").start().unwrap();
    let _stdout = ready(&mut child).await;
    let exit = child.stop(StopPatience { after_stdin: SHORT, after_terminate: SHORT }).await;
    assert_eq!(exit, signal(9));
}

#[tokio::test]
async fn a_stopped_program_is_terminated_too() {
    let mut child = Launch::shell("echo; kill -STOP $$; sleep 1000").start().unwrap();
    let _stdout = ready(&mut child).await;
    let exit = child.stop(StopPatience { after_stdin: SHORT, after_terminate: LONG }).await;
    assert_eq!(exit, signal(15));
}

/// RPC-05.
#[tokio::test]
async fn a_mebibyte_of_stderr_does_not_block_and_its_end_is_kept() {
    let seen = Arc::new(Mutex::new(0));
    let count = seen.clone();
    let script = "head -c 1048576 /dev/zero | tr '\\0' x >&2; printf 'last wörd' >&2; exit 1";
    let child = Launch::shell(script)
        .on_stderr(move |bytes| *count.lock().unwrap() += bytes.len())
        .start()
        .unwrap();
    assert_eq!(child.wait().await, code(1));
    let tail = child.stderr_tail();
    assert_eq!(tail.len(), 64 * 1024);
    assert!(tail.ends_with("xlast wörd"));
    assert_eq!(*seen.lock().unwrap(), 1_048_576 + "last wörd".len());
}

#[tokio::test]
async fn a_hook_that_panics_does_not_stop_the_drain() {
    let script = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo done >&2";
    let child = Launch::shell(script).on_stderr(|_| panic!("a hook's bug")).start().unwrap();
    assert_eq!(child.wait().await, code(0));
    assert!(child.stderr_tail().ends_with("xdone\n"));
}

#[tokio::test]
async fn the_program_sees_three_descriptors_a_clean_mask_and_its_own_group() {
    let leak = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: a plain system call on an open descriptor.
    let inherited = unsafe { libc::dup(leak.as_raw_fd()) };
    assert!(inherited > 2, "a descriptor without close-on-exec");
    let mut shell =
        Launch::shell("ls /proc/$$/fd; cut -d' ' -f5 /proc/$$/stat; echo $$").start().unwrap();
    let pid = shell.pid();
    assert_eq!(output(&mut shell).await, format!("0\n1\n2\n{pid}\n{pid}\n"));

    let mut cat = Launch::new("cat").arg("/proc/self/status").start().unwrap();
    let status = output(&mut cat).await;
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    // Signals 32 and 33 belong to the C library, and no program can change them.
    assert_eq!((set("SigBlk:"), set("SigIgn:") & !(0b11 << 31)), (0, 0));
}

#[tokio::test]
async fn pipes_hold_a_mebibyte_where_the_system_grants_it() {
    let size = |end: &dyn AsRawFd| {
        // SAFETY: a plain system call on an open descriptor.
        unsafe { libc::fcntl(end.as_raw_fd(), libc::F_GETPIPE_SZ) }
    };
    let (ours, _other) = io::pipe().unwrap();
    // SAFETY: as above.
    let granted = unsafe { libc::fcntl(ours.as_raw_fd(), libc::F_SETPIPE_SZ, 1_048_576) };
    let mut child = Launch::new("cat").start().unwrap();
    let expected = if granted == 1_048_576 { granted } else { size(&ours) };
    assert_eq!(size(&child.take_stdin().unwrap()), expected);
    assert_eq!(size(&child.take_stdout().unwrap()), expected);
}

#[tokio::test]
async fn folder_and_environment_are_as_requested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut child = Launch::new("/bin/sh")
        .args(["-c", "pwd; env | grep -v -e '^PWD=' -e '^_=' -e SHLVL -e OLDPWD"])
        .cwd(&folder)
        .env("A", "1")
        .env("B", "2")
        .env_remove("B")
        .clear_env()
        .env("PATH", "/bin:/usr/bin")
        .start()
        .unwrap();
    let mut lines: Vec<String> = output(&mut child).await.lines().map(str::to_owned).collect();
    lines[1..].sort();
    assert_eq!(lines, [folder.to_str().unwrap(), "A=1", "PATH=/bin:/usr/bin"]);
}

#[tokio::test]
async fn a_failed_start_names_the_reason_and_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, mode: u32, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let plain = file("plain", 0o644, "#!/bin/sh\n");
    let orphan = file("orphan", 0o755, "#!/no/such/interpreter\n");
    let marker = marker::fresh();
    let error = |launch: Launch| launch.env(marker::NAME, &marker).start().unwrap_err();

    let missing = error(Launch::new("no-such-program-here").env("PATH", "/nowhere:/bin"));
    assert!(
        matches!(&missing, StartError::NotFound { searched: Some(path), .. } if path == "/nowhere:/bin")
    );
    assert!(
        missing.to_string().contains("no-such-program-here")
            && missing.to_string().contains("/nowhere")
    );
    assert!(matches!(
        error(Launch::new("./none").cwd(folder.path())),
        StartError::NotFound { searched: None, .. }
    ));
    assert!(matches!(error(Launch::new(&plain)), StartError::NotExecutable { .. }));
    assert!(matches!(error(Launch::new(&orphan)), StartError::NoInterpreter { .. }));
    assert!(matches!(
        error(Launch::new("cat").cwd(folder.path().join("x"))),
        StartError::NoFolder { .. }
    ));
    assert!(matches!(error(Launch::new("cat").cwd(&plain)), StartError::NotAFolder { .. }));
    assert!(matches!(error(Launch::new("a\0b")), StartError::Other { .. }));
    // A guardian is a copy of this process and does not have the marker, so it is found as a child
    // with this process's name.
    marker::expect_none(&marker);
    marker::eventually("a guardian of a failed start is left", || {
        guardians(Path::new("/proc")) == 0
    });
}

/// The number of guardians that the tests of this thread have left: children of this process that
/// never became a program.
fn guardians(proc: &Path) -> usize {
    let children = std::fs::read_to_string(proc.join("thread-self/children")).unwrap();
    children.split_whitespace().count()
}

#[test]
fn a_start_outside_a_runtime_is_an_error() {
    assert!(matches!(Launch::new("cat").start(), Err(StartError::NoRuntime)));
    assert!(matches!(Launch::new("cat").run(), Err(StartError::NoRuntime)));
}
