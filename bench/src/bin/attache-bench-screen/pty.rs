//! A program in a terminal of 120x40 cells, as a person sees it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const COLUMNS: u16 = 120;
const ROWS: u16 = 40;

/// Requests of programs to the terminal, and its answers. Some programs wait for them.
const ANSWERS: [(&[u8], &str); 7] = [
    (b"\x1b[6n", "\x1b[1;1R"),
    (b"\x1b[c", "\x1b[?62;22c"),
    (b"\x1b[0c", "\x1b[?62;22c"),
    (b"\x1b[?u", "\x1b[?0u"),
    (b"\x1b]10;?", "\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
    (b"\x1b]11;?", "\x1b]11;rgb:1111/1111/1111\x1b\\"),
    (b"\x1b[?2026$p", "\x1b[?2026;2$y"),
];

/// A program in a terminal.
pub(crate) struct Pty {
    child: Child,
    terminal: File,
    parser: vt100::Parser,
    began: Instant,
    bytes: u64,
    /// When bytes last came, and the longest time without any since [`Pty::forget_gap`].
    last: Instant,
    gap: Duration,
    /// The end of what came, which may be the beginning of a request.
    tail: Vec<u8>,
}

impl Pty {
    /// Starts a program in a new terminal.
    pub(crate) fn start(mut command: Command) -> Self {
        let (mut ours, mut theirs) = (-1, -1);
        let size = libc::winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        let null = std::ptr::null_mut();
        // SAFETY: the pointers to both descriptors and to the size are valid; those to the name and
        // the settings may be null.
        let opened = unsafe { libc::openpty(&mut ours, &mut theirs, null, null.cast(), &size) };
        assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
        // SAFETY: the descriptors are new and belong to this function alone.
        let (terminal, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
        // SAFETY: a system call on an open descriptor. The program must not keep this end open.
        unsafe { libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC) };
        let descriptor = theirs.as_raw_fd();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: `login_tty` makes only system calls. It makes the terminal the child's own.
        unsafe {
            command.pre_exec(move || match libc::login_tty(descriptor) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            });
        }
        let began = Instant::now();
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let parser = vt100::Parser::new(ROWS, COLUMNS, 0);
        Self {
            child,
            terminal,
            parser,
            began,
            bytes: 0,
            last: began,
            gap: Duration::ZERO,
            tail: Vec::new(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// When the program was started.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// The number of bytes that the program has written.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The longest time without output.
    pub(crate) fn gap(&self) -> Duration {
        self.gap
    }

    pub(crate) fn forget_gap(&mut self) {
        (self.last, self.gap) = (Instant::now(), Duration::ZERO);
    }

    /// The text on the screen.
    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads what comes within this time, at most one piece. Returns when it came.
    pub(crate) fn read(&mut self, within: Duration) -> Option<Instant> {
        let mut ready =
            libc::pollfd { fd: self.terminal.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let wait = i32::try_from(within.as_millis()).unwrap();
        // SAFETY: the pointer is valid for one entry.
        if unsafe { libc::poll(&raw mut ready, 1, wait) } != 1 {
            return None;
        }
        let mut piece = [0; 65536];
        let length = self.terminal.read(&mut piece).unwrap_or(0);
        assert!(length > 0, "the program has ended:\n{}", self.text());
        let came = Instant::now();
        self.gap = self.gap.max(came - self.last);
        self.last = came;
        let piece = &piece[..length];
        self.bytes += length as u64;
        self.parser.process(piece);
        self.answer(piece);
        Some(came)
    }

    /// Answers requests.
    fn answer(&mut self, piece: &[u8]) {
        let before = self.tail.len();
        self.tail.extend_from_slice(piece);
        for (request, answer) in ANSWERS {
            let ends = self.tail.windows(request.len()).enumerate();
            let new = ends.filter(|(at, window)| *window == request && at + request.len() > before);
            for _ in 0..new.count() {
                self.terminal.write_all(answer.as_bytes()).unwrap();
            }
        }
        let keep = self.tail.len().saturating_sub(16);
        self.tail.drain(..keep);
    }

    /// Reads everything that comes within this time.
    pub(crate) fn read_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left < Duration::from_millis(1) {
                return;
            }
            self.read(left);
        }
    }

    /// Reads until the screen shows what `is_it` looks for. Returns when that came.
    pub(crate) fn until(
        &mut self,
        what: &str,
        within: Duration,
        is_it: impl Fn(&str) -> bool,
    ) -> Instant {
        let end = Instant::now() + within;
        let mut came = Instant::now();
        while !is_it(&self.text()) {
            assert!(Instant::now() < end, "{what} never came:\n{}", self.text());
            came = self.read(Duration::from_millis(100)).unwrap_or(came);
        }
        came
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Closes the terminal, which ends the program.
    pub(crate) fn end(self) {
        let Self { mut child, terminal, .. } = self;
        drop(terminal);
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // SAFETY: a system call. The child was not waited for, so no other group has its id.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        child.wait().unwrap();
    }
}
