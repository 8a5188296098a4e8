//! The tool `apply_patch`: makes several changes at once, all or nothing.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::document::Document;
use crate::tools::files::file_access::State;
use crate::tools::files::patch::{FilePatch, Hunk, Patch, patched};
use crate::tools::files::step::Step;
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::ToolKind;
use attache_policy::Touch;
use serde::Deserialize;
use serde_json::{Value, json};

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "patch")]
    input: String,
}

impl Patch {
    pub(crate) fn parse_arguments(arguments: &str) -> Result<Self, String> {
        // Some models write only the patch, without JSON, as they were trained to.
        if arguments.trim_start().starts_with("*** Begin Patch") {
            return Self::parse(arguments);
        }
        let Arguments { input } = arguments::parse("apply_patch", arguments)?;
        Self::parse(&input)
    }

    /// The approximate length of the patch, in bytes.
    pub(crate) fn length(&self) -> usize {
        let length = |file: &FilePatch| match file {
            FilePatch::Add { text, .. } => text.len(),
            FilePatch::Delete { .. } => 0,
            FilePatch::Update { hunks, .. } => hunks.iter().map(Hunk::length).sum(),
        };
        self.files.iter().map(|file| length(file) + file.paths().map(str::len).sum::<usize>()).sum()
    }

    /// The paths that the patch changes.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.files.iter().flat_map(FilePatch::paths).collect()
    }
}

/// The change of one file, and its description once it is made.
struct FileChange {
    steps: Vec<Step>,
    words: String,
}

impl Patch {
    async fn prepared(&self, toolbox: &Toolbox<'_>) -> Result<Prepared, PrepareError> {
        let (mut steps, mut words) = (Vec::new(), Vec::new());
        for file in &self.files {
            let change =
                file_change(toolbox, file).await.map_err(|unprepared| match unprepared {
                    PrepareError::Call(why) => {
                        PrepareError::Call(format!("{why}. The patch changed nothing."))
                    }
                    turn => turn,
                })?;
            steps.extend(change.steps);
            words.push(change.words);
        }
        if let Some(twice) = duplicate_path(&steps) {
            let why = format!("{twice} occurs twice: put all changes of a file below one header");
            return Err(why.into());
        }
        let result = ToolResult::done(words.join("\n"), Finding::Nothing);
        Ok(Prepared::changing(steps, result))
    }
}

impl Tool for Patch {
    fn spec(&self) -> ToolSpec {
        spec(
            "apply_patch",
            "Change several files at once, all or nothing. First read the files that you change, move or delete. The format: \
             *** Begin Patch, then for each file *** Add File: PATH and its lines with + before each; or *** Delete File: PATH; or *** Update File: PATH, \
             perhaps *** Move to: PATH, and hunks: a line @@ (or @@ with a line of the file that is above the change), then lines with a space (kept), - (removed) \
             or + (comes) before each, with three lines around the change, perhaps *** End of File; at last *** End Patch.",
            json!({"input": text("The patch.")}),
            &["input"],
        )
    }

    fn name(&self) -> &str {
        "apply_patch"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn title(&self) -> String {
        format!("Patch {}", self.paths().join(", "))
    }

    fn input(&self) -> Value {
        let paths = self.files.iter().map(|file| file.paths().collect::<Vec<_>>());
        json!({ "files": paths.collect::<Vec<_>>() })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_text(self.length())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Changes(self.paths())
    }

    fn prepare<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(self.prepared(toolbox))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(toolbox.change_and_complete(call))
    }
}

async fn file_change(toolbox: &Toolbox<'_>, file: &FilePatch) -> Result<FileChange, PrepareError> {
    match file {
        FilePatch::Add { path, text } => {
            let (place, old) = toolbox.at(path).await??;
            if old != State::Nothing {
                let why = format!("{} already exists: update it instead", place.shown);
                return Err(why.into());
            }
            let words = format!("{} created", place.shown);
            let steps = vec![Step::Write { place, old: None, new: Document::new(text.as_str()) }];
            Ok(FileChange { steps, words })
        }
        FilePatch::Delete { path } => {
            let (place, old) = toolbox.entry(path, "delete").await??;
            if old == State::Folder {
                return Err(format!("{path} is a folder: a patch deletes files only").into());
            }
            let words = format!("{} deleted", place.shown);
            Ok(FileChange { steps: vec![Step::Delete { place, old }], words })
        }
        FilePatch::Update { path, moved_to, hunks } => {
            let entry = match moved_to {
                Some(_) => toolbox.entry(path, "patch").await??,
                None => toolbox.at(path).await??,
            };
            let (place, old) = match entry {
                (place, State::Text(old)) => (place, old),
                (place, other) => return Err(other.no_text(&place.shown, "patched").into()),
            };
            toolbox.known(&place, &State::Text(old.clone()), "patch")?;
            let text = patched(hunks, &old.text, &place.shown)?;
            let new = Document { text, encoding: old.encoding };
            let (mut steps, mut words) = (Vec::new(), format!("{} changed", place.shown));
            if new != old {
                let (old, new) = (Some(old), new.clone());
                steps.push(Step::Write { place: place.clone(), old, new });
            }
            if let Some(to) = moved_to {
                let to = toolbox.unused_place(to).await??;
                words = format!("{} moved to {}", place.shown, to.shown);
                steps.push(Step::Move { from: place, to, old: State::Text(new) });
            }
            Ok(FileChange { steps, words })
        }
    }
}

/// A path that two parts of a patch change.
fn duplicate_path(steps: &[Step]) -> Option<String> {
    let mut seen: Vec<(std::path::PathBuf, usize)> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        for place in step.places() {
            let path = place.resolved.path();
            // A file that is changed and then moved has two consecutive steps.
            let moved = |at: usize| {
                at + 1 == index
                    && matches!(step, Step::Move { from, .. } if from.resolved.path() == path)
            };
            if seen.iter().any(|(other, at)| *other == path && !moved(*at)) {
                return Some(place.shown.clone());
            }
            seen.push((path, index));
        }
    }
    None
}
