//! The tool `move`: gives a file a new, unused path.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::file_access::State;
use crate::tools::files::step::Step;
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Result, ToolKind};
use attache_policy::{Place, Touch};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request to move a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Move {
    /// The path of the file.
    pub(crate) path: String,
    /// The complete new path.
    pub(crate) to: String,
}

impl Move {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("move", arguments)
    }

    async fn prepared(&self, toolbox: &Toolbox<'_>) -> std::result::Result<Prepared, PrepareError> {
        let (from, old) = toolbox.entry(&self.path, "move").await??;
        if old == State::Folder {
            let why =
                format!("{} is a folder: move its files one by one, or use a command", from.shown);
            return Err(why.into());
        }
        let to = toolbox.unused_place(&self.to).await??;
        let words = format!("{} moved to {}", from.shown, to.shown);
        let result = ToolResult::done(words, Finding::Nothing);
        Ok(Prepared::changing(vec![Step::Move { from, to, old }], result))
    }
}

impl Tool for Move {
    fn spec(&self) -> ToolSpec {
        spec(
            "move",
            "Move or rename a file that you have read. Missing folders are created. It never replaces another file.",
            json!({"path": text("The file."), "to": text("Its complete new path.")}),
            &["path", "to"],
        )
    }

    fn name(&self) -> &str {
        "move"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Move
    }

    fn title(&self) -> String {
        format!("Move {} to {}", self.path, self.to)
    }

    fn input(&self) -> Value {
        json!({ "path": self.path, "to": self.to })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_path(&self.path), Length::of_path(&self.to)]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Changes(vec![&self.path, &self.to])
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

impl Toolbox<'_> {
    /// Checks that nothing exists at a path.
    pub(crate) async fn unused_place(
        &self,
        path: &str,
    ) -> Result<std::result::Result<Place, String>> {
        let names_folder = path.ends_with('/');
        let place = match self.resolved(path, |folders, path| folders.entry(path)).await? {
            Ok(place) => place,
            Err(why) => return Ok(Err(why)),
        };
        Ok(match self.files().state(&place).await? {
            Ok(State::Nothing) if !names_folder => Ok(place),
            Ok(State::Nothing | State::Folder) => Err(format!(
                "{} names a folder: give the complete new path of the file",
                place.shown
            )),
            Ok(_) => Err(format!("{} already exists: give another path", place.shown)),
            Err(why) => Err(why),
        })
    }
}
