//! The tool `read`: reads the text of a file, or a picture.

use crate::models::{Media, Part, Picture, ToolSpec};
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::file_access::{State, fingerprint};
use crate::tools::findings::{Lines, Unreadable};
use crate::tools::fit::{MESSAGE_TEXT, counted};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{number, spec, text};
use crate::tools::tool::{ConcurrentTool, PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, Reading, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Result, ToolCallHandle, ToolKind};
use attache_policy::{Place, Touch};
use attache_protocol::v1::{ContentBlock, ImageContent};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;

/// A request to read a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Read {
    /// The path of the file.
    pub(crate) path: String,
    /// The first line to read, by default 1.
    pub(crate) line: Option<u32>,
    /// The maximum number of lines, by default as many as fit.
    pub(crate) limit: Option<u32>,
}

impl Read {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("read", arguments)
    }

    /// Reads a text, gives a picture to the model, or reads a kept output.
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
                let lines = Lines::of(&place.shown, &document, self.line, self.limit);
                let result = toolbox.found(handle, Finding::Lines(lines)).await?;
                return Ok(Reading { result, saw: Some(saw) });
            }
            State::Picture(picture, bytes) => {
                toolbox.read_picture(handle, place, picture, &bytes).await
            }
            State::Nothing => toolbox.unreadable(handle, Unreadable::Missing(why(state))).await,
            State::Folder => toolbox.unreadable(handle, Unreadable::Folder(why(state))).await,
            State::Other { .. } => toolbox.unreadable(handle, Unreadable::Other(why(state))).await,
        };
        result.map(Reading::from)
    }

    /// Checks that the path is inside the session's folders, unless it is the file of a kept
    /// output, which is outside.
    fn prepared(
        &self,
        toolbox: &Toolbox<'_>,
        paths: &ResolvedPaths,
    ) -> std::result::Result<Prepared, PrepareError> {
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
            "Read a text file. The result says which lines it contains; a long file is read in parts.",
            json!({
                "path": text("The file."), "line": number("The first line."),
                "limit": number("The maximum number of lines."),
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
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(self.read_file(toolbox, call))
    }
}

impl Toolbox<'_> {
    /// Gives a picture to the model, if the model accepts pictures, and shows it to the person if
    /// it fits into a message.
    async fn read_picture(
        &self,
        mut handle: ToolCallHandle,
        place: &Place,
        picture: Picture,
        bytes: &[u8],
    ) -> Result<ToolResult> {
        let media = Media {
            mime: picture.mime.to_owned(),
            base64: BASE64_STANDARD.encode(bytes),
            name: Some(place.shown.clone()),
        };
        let model = crate::turn::chosen_model::chosen(self.models, self.turn);
        let words = format!("{} is {}", place.shown, picture.words());
        if !model.takes(&Part::Image(media.clone())) {
            let why =
                format!("{words}: {} does not accept pictures; use another model", model.title());
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
