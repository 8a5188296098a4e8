//! The log of the command: events of the libraries, and the traffic of `attache agent`.
//!
//! `ATTACHE_LOG` is a comma-separated list. `1` logs every message of `attache agent` by method, id
//! and size. Filters such as `debug` or `attache_connection=trace` log the events of the libraries.
//! The log goes to stderr, or to the end of the file that `ATTACHE_LOG_FILE` names. While the full
//! screen is shown, stderr goes to a file that is named at the end. Events hold no params, results
//! or keys; control characters are made visible.

use crate::exit::Failure;
use attache_view::sanitize;
use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::OnceLock;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// The variable with the filters.
const VARIABLE: &str = "ATTACHE_LOG";

/// The variable that names the file to which the log is written instead of stderr.
const FILE_VARIABLE: &str = "ATTACHE_LOG_FILE";

/// The file of the log, if it is not stderr.
static FILE: OnceLock<File> = OnceLock::new();

/// The log that `ATTACHE_LOG` selects.
#[derive(Debug, Default, PartialEq)]
struct Wanted {
    /// Whether to log every message of `attache agent`.
    traffic: bool,
    /// The events to log.
    events: Option<Targets>,
}

impl Wanted {
    fn read(value: &str) -> Result<Self, String> {
        let mut wanted = Self::default();
        for item in value.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (target, level) = match item.split_once('=') {
                Some((target, level)) => (Some(target.trim()), level.trim()),
                None => (None, item),
            };
            let events = match (target, level.parse::<LevelFilter>()) {
                // A number would parse as a level; here it enables the log of messages.
                (None, _) if item.starts_with(|c: char| c.is_ascii_digit()) => {
                    wanted.traffic |= item != "0";
                    continue;
                }
                (None, Err(_)) => {
                    wanted.traffic = true;
                    continue;
                }
                (Some(_), Err(_)) => return Err(item.to_owned()),
                (Some(target), Ok(level)) => {
                    wanted.events.take().unwrap_or_default().with_target(target, level)
                }
                (None, Ok(level)) => wanted.events.take().unwrap_or_default().with_default(level),
            };
            wanted.events = Some(events);
        }
        Ok(wanted)
    }

    fn of_environment() -> Result<Self, Failure> {
        let value = env::var_os(VARIABLE).unwrap_or_default();
        Self::read(&value.to_string_lossy()).map_err(|item| {
            Failure::usage(format!(
                "{VARIABLE}: {item:?} is not a filter: write TARGET=LEVEL, such as \
                 attache_connection=debug, with one of the levels error, warn, info, debug, trace"
            ))
        })
    }
}

/// Returns the file of the log; `None` if it goes to stderr.
pub(crate) fn file() -> Option<PathBuf> {
    env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Starts the log that the environment selects.
pub(crate) fn start() -> Result<(), Failure> {
    let wanted = Wanted::of_environment()?;
    if let Some(path) = file() {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
        let file = file.map_err(|error| {
            let path = path.display();
            Failure::usage(format!("{FILE_VARIABLE}: {path} cannot be opened: {error}"))
        })?;
        let _ = FILE.set(file);
    }
    if let Some(events) = wanted.events {
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Lines);
        let subscriber = tracing_subscriber::registry().with(events).with(lines);
        // An error is ignored: only a test could have set another subscriber.
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
    Ok(())
}

/// Returns whether `attache agent` logs its messages.
pub(crate) fn shows_traffic() -> bool {
    Wanted::of_environment().is_ok_and(|wanted| wanted.traffic)
}

/// Writes a line to the log.
pub(crate) fn line(text: &str) {
    // The program continues if it cannot write its log, for example to a closed stderr.
    let _ = match FILE.get() {
        Some(mut file) => file.write_all(format!("{text}\n").as_bytes()),
        None => writeln!(io::stderr(), "{text}"),
    };
}

/// Writes each event as one line.
struct Lines;

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        line(&sanitize::visible_line(&String::from_utf8_lossy(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_enables_traffic_and_other_text_is_a_filter() {
        for (value, traffic, events) in [
            ("", false, false),
            ("0", false, false),
            ("1", true, false),
            ("yes", true, false),
            ("debug", false, true),
            ("1,attache_connection=debug", true, true),
            ("attache_agent=trace, attache_connection=off", false, true),
        ] {
            let wanted = Wanted::read(value).unwrap();
            assert_eq!((wanted.traffic, wanted.events.is_some()), (traffic, events), "{value}");
        }
        assert_eq!(Wanted::read("attache_connection=loud"), Err("attache_connection=loud".into()));
    }

    #[test]
    fn a_filter_names_a_crate_and_a_level() {
        let events = Wanted::read("warn,attache_connection=debug").unwrap().events.unwrap();
        assert!(events.would_enable("attache_connection::peer", &tracing::Level::DEBUG));
        assert!(!events.would_enable("attache_agent", &tracing::Level::DEBUG));
        assert!(events.would_enable("attache_agent", &tracing::Level::WARN));
    }
}
