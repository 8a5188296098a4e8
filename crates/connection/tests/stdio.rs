//! Every kind of descriptor that stdin and stdout can be.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use attache_connection::{Builder, Client, ClientHandler, ConnectionEnd, Limits, stdio};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::mpsc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[tokio::test]
async fn a_file_is_read_to_its_end_and_written() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"one\ntwo\n").unwrap();
    file.rewind().unwrap();
    let mut text = String::new();
    stdio::input_from(file.as_fd()).unwrap().read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "one\ntwo\n");

    let mut output = tempfile::tempfile().unwrap();
    let mut writer = stdio::output_to(output.as_fd()).unwrap();
    writer.write_all(b"three\n").await.unwrap();
    writer.shutdown().await.unwrap();
    output.rewind().unwrap();
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    assert_eq!(text, "three\n");
}

#[tokio::test]
async fn dev_null_reads_as_the_end_and_accepts_writes() {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
    let mut text = String::new();
    assert_eq!(
        stdio::input_from(null.as_fd()).unwrap().read_to_string(&mut text).await.unwrap(),
        0
    );
    stdio::output_to(null.as_fd()).unwrap().write_all(b"x").await.unwrap();
}

#[tokio::test]
async fn a_terminal_is_read_line_by_line_and_written() {
    let (controller, terminal) = open_terminal();
    let mut input = stdio::input_from(terminal.as_fd()).unwrap();
    let mut controller_file = std::fs::File::from(controller);
    controller_file.write_all(b"typed\n").unwrap();
    let mut bytes = [0; 6];
    input.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"typed\n");
    stdio::output_to(terminal.as_fd()).unwrap().write_all(b"shown\n").await.unwrap();
}

#[tokio::test]
async fn a_pipe_that_a_parent_left_non_blocking_works() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    set_non_blocking(reader.as_raw_fd());
    let mut input = stdio::input_from(reader.as_fd()).unwrap();
    let mut bytes = [0; 4];
    let read = input.read_exact(&mut bytes);
    let write = async {
        tokio::task::yield_now().await; // the first read finds nothing
        writer.write_all(b"late").unwrap();
    };
    let (read, ()) = tokio::join!(read, write);
    read.unwrap();
    assert_eq!(&bytes, b"late");
}

#[tokio::test]
async fn reading_does_not_make_a_shared_pipe_non_blocking() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let _input = stdio::input_from(reader.as_fd()).unwrap();
    // SAFETY: the descriptor is open, and F_GETFL only reads flags.
    let flags = unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_GETFL) };
    assert_eq!(flags & libc::O_NONBLOCK, 0);
}

/// Sends more than the descriptor can buffer, while its other end does not read, and returns how
/// the connection ends.
fn ends_against_a_reader_that_stopped(output: std::os::fd::OwnedFd) -> Option<ConnectionEnd> {
    struct Quiet;
    impl Client for Quiet {}
    let (sender, ended) = mpsc::channel();
    // Runs in a thread, so that a write that blocks the whole runtime fails the test instead of
    // hanging it.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let end = runtime.block_on(async {
            let (input, _peer_is_silent) = tokio::io::duplex(64);
            let limits = Limits {
                stall: Duration::from_millis(50),
                grace: Duration::from_millis(80),
                ..Limits::default()
            };
            let output = stdio::output_to(output.as_fd()).unwrap();
            let (peer, connection) =
                Builder::new().limits(limits).connect(input, output, ClientHandler(Quiet));
            for _ in 0..64 {
                peer.send_raw(format!("{}\n", "x".repeat(1 << 16)).as_bytes()).unwrap();
            }
            connection.run().await
        });
        let _ = sender.send(end);
    });
    ended.recv_timeout(Duration::from_secs(20)).ok()
}

#[test]
fn a_stopped_terminal_counts_as_a_peer_that_stopped_reading() {
    let (_controller, terminal) = open_terminal();
    let end = ends_against_a_reader_that_stopped(terminal);
    assert!(matches!(end, Some(ConnectionEnd::StoppedReading { .. })), "{end:?}");
}

#[test]
fn a_stopped_non_blocking_terminal_counts_as_a_peer_that_stopped_reading() {
    let (_controller, terminal) = open_terminal();
    set_non_blocking(terminal.as_raw_fd());
    let end = ends_against_a_reader_that_stopped(terminal);
    assert!(matches!(end, Some(ConnectionEnd::StoppedReading { .. })), "{end:?}");
}

#[tokio::test]
async fn a_flush_ends_when_everything_is_written_and_an_error_is_reported() {
    let mut file = tempfile::tempfile().unwrap();
    let mut output = stdio::output_to(file.as_fd()).unwrap();
    let text = "line\n".repeat(100_000);
    output.write_all(text.as_bytes()).await.unwrap();
    output.flush().await.unwrap();
    let mut written = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut written).unwrap();
    assert_eq!(written, text);

    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut output = stdio::output_to(full.as_fd()).unwrap();
    let failed = async {
        output.write_all(b"x").await?;
        output.flush().await
    };
    assert_eq!(failed.await.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}

fn set_non_blocking(fd: std::os::fd::RawFd) {
    // SAFETY: the descriptor is open, and F_SETFL only sets flags.
    assert_eq!(unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) }, 0);
}

fn open_terminal() -> (std::os::fd::OwnedFd, std::os::fd::OwnedFd) {
    use std::os::fd::FromRawFd as _;
    let (mut controller, mut terminal) = (-1, -1);
    // SAFETY: both out-parameters point to local variables, and the optional ones may be null.
    let opened = unsafe {
        libc::openpty(
            &raw mut controller,
            &raw mut terminal,
            std::ptr::null_mut(),
            std::ptr::null(),
            std::ptr::null(),
        )
    };
    assert_eq!(opened, 0);
    // SAFETY: openpty gave us two new descriptors that only this function owns.
    unsafe {
        (std::os::fd::OwnedFd::from_raw_fd(controller), std::os::fd::OwnedFd::from_raw_fd(terminal))
    }
}
