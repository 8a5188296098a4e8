//! Reads the file of a long output, which is outside the session's folders.

use crate::tools::approved_call::ApprovedCall;
use crate::tools::files::read::Read;
use crate::tools::fit::{code_block, json_text_length, start_within};
use crate::tools::thread;
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::Toolbox;
use attache_agent::{Error, Result};
use attache_protocol::v1::ContentBlock;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// The maximum text of one read, in bytes of JSON. The text ends at a whole line unless the first
/// line is longer.
const TEXT_GIVEN: u64 = 20 * 1024;

impl Toolbox<'_> {
    /// Reads lines of the output in `file`.
    pub(crate) async fn read_output(
        &self,
        read: &Read,
        file: PathBuf,
        call: ApprovedCall,
    ) -> Result<ToolResult> {
        let line = read.line.map(|line| line.max(1));
        let mut handle = call.located_at(&file, line).start().await?.0;
        let (first, most) = (read.line.unwrap_or(1).max(1), read.limit);
        let looked = tokio::select! {
            biased;
            () = self.turn.cancelled() => return Err(Error::Cancelled),
            lines = thread::blocking(move |wanted| lines(&file, first, most, wanted)) => lines?,
        };
        let (text, given) = match looked {
            Ok(found) => found,
            Err(error) => {
                return self.failed(handle, &format!("the output cannot be read: {error}")).await;
            }
        };
        handle.replace_content(vec![ContentBlock::text(code_block(&text)).into()]).await?;
        handle.complete().await?;
        let last = u64::from(first) + given;
        let told = match given {
            0 => format!("[the output has fewer than {first} lines]"),
            _ => format!("[lines {first}-{} of the output]\n{text}", last - 1),
        };
        Ok(ToolResult::done(told, Finding::Nothing))
    }
}

/// Returns as many lines of a file as fit, beginning with `first`, and their number. A line that is
/// too long is cut.
fn lines(
    file: &Path,
    first: u32,
    most: Option<u32>,
    wanted: &thread::CancelFlag,
) -> io::Result<(String, u64)> {
    let mut reader = BufReader::new(File::open(file)?);
    for _ in 1..first {
        if reader.skip_until(b'\n')? == 0 || wanted.is_cancelled() {
            return Ok((String::new(), 0));
        }
    }
    let (mut text, mut given, mut room) = (String::new(), 0, TEXT_GIVEN as usize);
    while most.is_none_or(|most| given < u64::from(most)) {
        let mut line = Vec::new();
        if (&mut reader).take(TEXT_GIVEN).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&line);
        match room.checked_sub(json_text_length(&line)) {
            Some(left) => {
                room = left;
                text.push_str(&line);
            }
            None if given == 0 => text.push_str(start_within(&line, room)),
            None => break,
        }
        given += 1;
        if !text.ends_with('\n') {
            break;
        }
    }
    Ok((text, given))
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::tools::thread::CancelFlag;
    use std::fs;

    #[test]
    fn read_output_returns_as_many_lines_as_fit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("1.txt");
        let numbers: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
        fs::write(&file, format!("{numbers}{}", "x".repeat(100_000))).unwrap();
        let of = |first, most| lines(&file, first, most, &CancelFlag::default()).unwrap();
        assert_eq!(of(99_999, Some(2)), ("99999\n100000\n".into(), 2));
        let (text, given) = of(1, None);
        assert!(
            text.starts_with("1\n2\n")
                && text.ends_with('\n')
                && text.len() < 20_480
                && given > 3_000
        );
        let (text, given) = of(100_001, None);
        assert!(text.len() == 20_480 && given == 1, "{} {given}", text.len());
        assert_eq!(of(100_002, None).1, 0);
    }
}
