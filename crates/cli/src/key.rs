//! Keys from the person at the terminal: one, a line, or what is typed ahead.

mod draft;
pub(crate) mod type_ahead;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

/// Whether there is a terminal whose person can be asked: this process has one, and its questions
/// would be seen there.
pub(crate) fn can_ask() -> bool {
    io::IsTerminal::is_terminal(&io::stderr()) && open().is_ok()
}

/// Shows `prompt` and waits for one of the keys `accepted`, in either case; others are ignored.
/// Keys that were pressed before the prompt are thrown away, so that nobody approves what had not
/// been shown. Dropping the future gives the terminal back.
pub(crate) async fn pressed(accepted: Vec<u8>, prompt: String) -> io::Result<u8> {
    // The thread below ends when this end of the pipe goes, which is when the future does.
    let (until, held) = io::pipe()?;
    let reading = tokio::task::spawn_blocking(move || read(&accepted, &prompt, until.as_raw_fd()));
    let key = reading.await.map_err(io::Error::other)?;
    drop(held);
    key
}

/// Shows `prompt` and waits for a line, which the terminal lets the person edit; without its line
/// feed. `None` if the person ends the input (Ctrl-D). What was typed before is thrown away;
/// dropping the future gives the terminal back.
pub(crate) async fn line(prompt: String) -> io::Result<Option<String>> {
    typed(prompt, libc::ECHO).await
}

/// The same, and nobody sees what is typed: for secrets.
pub(crate) async fn hidden_line(prompt: String) -> io::Result<Option<String>> {
    let line = typed(prompt, 0).await;
    // The line feed was not shown either. If stderr is closed nobody misses it.
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
    // A terminal gives no line that is longer.
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

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ready {
    /// The terminal can be read.
    Tty,
    /// The other end of the pipe is gone.
    Until,
    /// The time is over.
    Nothing,
}

/// A wait without an end, as `poll` has it.
const FOR_EVER: libc::c_int = -1;

/// Waits until the terminal can be read, until the other end of the pipe `until` is gone, or for so
/// many milliseconds.
fn wait(tty: RawFd, until: RawFd, milliseconds: libc::c_int) -> io::Result<Ready> {
    let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut both = [watched(tty), watched(until)];
    loop {
        // SAFETY: the array holds two valid structures and lives through the call.
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

/// Whether the terminal holds something that was typed.
fn is_readable(tty: &File) -> io::Result<bool> {
    let mut watched = libc::pollfd { fd: tty.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the structure is valid and lives through the call, which does not wait.
    match unsafe { libc::poll(&mut watched, 1, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(watched.revents & libc::POLLIN != 0),
    }
}

/// The terminal's settings, put back when dropped: an editor of lines may be in the middle of one
/// when the program ends.
pub(crate) struct AsItWas {
    tty: File,
    before: libc::termios,
}

impl AsItWas {
    /// Keeps them as they are now.
    ///
    /// # Errors
    /// There is no terminal.
    pub(crate) fn keep() -> io::Result<Self> {
        let tty = open()?;
        // SAFETY: a termios is plain numbers, for which zero is valid; the descriptor is open.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, the structure valid.
        if unsafe { libc::tcgetattr(tty.as_raw_fd(), &mut before) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { tty, before })
    }
}

impl Drop for AsItWas {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open and the structure is one that was read. If it fails the
        // terminal is gone.
        unsafe { libc::tcsetattr(self.tty.as_raw_fd(), libc::TCSADRAIN, &self.before) };
    }
}

/// A terminal that does for lines only what is asked: with `ICANON` it gives whole lines, else each
/// key at once; with `ECHO` it shows what is typed. Signals such as Ctrl-C stay; keys that were
/// pressed before one stay too. As it was when dropped.
struct Keys {
    tty: File,
    _before: AsItWas,
}

impl Keys {
    /// `how` is when it holds: with `TCSAFLUSH` what was typed before is thrown away.
    fn of(tty: File, flags: libc::tcflag_t, how: libc::c_int) -> io::Result<Self> {
        let before = AsItWas::keep()?;
        let mut keys = before.before;
        keys.c_lflag &= !(libc::ICANON | libc::ECHO);
        keys.c_lflag |= flags;
        match flags & libc::ICANON {
            0 => {
                keys.c_lflag |= libc::NOFLSH;
                keys.c_cc[libc::VMIN] = 1;
                keys.c_cc[libc::VTIME] = 0;
            }
            // A line that is given up leaves nothing behind.
            _ => keys.c_lflag &= !libc::NOFLSH,
        }
        // SAFETY: the descriptor is open, the structure valid.
        if unsafe { libc::tcsetattr(tty.as_raw_fd(), how, &keys) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { tty, _before: before })
    }
}

/// A terminal that shows none of the keys, until this is dropped: for a conversation, which reads
/// them itself.
pub(crate) struct Silent(
    #[expect(dead_code, reason = "gives the terminal back when dropped")] Keys,
);

impl Silent {
    /// From now on.
    ///
    /// # Errors
    /// There is no terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        Keys::of(open()?, 0, libc::TCSADRAIN).map(Self)
    }
}

/// A terminal that lets the person edit a line and shows it, until this is dropped; what was typed
/// before is part of the line.
pub(crate) struct Cooked(
    #[expect(dead_code, reason = "gives the terminal back when dropped")] Keys,
);

impl Cooked {
    /// From now on.
    ///
    /// # Errors
    /// There is no terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        Keys::of(open()?, libc::ICANON | libc::ECHO, libc::TCSADRAIN).map(Self)
    }
}
