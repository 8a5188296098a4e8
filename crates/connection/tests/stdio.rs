//! Every kind of descriptor that stdin and stdout can be.

use attache_connection::stdio;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, AsRawFd};
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
    stdio::output_to(output.as_fd()).unwrap().write_all(b"three\n").await.unwrap();
    output.rewind().unwrap();
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    assert_eq!(text, "three\n");
}

#[tokio::test]
async fn dev_null_is_an_end_and_takes_everything() {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
    let mut text = String::new();
    assert_eq!(stdio::input_from(null.as_fd()).unwrap().read_to_string(&mut text).await.unwrap(), 0);
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
async fn a_pipe_that_a_parent_left_non_blocking_is_no_error() {
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
async fn our_reading_does_not_make_the_shared_pipe_non_blocking() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let _input = stdio::input_from(reader.as_fd()).unwrap();
    // SAFETY: the descriptor is open, and F_GETFL only reads flags.
    let flags = unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_GETFL) };
    assert_eq!(flags & libc::O_NONBLOCK, 0);
}

fn set_non_blocking(fd: std::os::fd::RawFd) {
    // SAFETY: the descriptor is open, and F_SETFL takes flags only.
    assert_eq!(unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) }, 0);
}

fn open_terminal() -> (std::os::fd::OwnedFd, std::os::fd::OwnedFd) {
    use std::os::fd::FromRawFd as _;
    let (mut controller, mut terminal) = (-1, -1);
    // SAFETY: both out-parameters are ours; the optional ones may be null.
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
    // SAFETY: openpty gave us two new descriptors that nobody else owns.
    unsafe { (std::os::fd::OwnedFd::from_raw_fd(controller), std::os::fd::OwnedFd::from_raw_fd(terminal)) }
}
