//! A reader that marks the tools in a server's output that are left out.

use super::listing::mark;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The size of a read, in bytes.
const PIECE: usize = 8 * 1024;

/// A reader of lines that marks tools in them. Each line is one message. The reader below limits
/// the length of a line.
#[derive(Debug)]
pub(super) struct Marking<R> {
    inner: R,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// The bytes that are ready, and how many of them were read.
    out: Vec<u8>,
    read: usize,
}

impl<R> Marking<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: Vec::new(), out: Vec::new(), read: 0 }
    }

    /// Adds bytes from below: the complete lines become ready.
    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                match mark(&line) {
                    Some(marked) => self.out.extend(marked.into_iter().chain([b'\n'])),
                    None => self.out.extend(line),
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Marking<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.read == self.out.len() {
            self.out.clear();
            self.read = 0;
            let mut piece = [0; PIECE];
            let mut piece = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut piece))?;
            if piece.filled().is_empty() {
                // The last line may have no end.
                let rest = std::mem::take(&mut self.line);
                if rest.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                self.out = rest;
            } else {
                self.push(piece.filled());
            }
        }
        let ready = self.out.get(self.read..).unwrap_or_default();
        let part = ready.get(..ready.len().min(buffer.remaining())).unwrap_or_default();
        let count = part.len();
        buffer.put_slice(part);
        self.read += count;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::Marking;
    use tokio::io::AsyncReadExt as _;

    async fn read(input: &str) -> String {
        let mut text = String::new();
        Marking::new(input.as_bytes()).read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn only_tools_that_need_tasks_are_marked() {
        let tool = |support: &str| {
            format!(
                r#"{{"result":{{"tools":[{{"name":"a","execution":{{"taskSupport":"{support}"}}}}]}}}}"#
            )
        };
        let long = "x".repeat(100_000);
        let others = format!("{}\nno message\n{{\"a\":\"{long}\"}}\nno end", tool("optional"));
        assert_eq!(read(&others).await, others);
        let marked = read(&format!("{}\n{}\n", tool("required"), tool("optional"))).await;
        let lines: Vec<_> = marked.lines().collect();
        assert!(lines[0].contains("attache/leftOut/") && lines[1] == tool("optional"), "{marked}");
    }
}
