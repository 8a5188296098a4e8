//! The read tool: the text of a file, as the client or else the disk has it, or a picture.

use super::document::{Document, Encoding};
use super::file_access::{State, fingerprint};
use super::fit::{MESSAGE_TEXT, counted, json_text_length, start_within};
use super::picture::Picture;
use super::approval::ApprovedCall;
use super::resolved::ResolvedPaths;
use super::tool::{ConcurrentTool, Length, PrepareFuture, Prepared, Tool, ToolFuture, Unprepared, number, spec, text};
use super::tool_result::{Finding, Reading, ToolResult};
use super::toolbox::Toolbox;
use super::arguments;
use crate::models::{Media, Part, ToolSpec};
use attache_agent::{Result, ToolCallHandle, ToolKind};
use attache_policy::{Place, Touch};
use attache_protocol::v1::{ContentBlock, ImageContent};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;

/// How much text one read gives, in bytes of JSON; it ends at a whole line unless the first is
/// longer.
const TEXT_GIVEN: usize = 20 * 1024;

/// What to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Read {
    /// The file.
    pub(crate) path: String,
    /// The first line; 1 unless set.
    pub(crate) line: Option<u32>,
    /// The most lines; as many as fit unless set.
    pub(crate) limit: Option<u32>,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lines {
    /// The file, for people.
    pub(crate) path: String,
    /// The lines exactly as they are, the first of them `first`.
    pub(crate) text: String,
    /// The number of the first line.
    pub(crate) first: u32,
    /// How many lines are given.
    pub(crate) given: u32,
    /// How many lines the file has; a last one without line end counts.
    pub(crate) total: u32,
    /// Whether the one line given is cut because it is too long.
    pub(crate) cut: bool,
    /// The file's encoding, if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<String>,
}

/// Why no text was read: a sentence for the model and the person, or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unreadable {
    /// There is no such file.
    Missing(String),
    /// It is a folder.
    Folder(String),
    /// Anything else.
    Other(String),
}

impl Unreadable {
    /// The sentence.
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Self::Missing(sentence) | Self::Folder(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

impl Read {
    pub(super) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("read", arguments)
    }

    /// Reads a text, gives the model a picture, or reads a kept output.
    async fn read_file(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<Reading> {
        if let Some(output) = toolbox.memory.shell.scratch.output(&self.path) {
            return toolbox.read_output(self, output, call).await.map(Reading::from);
        }
        let (handle, approval, _) = call.start().await?;
        let place = match approval.paths.only() {
            Ok(place) => place,
            Err(why) => {
                return toolbox.unreadable(handle, Unreadable::Other(why)).await.map(Reading::from);
            }
        };
        let state = match toolbox.files().state(place).await? {
            Ok(state) => state,
            Err(why) => {
                return toolbox.unreadable(handle, Unreadable::Other(why)).await.map(Reading::from);
            }
        };
        let why = |state: State| state.no_text(&place.shown, "read");
        let result = match state {
            State::Text(document) => {
                let saw = (place.resolved.path(), fingerprint(document.text.as_bytes()));
                let lines = Lines::of(&place.shown, &document, self);
                let result = toolbox.found(handle, Finding::Lines(lines)).await?;
                return Ok(Reading { result, saw: Some(saw) });
            }
            State::Picture(picture, bytes) => {
                toolbox.look_at(handle, place, picture, &bytes).await
            }
            State::Nothing => toolbox.unreadable(handle, Unreadable::Missing(why(state))).await,
            State::Folder => toolbox.unreadable(handle, Unreadable::Folder(why(state))).await,
            State::Other { .. } => toolbox.unreadable(handle, Unreadable::Other(why(state))).await,
        };
        result.map(Reading::from)
    }

    /// A kept output is no file of the session; every other path must lead to one.
    fn prepared(
        &self,
        toolbox: &Toolbox<'_>,
        paths: &ResolvedPaths,
    ) -> std::result::Result<Prepared, Unprepared> {
        if toolbox.memory.shell.scratch.output(&self.path).is_none() {
            paths.only()?;
        }
        Ok(Prepared::default())
    }
}

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        spec(
            "read",
            "Read a text file. The result says which lines it has; a long file is given in parts.",
            json!({
                "path": text("The file."), "line": number("The first line."),
                "limit": number("The most lines."),
            }),
            &["path"],
        )
    }

    fn name(&self) -> &str {
        "read"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn title(&self) -> String {
        let path = &self.path;
        match (self.line, self.limit) {
            (Some(line), Some(1)) => format!("Read {path} line {line}"),
            (Some(line), Some(limit)) => {
                let last = line.saturating_add(limit).saturating_sub(1);
                format!("Read {path} lines {line}-{last}")
            }
            (Some(line), None) => format!("Read {path} from line {line}"),
            _ => format!("Read {path}"),
        }
    }

    fn input(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "limit": self.limit })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_path(&self.path)]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Reads(vec![&self.path])
    }

    fn line(&self) -> Option<u32> {
        self.line.map(|line| line.max(1))
    }

    fn prepare<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(self.prepared(toolbox, paths)))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(async move {
            let reading = self.read(toolbox, call).await?;
            Ok(toolbox.take(reading))
        })
    }

    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        Some(self)
    }
}

impl ConcurrentTool for Read {
    fn read<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, Reading> {
        Box::pin(self.read_file(toolbox, call))
    }
}

impl Lines {
    /// The lines that `read` asks for, as many as fit.
    pub(super) fn of(path: &str, document: &Document, read: &Read) -> Self {
        let text = &document.text;
        let encoding = Some(document.encoding).filter(|encoding| *encoding != Encoding::Utf8);
        let first = read.line.unwrap_or(1).max(1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut lines = Lines {
            path: path.to_owned(),
            text: String::new(),
            first,
            given: 0,
            total: number(text.split_inclusive('\n').count()),
            cut: false,
            encoding: encoding.map(|encoding| encoding.name().to_owned()),
        };
        let mut length = 0;
        let wanted = text.split_inclusive('\n').skip(first as usize - 1);
        for line in wanted.take(read.limit.map_or(usize::MAX, |limit| limit as usize)) {
            length += json_text_length(line);
            if length > TEXT_GIVEN {
                if lines.given == 0 {
                    lines.text = start_within(line, TEXT_GIVEN).to_owned();
                    (lines.given, lines.cut) = (1, true);
                }
                break;
            }
            lines.text.push_str(line);
            lines.given += 1;
        }
        lines
    }

    /// The number of the last line given.
    pub(crate) fn last(&self) -> u32 {
        self.first.saturating_add(self.given).saturating_sub(1)
    }

    /// What the model reads.
    pub(crate) fn text(&self) -> String {
        let encoding = self.encoding.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
        match (self.given, self.total) {
            (_, 0) => format!("[{} is empty]", self.path),
            (0, total) => format!("[{} has only {total} lines]", self.path),
            (_, total) => {
                format!(
                    "[lines {}-{} of {total}{encoding}]\n{}",
                    self.first,
                    self.last(),
                    self.text
                )
            }
        }
    }

    pub(crate) fn raw_output(&self) -> Value {
        json!({ "first": self.first, "lines": self.given, "total": self.total, "cut": self.cut })
    }
}

impl Toolbox<'_> {
    /// Gives a picture to a model that takes pictures, and shows it to the person where it fits in
    /// a message.
    async fn look_at(
        &self,
        mut handle: ToolCallHandle,
        place: &Place,
        picture: Picture,
        bytes: &[u8],
    ) -> Result<ToolResult> {
        let media = Media { mime: picture.mime.to_owned(), base64: BASE64_STANDARD.encode(bytes) };
        let model = crate::turn::chosen(self.models, self.turn);
        let words = format!("{} is {}", place.shown, picture.words());
        if !model.takes(&Part::Image(media.clone())) {
            let why = format!("{words}: {} takes no pictures; another model may", model.title());
            return self.unreadable(handle, Unreadable::Other(why)).await;
        }
        let size = counted(bytes.len() as u64, "byte");
        let mut content = vec![ContentBlock::text(format!("{words}, {size}.")).into()];
        if media.base64.len() <= MESSAGE_TEXT {
            content
                .push(ContentBlock::Image(ImageContent::new(&media.base64, picture.mime)).into());
        }
        handle.replace_content(content).await?;
        handle.complete().await?;
        Ok(ToolResult {
            images: vec![media],
            ..ToolResult::done(format!("[{words}]"), Finding::Nothing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Lines, Read};

    fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> (String, u32, u32, u32) {
        let lines = Lines::of("f", &Document::new(text), &Read { path: "f".into(), line, limit });
        (lines.text.clone(), lines.first, lines.last(), lines.total)
    }

    #[test]
    fn lines_are_given_exactly_with_their_ends() {
        assert_eq!(lines("a\r\nb\nc", None, None), ("a\r\nb\nc".into(), 1, 3, 3));
        assert_eq!(lines("a\r\nb\nc", Some(2), Some(1)), ("b\n".into(), 2, 2, 3));
        assert_eq!(lines("a\n", Some(0), Some(9)), ("a\n".into(), 1, 1, 1));
        assert_eq!(lines("a\n", Some(7), None), (String::new(), 7, 6, 1));
        assert_eq!(lines("", None, None).3, 0);
    }

    #[test]
    fn a_long_file_is_given_up_to_a_whole_line_and_a_long_line_in_part() {
        let text = format!("{}\n", "x".repeat(99)).repeat(10_000);
        let read = Read { path: "f".into(), line: None, limit: None };
        let lines = Lines::of("f", &Document::new(text), &read);
        assert!(lines.text.ends_with('\n') && lines.text.len() < 21_000 && lines.total == 10_000);
        let lines = Lines::of("f", &Document::new("\u{1}".repeat(1_000_000)), &read);
        assert!(lines.cut && lines.text.len() < 4_000 && lines.total == 1);
    }
}
