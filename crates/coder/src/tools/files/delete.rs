//! The tool `delete`: removes a file or an empty folder.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::file_access::{FileAccess, State, run_reading};
use crate::tools::files::step::Step;
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Result, ToolKind};
use attache_policy::{Folders, Place, Touch};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request to delete a file or an empty folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delete {
    /// The path of the file or folder.
    pub(crate) path: String,
}

impl Delete {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("delete", arguments)
    }

    async fn prepared(&self, toolbox: &Toolbox<'_>) -> std::result::Result<Prepared, PrepareError> {
        let (place, old) = toolbox.entry(&self.path, "delete").await??;
        let result = ToolResult::done(format!("{} deleted", place.shown), Finding::Nothing);
        Ok(Prepared::changing(vec![Step::Delete { place, old }], result))
    }
}

impl Tool for Delete {
    fn spec(&self) -> ToolSpec {
        spec(
            "delete",
            "Delete a file that you have read, or an empty folder.",
            json!({"path": text("The file or folder.")}),
            &["path"],
        )
    }

    fn name(&self) -> &str {
        "delete"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Delete
    }

    fn title(&self) -> String {
        format!("Delete {}", self.path)
    }

    fn input(&self) -> Value {
        json!({ "path": self.path })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_path(&self.path)]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Changes(vec![&self.path])
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
    /// The target of a path. Follows a symbolic link at its end.
    pub(crate) async fn place(&self, path: &str) -> Result<std::result::Result<Place, String>> {
        self.resolved(path, |folders, path| folders.place(path)).await
    }

    /// The target of a path, and its state.
    pub(crate) async fn at(
        &self,
        path: &str,
    ) -> Result<std::result::Result<(Place, State), String>> {
        Ok(match self.place(path).await? {
            Ok(place) => self.files().state(&place).await?.map(|state| (place, state)),
            Err(why) => Err(why),
        })
    }

    /// The entry to delete or move. It must not be a symbolic link. The model must know the content
    /// of a text file, and the file must be saved in the person's editor.
    pub(crate) async fn entry(
        &self,
        path: &str,
        verb: &str,
    ) -> Result<std::result::Result<(Place, State), String>> {
        let place = match self.resolved(path, |folders, path| folders.entry(path)).await? {
            Ok(place) => place,
            Err(why) => return Ok(Err(why)),
        };
        let shown = &place.shown;
        let state = match self.files().state(&place).await? {
            Ok(State::Folder) if holds_something(self.files(), &place).await? => {
                return Ok(Err(format!("the folder {shown} is not empty: {verb} its files first")));
            }
            Ok(State::Nothing) => return Ok(Err(State::Nothing.no_text(shown, verb))),
            Ok(state) => state,
            Err(why) => return Ok(Err(why)),
        };
        if let Err(why) = self.known(&place, &state, verb) {
            return Ok(Err(why));
        }
        if let State::Text(_) = state {
            let disk = FileAccess { disk_only: true, ..self.files() }.state(&place).await?;
            if disk.as_ref() != Ok(&state) {
                return Ok(Err(format!(
                    "{shown} has unsaved changes in the person's editor: ask them to save it, then {verb}"
                )));
            }
        }
        Ok(Ok((place, state)))
    }

    pub(crate) async fn resolved(
        &self,
        path: &str,
        how: impl FnOnce(&Folders, &str) -> std::result::Result<Place, attache_host::FileError>
        + Send
        + 'static,
    ) -> Result<std::result::Result<Place, String>> {
        let (folders, path) = (self.memory.folders.clone(), path.to_owned());
        run_reading(self.turn, move |_| how(&folders, &path).map_err(|error| error.to_string()))
            .await
    }
}

async fn holds_something(files: FileAccess<'_>, place: &Place) -> Result<bool> {
    let looked = files.on_disk(place, |_, place| {
        Ok(place.resolved.path().read_dir().is_ok_and(|mut entries| entries.next().is_some()))
    });
    Ok(looked.await?.unwrap_or(false))
}
