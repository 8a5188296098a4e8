//! The move tool: another path for a file, where nothing is.

use super::change::Step;
use super::file_access::State;
use super::{Action, Finding, ToolResult, Toolbox};
use attache_agent::{NewToolCall, Result};
use attache_policy::Place;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What to move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Move {
    /// The file.
    pub(crate) path: String,
    /// Its whole new path.
    pub(crate) to: String,
}

impl Move {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "path": self.path, "to": self.to })
    }
}

impl Toolbox<'_> {
    /// Moves a file that the model has read.
    pub(super) async fn move_file(
        &mut self,
        wanted: &Move,
        call: NewToolCall,
    ) -> Result<ToolResult> {
        let (from, old) = match self.entry(&wanted.path, "move").await? {
            Ok((from, State::Folder)) => {
                let why = format!("{} is a folder: move its files, or use a command", from.shown);
                return self.failed(call.announce().await?, &why).await;
            }
            Ok(entry) => entry,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let to = match self.free(&wanted.to).await? {
            Ok(to) => to,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let call = call.location(&from.absolute, None).location(&to.absolute, None);
        let action = Action::Move(Move { path: from.shown.clone(), to: to.shown.clone() });
        let words = format!("{} moved to {}", from.shown, to.shown);
        match self.change(&action, call, vec![Step::Move { from, to, old }]).await? {
            Ok(handle) => {
                handle.complete().await?;
                Ok(ToolResult::done(words, Finding::Nothing))
            }
            Err(result) => Ok(result),
        }
    }

    /// A path where nothing is.
    pub(super) async fn free(&self, path: &str) -> Result<std::result::Result<Place, String>> {
        let names_folder = path.ends_with('/');
        let place = match self.resolved(path, |folders, path| folders.entry(path)).await? {
            Ok(place) => place,
            Err(why) => return Ok(Err(why)),
        };
        Ok(match self.files().state(&place).await? {
            Ok(State::Nothing) if !names_folder => Ok(place),
            Ok(State::Nothing | State::Folder) => {
                Err(format!("{} names a folder: give the whole new path of the file", place.shown))
            }
            Ok(_) => Err(format!("{} exists already: give another path", place.shown)),
            Err(why) => Err(why),
        })
    }
}
