//! Input from the terminal: single keys, lines, and text that is typed ahead.

mod draft;
pub(crate) mod type_ahead;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

/// Returns whether a person can be asked: this process has a terminal, and its questions are
/// visible there.
pub(crate) fn can_ask() -> bool {
    io::IsTerminal::is_terminal(&io::stderr()) && open().is_ok()
}

/// Shows `prompt` and waits for one of the keys in `accepted`, in upper or lower case; other keys
/// are ignored. Earlier keys are discarded, so that no person approves what was not shown yet.
/// Dropping the future restores the terminal.
pub(crate) async fn pressed(accepted: Vec<u8>, prompt: String) -> io::Result<u8> {
    // Dropping the future drops this end of the pipe, which ends the thread below.
    let (until, held) = io::pipe()?;
    let reading = tokio::task::spawn_blocking(move || read(&accepted, &prompt, until.as_raw_fd()));
    let key = reading.await.map_err(io::Error::other)?;
    drop(held);
    key
}

/// Shows `prompt` and waits for a line, which the person can edit; returns it without its line
/// feed, or `None` at the end of the input (Ctrl-D). Earlier input is discarded; dropping the
/// future restores the terminal.
pub(crate) async fn line(prompt: String) -> io::Result<Option<String>> {
    typed(prompt, libc::ECHO).await
}

/// Like [`line()`], but the input is not shown: for secrets.
pub(crate) async fn hidden_line(prompt: String) -> io::Result<Option<String>> {
    let line = typed(prompt, 0).await;
    // The line feed was not echoed. A closed stderr is not an error.
    let _ = writeln!(io::stderr());
    line
}

async fn typed(prompt: String, echo: libc::tcflag_t) -> io::Result<Option<String>> {
    let (until, held) = io::pipe()?;
    let reading = tokio::task::spawn_blocking(move || read_line(&prompt, echo, until.as_raw_fd()));
    let line = reading.await.map_err(io::Error::other)?;
    drop(held);
    line
}

fn read_line(prompt: &str, echo: libc::tcflag_t, until: RawFd) -> io::Result<Option<String>> {
    let mut terminal = Keys::of(open()?, libc::ICANON | echo, libc::TCSAFLUSH)?;
    terminal.tty.write_all(prompt.as_bytes())?;
    // A terminal delivers at most this many bytes per line.
    let mut bytes = [0; 4096];
    if wait(terminal.tty.as_raw_fd(), until, FOR_EVER)? != Ready::Tty {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let count = terminal.tty.read(&mut bytes)?;
    let line = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()).into_owned();
    Ok((count > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn open() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

fn read(accepted: &[u8], prompt: &str, until: RawFd) -> io::Result<u8> {
    let mut terminal = Keys::of(open()?, 0, libc::TCSAFLUSH)?;
    terminal.tty.write_all(prompt.as_bytes())?;
    let mut byte = [0];
    while wait(terminal.tty.as_raw_fd(), until, FOR_EVER)? == Ready::Tty {
        if terminal.tty.read(&mut byte)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let [key] = byte.map(|byte| byte.to_ascii_lowercase());
        if accepted.contains(&key) {
            return Ok(key);
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}

/// The result of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ready {
    /// The terminal has input.
    Tty,
    /// The other end of the pipe is closed.
    Until,
    /// The time limit passed.
    Nothing,
}

/// The timeout with which `poll` waits forever.
const FOR_EVER: libc::c_int = -1;

/// Waits until the terminal has input, until the other end of the pipe `until` is closed, or for
/// this many milliseconds.
fn wait(tty: RawFd, until: RawFd, milliseconds: libc::c_int) -> io::Result<Ready> {
    let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut both = [watched(tty), watched(until)];
    loop {
        // SAFETY: `both` holds two valid `pollfd` structures and outlives the call.
        let ready = unsafe { libc::poll(both.as_mut_ptr(), 2, milliseconds) };
        let [tty, until] = &both;
        match ready {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
            0 => return Ok(Ready::Nothing),
            _ if until.revents != 0 => return Ok(Ready::Until),
            _ if tty.revents != 0 => return Ok(Ready::Tty),
            _ => {}
        }
    }
}

/// Returns whether the terminal has input.
fn is_readable(tty: &File) -> io::Result<bool> {
    let mut watched = libc::pollfd { fd: tty.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `watched` is a valid `pollfd` and outlives the call, which does not block.
    match unsafe { libc::poll(&mut watched, 1, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(watched.revents & libc::POLLIN != 0),
    }
}

/// The settings of the terminal, restored on drop, because a line editor can be active when the
/// program ends.
pub(crate) struct SavedSettings {
    tty: File,
    before: libc::termios,
}

impl SavedSettings {
    /// Saves the current settings.
    ///
    /// # Errors
    /// Returns an error if this process has no terminal.
    pub(crate) fn keep() -> io::Result<Self> {
        let tty = open()?;
        // SAFETY: a `termios` consists of integers, for which zero is valid.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open and the structure is valid.
        if unsafe { libc::tcgetattr(tty.as_raw_fd(), &mut before) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { tty, before })
    }
}

impl Drop for SavedSettings {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open, and `before` was filled by `tcgetattr`. A failure means
        // that the terminal is gone.
        unsafe { libc::tcsetattr(self.tty.as_raw_fd(), libc::TCSADRAIN, &self.before) };
    }
}

/// A terminal with these line settings: with `ICANON` it delivers whole lines, otherwise single
/// keys; with `ECHO` it shows input. Signals such as Ctrl-C stay enabled, but they do not discard
/// single keys that were typed before. Dropping this value restores the settings.
struct Keys {
    tty: File,
    _before: SavedSettings,
}

impl Keys {
    /// Changes the settings of the terminal. `how` says when they change; `TCSAFLUSH` also discards
    /// earlier input.
    fn of(tty: File, flags: libc::tcflag_t, how: libc::c_int) -> io::Result<Self> {
        let before = SavedSettings::keep()?;
        let mut keys = before.before;
        keys.c_lflag &= !(libc::ICANON | libc::ECHO);
        keys.c_lflag |= flags;
        match flags & libc::ICANON {
            0 => {
                keys.c_lflag |= libc::NOFLSH;
                keys.c_cc[libc::VMIN] = 1;
                keys.c_cc[libc::VTIME] = 0;
            }
            // The input of an abandoned line is discarded.
            _ => keys.c_lflag &= !libc::NOFLSH,
        }
        // SAFETY: the descriptor is open and the structure is valid.
        if unsafe { libc::tcsetattr(tty.as_raw_fd(), how, &keys) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { tty, _before: before })
    }
}

/// Keeps the terminal from echoing keys until dropped, for a conversation that reads them itself.
pub(crate) struct NoEcho(#[expect(dead_code, reason = "restores the terminal when dropped")] Keys);

impl NoEcho {
    /// Stops the echo of keys.
    ///
    /// # Errors
    /// Returns an error if this process has no terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        Keys::of(open()?, 0, libc::TCSADRAIN).map(Self)
    }
}

/// Lets the terminal show and edit lines until dropped. Earlier input becomes part of the line.
pub(crate) struct Cooked(#[expect(dead_code, reason = "restores the terminal when dropped")] Keys);

impl Cooked {
    /// Turns on the echo and the editing of lines.
    ///
    /// # Errors
    /// Returns an error if this process has no terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        Keys::of(open()?, libc::ICANON | libc::ECHO, libc::TCSADRAIN).map(Self)
    }
}
