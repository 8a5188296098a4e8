//! Panics: the terminal is given back before the message, or, for a task in the background, the
//! message does not disturb the screen.

use super::{held_stderr, modes};
use std::io;
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// The number of messages that are kept.
const KEPT: usize = 8;

/// The messages of panics in the background.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundPanics(Arc<Mutex<Vec<String>>>);

impl BackgroundPanics {
    /// Takes the messages since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, message: String) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() < KEPT {
            messages.push(message);
        }
    }
}

/// Installs the hook. A panic of the calling thread leaves the screen and is then reported as
/// usual; a panic of another thread ends only its task, and its message is kept.
pub(crate) fn install() -> BackgroundPanics {
    let screen: ThreadId = thread::current().id();
    let kept = BackgroundPanics::default();
    let (background, usual) = (kept.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen || !modes::is_entered() {
            modes::leave();
            usual(info);
            if let Some(messages) = held_stderr::take() {
                // A closed stderr is not an error.
                let _ = messages.write(&mut io::stderr());
            }
        } else {
            background.push(info.to_string());
        }
    }));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::modes::ShownScreen;
    use rustix::fs::OFlags;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, tcgetattr};
    use std::fs::File;
    use std::io::Read as _;
    use std::process::Command;

    /// Set for the program that panics.
    const VARIABLE: &str = "ATTACHE_TEST_PANIC";

    #[test]
    fn a_panic_gives_the_terminal_back_and_is_reported_below() {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).unwrap();
        let theirs = File::from(theirs);
        let before = tcgetattr(&theirs).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "terminal::panic_hook::tests::panics_in_a_terminal", "--nocapture"])
            .env(VARIABLE, "1")
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut terminal = File::from(ours);
        let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains("test result") {
            let length = terminal.read(&mut piece).unwrap();
            seen.extend_from_slice(&piece[..length]);
        }
        assert!(!child.wait().unwrap().success());
        let seen = String::from_utf8(seen).unwrap();
        let (screen, after) = seen.rsplit_once("\x1b[?1049l").unwrap();
        assert!(screen.contains("\x1b[?1049h") && screen.contains("\x1b[?1000l"), "{seen:?}");
        assert!(after.contains("as the test asks") && !after.contains("\x1b[?"), "{after:?}");
        let settings = tcgetattr(&theirs).unwrap();
        assert_eq!(settings.local_modes, before.local_modes);
        assert_eq!(settings.input_modes, before.input_modes);
        assert_eq!(settings.output_modes, before.output_modes);
        assert!(before.local_modes.contains(LocalModes::ICANON));
    }

    /// The program that panics; a test without effect in any other process.
    #[test]
    fn panics_in_a_terminal() {
        if std::env::var_os(VARIABLE).is_none() {
            return;
        }
        let _background = install();
        let _shown = ShownScreen::enter(true).unwrap();
        panic!("as the test asks");
    }
}
