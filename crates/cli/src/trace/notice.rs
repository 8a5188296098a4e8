//! Notices of `attache trace` on stderr.

use attache_view::sanitize;
use std::io::{self, Write};

/// Writes a notice to stderr, which is the log of the client or of the agent.
pub(super) fn say(text: &str) {
    // The recording continues if stderr is closed.
    let _ = writeln!(io::stderr(), "attache trace: {}", sanitize::line(text));
}
