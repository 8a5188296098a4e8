//! What a model is told of the tools that look for, patch, delete and move files, and their
//! arguments.

use super::{Action, spec};
use crate::models::ToolSpec;
use crate::tools::glob::Glob;
use crate::tools::patch::Patch;
use serde::Deserialize;
use serde_json::{Value, json};

fn text(what: &str) -> Value {
    json!({"type": "string", "description": what})
}

pub(super) fn glob() -> ToolSpec {
    spec(
        "glob",
        "Find files by their names, the newest first, without those that .gitignore names and hidden ones.",
        json!({
            "pattern": text("Such as *.rs or src/**/*.ts; hidden folders must be named, as in .github/**/*.yml."),
            "path": text("The folder to look below. Default: the working directory."),
        }),
        &["pattern"],
    )
}

pub(super) fn apply_patch() -> ToolSpec {
    spec(
        "apply_patch",
        "Change several files at once, all or nothing. Read those that are changed, moved or deleted first. The format: \
         *** Begin Patch, then for each file *** Add File: PATH and its lines with + before each; or *** Delete File: PATH; or *** Update File: PATH, \
         perhaps *** Move to: PATH, and hunks: a line @@ (or @@ with the line of the file that is above), then lines with a space (stays), - (goes) \
         or + (comes) before each, with three lines around the change, perhaps *** End of File; at last *** End Patch.",
        json!({"input": text("The patch.")}),
        &["input"],
    )
}

pub(super) fn delete() -> ToolSpec {
    spec(
        "delete",
        "Delete a file that you have read, or an empty folder.",
        json!({"path": text("The file or folder.")}),
        &["path"],
    )
}

pub(super) fn move_file() -> ToolSpec {
    spec(
        "move",
        "Move or rename a file that you have read, with the folders it needs. It never replaces another file.",
        json!({"path": text("The file."), "to": text("Its whole new path.")}),
        &["path", "to"],
    )
}

#[derive(Deserialize)]
pub(super) struct GlobArguments {
    pattern: String,
    path: Option<String>,
}

impl GlobArguments {
    pub(super) fn action(self) -> Action {
        Action::Glob(Glob::new(self.path, &self.pattern))
    }
}

#[derive(Deserialize)]
pub(super) struct PatchArguments {
    #[serde(alias = "patch")]
    pub(super) input: String,
}

impl PatchArguments {
    pub(super) fn action(&self) -> Result<Action, String> {
        Patch::parse(&self.input).map(Action::ApplyPatch)
    }
}
