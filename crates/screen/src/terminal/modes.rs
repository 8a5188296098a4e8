//! The modes of the terminal while the screen is shown.

use super::held_stderr;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Alternate screen, bracketed paste, focus events, and keys that plain terminals cannot tell apart
/// (the kitty protocol; other terminals ignore it).
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[>1u";

/// Ends everything that [`ENTER`], the mouse and a frame may have begun.
const LEAVE: &str = "\x1b[?2026l\x1b[<1u\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[0 q\x1b[?25h\x1b[?1049l";

/// Buttons, wheel and drags, in the encoding that knows wide screens. Movement without a button is
/// not reported, so that it costs nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Whether the terminal shows the screen.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal, for [`leave`], which may run while the standard streams are locked.
static TERMINAL: OnceLock<File> = OnceLock::new();

/// Only one thread changes the modes at a time.
static CHANGING: Mutex<()> = Mutex::new(());

/// Returns the terminal that stdout is.
pub(crate) fn terminal() -> io::Result<&'static File> {
    if let Some(terminal) = TERMINAL.get() {
        return Ok(terminal);
    }
    let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok(TERMINAL.get_or_init(|| file))
}

/// Shows the screen. [`leave`] gives the terminal back.
pub(crate) fn enter(mouse: bool) -> io::Result<()> {
    let _one_at_a_time = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut terminal = terminal()?;
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    held_stderr::hold(terminal);
    terminal.write_all(ENTER.as_bytes())?;
    if mouse { terminal.write_all(MOUSE_ON.as_bytes()) } else { Ok(()) }
}

/// Turns reports of the mouse on or off. Without them, the terminal selects text by itself.
pub(crate) fn set_mouse(on: bool) -> io::Result<()> {
    terminal()?.write_all(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes())
}

/// Leaves the terminal as [`enter`] found it; does nothing if the screen is not shown. Errors are
/// ignored: the terminal may be gone.
pub(crate) fn leave() {
    let _one_at_a_time = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    if let Ok(mut terminal) = terminal() {
        let _ = terminal.write_all(MOUSE_OFF.as_bytes());
        let _ = terminal.write_all(LEAVE.as_bytes());
    }
    let _ = disable_raw_mode();
    held_stderr::release();
}

/// Shows the screen until it is dropped.
#[derive(Debug)]
pub(crate) struct ShownScreen(());

impl ShownScreen {
    /// Shows the screen.
    pub(crate) fn enter(mouse: bool) -> io::Result<Self> {
        let shown = Self(());
        enter(mouse)?;
        Ok(shown)
    }
}

impl Drop for ShownScreen {
    fn drop(&mut self) {
        leave();
    }
}

/// Whether the terminal shows the screen.
pub(crate) fn is_entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}
