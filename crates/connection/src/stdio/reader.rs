//! Reads from descriptors that need a thread.

use std::fs::File;
use std::io::{self, Read as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// A file or terminal that a thread reads. The thread ends at the end of the stream, or at the next
/// chunk after this value is dropped. A read that never returns does not keep the process alive.
pub(super) struct BlockingReader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    taken: usize,
}

/// Waits until a file that a parent made non-blocking can be read.
type Wait = fn(&File) -> io::Result<()>;

impl BlockingReader {
    pub(super) fn new(mut file: File, wait: Wait) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(2);
        let read = move || loop {
            let mut chunk = vec![0; 64 * 1024];
            let outcome = match file.read(&mut chunk) {
                Ok(0) => return,
                Ok(count) => {
                    chunk.truncate(count);
                    Ok(chunk)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // A parent made the shared descriptor non-blocking, so wait as a blocking read
                // would.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => match wait(&file) {
                    Ok(()) => continue,
                    Err(error) => Err(error),
                },
                Err(error) => Err(error),
            };
            let failed = outcome.is_err();
            if sender.blocking_send(outcome).is_err() || failed {
                return;
            }
        };
        std::thread::Builder::new().name("attache-stdin".to_owned()).spawn(read)?;
        Ok(Self { chunks, chunk: Vec::new(), taken: 0 })
    }
}

impl AsyncRead for BlockingReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.chunk.len() {
            match ready!(self.chunks.poll_recv(context)) {
                Some(Ok(chunk)) => (self.chunk, self.taken) = (chunk, 0),
                Some(Err(error)) => return Poll::Ready(Err(error)),
                None => return Poll::Ready(Ok(())),
            }
        }
        let rest = self.chunk.get(self.taken..).unwrap_or_default();
        let part = rest.get(..buffer.remaining()).unwrap_or(rest);
        buffer.put_slice(part);
        let count = part.len();
        self.taken += count;
        Poll::Ready(Ok(()))
    }
}
