//! The write tool: a new file, or the whole text of one that was read.

use super::edit::{diffs, fingerprint};
use super::fit::{MESSAGE_TEXT, counted, json_text_length, one_line};
use super::read::Unreadable;
use super::{Finding, ToolResult, Toolbox};
use crate::folders::Place;
use attache_agent::{NewToolCall, Result, diff};
use attache_protocol::v1::{ContentBlock, ToolCallContent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Write {
    /// The file.
    pub(crate) path: String,
    /// Its whole text.
    pub(crate) text: String,
}

impl Write {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "path": self.path, "text": one_line(&self.text, 200) })
    }
}

impl Toolbox<'_> {
    /// Writes one file: what it will be is shown, allowed, and written if the file is still what it was.
    pub(crate) async fn write_whole(
        &mut self,
        write: &Write,
        call: NewToolCall,
        place: &Place,
    ) -> Result<ToolResult> {
        let old = match self.text(place).await? {
            Ok(old) => Some(old),
            Err(Unreadable::Missing(_)) if !place.resolved.exists() => None,
            Err(reason) => return self.failed(call.announce().await?, reason.sentence()).await,
        };
        let key = place.resolved.path();
        let seen = self.memory.seen.get(&key);
        if old.as_ref().is_some_and(|old| seen != Some(&fingerprint(old))) {
            let why = match seen {
                None => format!("{} is there already: read it first, or change it with edit", place.shown),
                Some(_) => format!("{} changed since it was read: read it again, then write", place.shown),
            };
            return self.failed(call.announce().await?, &why).await;
        }
        let mut call = call;
        for content in shown(&place.absolute, old.as_deref(), &write.text) {
            call = call.content(content);
        }
        let handle = call.announce().await?;
        // Judged by where it leads, not by how it was named.
        let action = super::Action::Write(Write { path: place.shown.clone(), ..write.clone() });
        let mut handle = match self.permitted(handle, &action).await? {
            Ok(handle) => handle,
            Err(refused) => return Ok(refused),
        };
        handle.start().await?;
        // The permission is for the change that was shown.
        if self.text(place).await?.ok() != old {
            let why =
                format!("{} changed meanwhile and was left alone: read it, then try again", place.shown);
            return self.failed(handle, &why).await;
        }
        if let Err(why) = self.write(place, &write.text).await? {
            return self.failed(handle, &why).await;
        }
        self.saw(key, &write.text);
        let lines = counted(write.text.lines().count() as u64, "line");
        let made = if old.is_some() { "replaced" } else { "made" };
        handle.complete().await?;
        Ok(ToolResult::done(format!("{} {made}: {lines}", place.shown), Finding::Nothing))
    }
}

/// The change as it is shown: a new file has no old text (TOOL-11).
fn shown(path: &Path, old: Option<&str>, new: &str) -> Vec<ToolCallContent> {
    match old {
        Some(old) => diffs(path, old, new),
        None if json_text_length(new) <= MESSAGE_TEXT => vec![diff(path, None, new)],
        None => {
            let start = super::fit::start_within(new, MESSAGE_TEXT);
            let left = counted(new.len().saturating_sub(start.len()) as u64, "byte");
            let more = format!("The file goes on: {left} are too long to be shown here.");
            vec![diff(path, None, start), ContentBlock::text(more).into()]
        }
    }
}
