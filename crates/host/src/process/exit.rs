//! The exit of a program.

use std::fmt;
use std::process::ExitStatus;

use crate::process::system::signals;

/// How a program ended: with a code or by a signal.
///
/// Both are `None` only if other code of this process waited for every child and took the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exit {
    /// The exit code, 0 to 255 on Unix and any number on Windows, if the program ended by itself.
    /// On Windows a killed program has a code too: 1 if its tree was killed here.
    pub code: Option<i32>,
    /// The number of the signal that killed the program. Always `None` on Windows.
    pub signal: Option<i32>,
}

impl Exit {
    /// An end that could not be observed.
    pub(crate) const UNKNOWN: Exit = Exit { code: None, signal: None };

    /// Returns whether the program ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// The name of the signal that killed it, such as `SIGKILL`. `None` without a signal, or for a
    /// signal without a name.
    pub fn signal_name(&self) -> Option<&'static str> {
        let signal = self.signal?;
        signals::NAMES.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        Exit { code: status.code(), signal: signals::of(status) }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal, self.signal_name()) {
            (Some(code), _, _) => write!(f, "exit code {code}"),
            (None, Some(signal), Some(name)) => write!(f, "killed by signal {signal} ({name})"),
            (None, Some(signal), None) => write!(f, "killed by signal {signal}"),
            (None, None, _) => f.write_str("ended, exit status unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn an_exit_is_described_in_words() {
        assert_eq!(Exit { code: Some(3), signal: None }.to_string(), "exit code 3");
        let killed = Exit { code: None, signal: Some(9) }.to_string();
        let name = if cfg!(unix) { " (SIGKILL)" } else { "" };
        assert_eq!(killed, format!("killed by signal 9{name}"));
        assert_eq!(Exit { code: None, signal: Some(40) }.to_string(), "killed by signal 40");
        assert_eq!(Exit::UNKNOWN.to_string(), "ended, exit status unknown");
    }
}
