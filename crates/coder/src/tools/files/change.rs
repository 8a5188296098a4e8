//! Changes files for all tools. Either all changes of a call are made or none, and each is recorded
//! for undo.

use crate::session::changes::{Before, Content, MAX_KEPT_FILE, restore};
use crate::tools::approved_call::ApprovedCall;
use crate::tools::files::file_access::{FileAccess, Fingerprint, State};
use crate::tools::files::step::Step;
use crate::tools::tool_result::ToolResult;
use crate::tools::toolbox::Toolbox;
use attache_agent::{Result, ToolCallHandle};
use attache_policy::{Folders, Place};
use std::os::unix::fs::MetadataExt as _;

impl Toolbox<'_> {
    /// Checks that the model knows the current content of a file that it wants to `verb`. If it
    /// does not, returns a sentence for the model. A model cannot know the content of a binary
    /// file.
    pub(crate) fn known(
        &self,
        place: &Place,
        now: &State,
        verb: &str,
    ) -> std::result::Result<(), String> {
        if !matches!(now, State::Text(_)) {
            return Ok(());
        }
        let shown = &place.shown;
        match self.memory.seen.get(&place.resolved.path()) {
            Some(seen) if *seen == now.fingerprint() => Ok(()),
            Some(_) => {
                Err(format!("{shown} changed since it was read: read it again, then {verb}"))
            }
            None => Err(format!("{shown} was not read yet: read it, then {verb}")),
        }
    }

    /// Makes the changes of an approved call. Returns the call if all succeed, or else its result.
    pub(crate) async fn change(
        &mut self,
        call: ApprovedCall,
    ) -> Result<std::result::Result<(ToolCallHandle, ToolResult), ToolResult>> {
        let (handle, _, prepared) = call.start().await?;
        match self.make(&prepared.steps).await? {
            Some(why) => self.failed(handle, &why).await.map(Err),
            None => {
                let result = prepared.result;
                Ok(Ok((handle, result.unwrap_or_else(|| ToolResult::failed("nothing to change")))))
            }
        }
    }

    /// Makes the changes of an approved call and completes it.
    pub(crate) async fn change_and_complete(&mut self, call: ApprovedCall) -> Result<ToolResult> {
        match self.change(call).await? {
            Ok((handle, result)) => {
                handle.complete().await?;
                Ok(result)
            }
            Err(result) => Ok(result),
        }
    }

    /// The reason why the files no longer match the approved steps, if they changed.
    pub(crate) async fn change_since_approval(&self, steps: &[Step]) -> Result<Option<String>> {
        let mut looked = Vec::new();
        for (place, before) in steps.iter().flat_map(Step::before) {
            let path = place.resolved.path();
            // If several steps change one place, only the first one starts from the state on the
            // disk.
            if looked.contains(&path) {
                continue;
            }
            looked.push(path);
            let now = self.files().state(place).await?;
            if now.map(|now| now.fingerprint()) != Ok(before.fingerprint()) {
                let shown = &place.shown;
                return Ok(Some(format!(
                    "{shown} changed before this call ran, so it was not modified: read it, then try again"
                )));
            }
        }
        Ok(None)
    }

    /// Makes the steps. If one fails, it rolls back the earlier ones and returns the reason.
    async fn make(&mut self, steps: &[Step]) -> Result<Option<String>> {
        let mut kept = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let before = self.keep(step).await?;
            let done = self.step(step).await;
            let Ok(Ok(())) = done else {
                // If the turn has ended, the client no longer accepts files, so the files are
                // restored on the disk.
                let stuck = self.roll_back(kept, done.is_err()).await;
                let why = done?.err().unwrap_or_default();
                return Ok(Some(match stuck {
                    None if index == 0 => why,
                    None => format!("{why}; the other files were restored"),
                    Some(stuck) => {
                        format!("{why}; {stuck} could not be restored: check it")
                    }
                }));
            };
            for (folder, _) in &before {
                self.memory.changes.changed(folder, Fingerprint::Folder);
            }
            kept.extend(before);
            // Records the effects of the step for undo, and what the model now knows.
            for (place, now) in step.after() {
                self.memory.changes.changed(place, now);
                match now {
                    Fingerprint::Nothing => drop(self.memory.seen.remove(&place.resolved.path())),
                    Fingerprint::Held(..) => self.remember_file(place.resolved.path(), now),
                    Fingerprint::Folder | Fingerprint::Stamped(_) => {}
                }
            }
        }
        Ok(None)
    }

    async fn step(&self, step: &Step) -> Result<std::result::Result<(), String>> {
        match step {
            Step::Write { place, new, .. } => self.files().write(place, new).await,
            Step::Delete { place, old } => self.files().remove(place, *old == State::Folder).await,
            Step::Move { from, to, .. } => self.files().move_file(from, to).await,
        }
    }

    /// Restores the changed files in reverse order. Returns a file that could not be restored, if
    /// any.
    async fn roll_back(&mut self, kept: Vec<(Place, Before)>, disk_only: bool) -> Option<String> {
        let access = FileAccess { disk_only, ..self.files() };
        let (mut stuck, mut back) = (None, Vec::new());
        for (place, before) in kept.into_iter().rev() {
            match restore(access, &place, &before).await {
                Ok(Ok(())) => back.push((place, before.fingerprint())),
                Ok(Err(_)) | Err(_) => stuck = Some(place.shown),
            }
        }
        for (place, now) in back {
            self.memory.changes.changed(&place, now);
        }
        stuck
    }

    /// Records the state before a step for undo, and returns it.
    async fn keep(&mut self, step: &Step) -> Result<Vec<(Place, Before)>> {
        let mut kept = Vec::new();
        for (place, now) in step.before() {
            let folders =
                self.files().on_disk(place, |folders, place| Ok(missing(folders, place))).await?;
            kept.extend(folders.into_iter().flatten().map(|folder| (folder, Before::Nothing)));
            // If the content of the source is not kept, undo must not remove the target either.
            let before = match (kept.last(), step) {
                (Some((_, lost @ Before::Lost(_))), Step::Move { .. }) => lost.clone(),
                _ => self.before(place, now).await?,
            };
            kept.push((place.clone(), before));
        }
        for (place, before) in &kept {
            self.memory.changes.keep(place, before.clone());
        }
        Ok(kept)
    }

    /// The state of a place, which `/undo` can restore.
    async fn before(&self, place: &Place, now: State) -> Result<Before> {
        let mode = |_: &Folders, place: &Place| {
            let file = place.resolved.open_read()?;
            Ok(file.metadata().ok().map(|found| found.mode() & 0o7777))
        };
        let mode = self.files().on_disk(place, mode).await?.ok().flatten();
        let content = match now {
            State::Nothing => return Ok(Before::Nothing),
            State::Folder => return Ok(Before::Folder),
            State::Text(document) => Content::Text(document),
            State::Picture(_, bytes) => Content::Bytes(bytes),
            State::Other { .. } => {
                let read = |_: &Folders, place: &Place| place.resolved.read(MAX_KEPT_FILE);
                match self.files().on_disk(place, read).await? {
                    Ok(bytes) => Content::Bytes(bytes),
                    Err(why) => return Ok(Before::Lost(why)),
                }
            }
        };
        Ok(Before::File { content, mode })
    }
}

/// The folders that must be created for a place, the outermost first.
fn missing(folders: &Folders, place: &Place) -> Vec<Place> {
    let (root, relative) = (place.resolved.root(), place.resolved.relative());
    let above = relative.ancestors().skip(1).map(|folder| root.join(folder));
    let mut missing: Vec<Place> = above
        .take_while(|folder| folder.symlink_metadata().is_err())
        .filter_map(|folder| folders.place(folder).ok())
        .collect();
    missing.reverse();
    missing
}
