//! Notices during a slow start.

use crate::show::paint::{DIM, Paint};
use attache_view::sanitize;
use std::io::{self, Write};
use std::time::Duration;

/// The delay of the first notice, and the pause between notices.
const SLOW: Duration = Duration::from_secs(1);

/// Waits until the agent has started. A person who watches sees a notice after a second, and then
/// every second.
pub(crate) async fn waiting<T>(starting: impl Future<Output = T>, what: Option<String>) -> T {
    let Some(what) = what else { return starting.await };
    let mut starting = std::pin::pin!(starting);
    let what = sanitize::line(&what);
    let paint = Paint::of(&io::stderr());
    for seconds in 1.. {
        if let Ok(started) = tokio::time::timeout(SLOW, &mut starting).await {
            if seconds > 1 {
                eprint(&clear(paint));
            }
            return started;
        }
        let line = paint.paint(DIM, format!("{what} … {seconds} s"));
        match paint.colours {
            true => eprint(&format!("{}{line}", clear(paint))),
            false if seconds == 1 => eprint(&format!("{line}\n")),
            false => {}
        }
    }
    starting.await
}

/// Returns the sequence that clears a line, or nothing if the terminal does not support it.
fn clear(paint: Paint) -> String {
    if paint.colours { "\r\x1b[2K".to_owned() } else { String::new() }
}

fn eprint(text: &str) {
    let mut stderr = io::stderr().lock();
    // A closed stderr is not an error.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
