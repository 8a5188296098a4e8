//! The delete tool: a file, or an empty folder.

use super::change::Step;
use super::file_access::{FileAccess, State};
use super::{Action, Finding, ToolResult, Toolbox};
use attache_agent::{NewToolCall, Result};
use attache_policy::{Folders, Place};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delete {
    /// The file or the empty folder.
    pub(crate) path: String,
}

impl Delete {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "path": self.path })
    }
}

impl Toolbox<'_> {
    /// Deletes a file that the model has read, or an empty folder.
    pub(super) async fn delete(
        &mut self,
        delete: &Delete,
        call: NewToolCall,
    ) -> Result<ToolResult> {
        let (place, old) = match self.entry(&delete.path, "delete").await? {
            Ok(entry) => entry,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let call = call.location(&place.absolute, None);
        let shown = place.shown.clone();
        let action = Action::Delete(Delete { path: shown.clone() });
        match self.change(&action, call, vec![Step::Delete { place, old }]).await? {
            Ok(handle) => {
                handle.complete().await?;
                Ok(ToolResult::done(format!("{shown} deleted"), Finding::Nothing))
            }
            Err(result) => Ok(result),
        }
    }

    /// Where a path leads; a symbolic link at its end is followed.
    pub(super) async fn place(&self, path: &str) -> Result<std::result::Result<Place, String>> {
        self.resolved(path, |folders, path| folders.place(path)).await
    }

    /// What is at the end of a path, links followed.
    pub(super) async fn at(
        &self,
        path: &str,
    ) -> Result<std::result::Result<(Place, State), String>> {
        Ok(match self.place(path).await? {
            Ok(place) => self.files().state(&place).await?.map(|state| (place, state)),
            Err(why) => Err(why),
        })
    }

    /// What has the name itself, to be deleted or moved: no symbolic link, and if it is a text one
    /// that the model knows and that is on the disk as its editor has it.
    pub(super) async fn entry(
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
                return Ok(Err(format!(
                    "the folder {shown} is not empty: {verb} what is in it first"
                )));
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
                    "{shown} has changes in the person's editor that are not saved: ask them to save it, then {verb}"
                )));
            }
        }
        Ok(Ok((place, state)))
    }

    pub(super) async fn resolved(
        &self,
        path: &str,
        how: impl FnOnce(&Folders, &str) -> std::result::Result<Place, attache_host::FileError>
        + Send
        + 'static,
    ) -> Result<std::result::Result<Place, String>> {
        let (folders, path) = (self.memory.folders.clone(), path.to_owned());
        super::looking(self.turn, move |_| how(&folders, &path).map_err(|error| error.to_string()))
            .await
    }
}

async fn holds_something(files: FileAccess<'_>, place: &Place) -> Result<bool> {
    let looked = files.on_disk(place, |_, place| {
        Ok(place.resolved.path().read_dir().is_ok_and(|mut entries| entries.next().is_some()))
    });
    Ok(looked.await?.unwrap_or(false))
}
