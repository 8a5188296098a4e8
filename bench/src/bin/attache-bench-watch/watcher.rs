//! A watcher, which reads when the agent sent the updates that it gets.

use crate::socket::Socket;
use attache_bench::now_us;
use std::time::Duration;

/// The number of digits of a time.
const DIGITS: usize = 16;

/// The longest time in which nothing arrives.
const LONG: Duration = Duration::from_secs(60);

/// A connection to a server, from which updates of one session come.
pub(crate) struct Watcher(pub(crate) Socket);

impl Watcher {
    /// Reads to the end of the stream. Returns the microseconds from the agent to this program of
    /// each update.
    pub(crate) async fn latencies(mut self) -> Vec<u32> {
        let (mut latencies, mut last) = (Vec::new(), 0);
        loop {
            let frame = tokio::time::timeout(LONG, self.0.input.next()).await;
            let frame = frame.unwrap().unwrap().unwrap();
            let now = now_us();
            let (mut newest, mut has_ended) = (last, false);
            for stamp in stamps(&frame) {
                // A row comes again with each update, so that earlier times are in it too.
                if stamp > last {
                    latencies.push(u32::try_from(now.saturating_sub(stamp)).unwrap());
                }
                newest = newest.max(stamp);
                has_ended |= stamp == 0;
            }
            if has_ended {
                return latencies;
            }
            last = newest;
        }
    }
}

/// Returns the times in a message.
fn stamps(frame: &[u8]) -> impl Iterator<Item = u64> {
    let texts = frame.split(|byte| *byte == b'@').skip(1);
    texts.filter_map(|text| std::str::from_utf8(text.get(..DIGITS)?).ok()?.parse().ok())
}
