//! The tool of several changes at once: a patch, made whole or not at all.

use super::change::Step;
use super::document::Document;
use super::file_access::State;
use super::patch::{FilePatch, Hunk, Patch, patched};
use super::{Action, Finding, ToolResult, Toolbox};
use attache_agent::{NewToolCall, Result};
use serde_json::{Value, json};

/// How many files one call tells the client, and how long their names may be together, in bytes.
const LOCATIONS_TOLD: usize = 20;
const LOCATIONS_LENGTH: usize = 8 * 1024;

/// What is to be done about one file: the steps, the patch by where its paths lead, and the words
/// for it when it is done.
struct Prepared {
    steps: Vec<Step>,
    file: FilePatch,
    words: String,
}

impl Patch {
    pub(crate) fn raw_input(&self) -> Value {
        let paths = self.files.iter().map(|file| file.paths().collect::<Vec<_>>());
        json!({ "files": paths.collect::<Vec<_>>() })
    }

    /// How long it is, in bytes, about as it was written.
    pub(crate) fn length(&self) -> usize {
        let length = |file: &FilePatch| match file {
            FilePatch::Add { text, .. } => text.len(),
            FilePatch::Delete { .. } => 0,
            FilePatch::Update { hunks, .. } => hunks.iter().map(Hunk::length).sum(),
        };
        self.files.iter().map(|file| length(file) + file.paths().map(str::len).sum::<usize>()).sum()
    }

    /// The paths that it changes.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.files.iter().flat_map(FilePatch::paths).collect()
    }
}

impl Toolbox<'_> {
    /// Applies a patch.
    pub(super) async fn apply_patch(
        &mut self,
        patch: &Patch,
        call: NewToolCall,
    ) -> Result<ToolResult> {
        let (mut call, mut steps, mut words) = (call, Vec::new(), Vec::new());
        let mut led = Patch::default();
        for file in &patch.files {
            match self.prepared_file(file).await? {
                Ok(prepared) => {
                    steps.extend(prepared.steps);
                    led.files.push(prepared.file);
                    words.push(prepared.words);
                }
                Err(why) => {
                    let why = format!("{why}. Nothing of the patch was done.");
                    return self.failed(call.announce().await?, &why).await;
                }
            }
        }
        if let Some(twice) = twice(&steps) {
            let why = format!("{twice} is named twice: put all of its changes below one name");
            return self.failed(call.announce().await?, &why).await;
        }
        let (mut told, mut length) = (0, 0);
        for place in steps.iter().flat_map(Step::places) {
            length += place.absolute.as_os_str().len();
            if told < LOCATIONS_TOLD && length <= LOCATIONS_LENGTH {
                call = call.location(&place.absolute, None);
                told += 1;
            }
        }
        match self.change(&Action::ApplyPatch(led), call, steps).await? {
            Ok(handle) => {
                handle.complete().await?;
                Ok(ToolResult::done(words.join("\n"), Finding::Nothing))
            }
            Err(result) => Ok(result),
        }
    }

    async fn prepared_file(
        &self,
        file: &FilePatch,
    ) -> Result<std::result::Result<Prepared, String>> {
        match file {
            FilePatch::Add { path, text } => {
                let place = match self.place(path).await? {
                    Ok(place) => place,
                    Err(why) => return Ok(Err(why)),
                };
                let shown = place.shown.clone();
                match self.files().state(&place).await? {
                    Ok(State::Nothing) => {}
                    Ok(_) => return Ok(Err(format!("{shown} exists already: update it instead"))),
                    Err(why) => return Ok(Err(why)),
                }
                let steps =
                    vec![Step::Write { place, old: None, new: Document::new(text.as_str()) }];
                let words = format!("{shown} made");
                Ok(Ok(Prepared {
                    steps,
                    words,
                    file: FilePatch::Add { path: shown, text: text.clone() },
                }))
            }
            FilePatch::Delete { path } => {
                let (place, old) = match self.entry(path, "delete").await? {
                    Ok((_, State::Folder)) => {
                        return Ok(Err(format!("{path} is a folder: a patch deletes files only")));
                    }
                    Ok(entry) => entry,
                    Err(why) => return Ok(Err(why)),
                };
                let shown = place.shown.clone();
                let words = format!("{shown} deleted");
                let steps = vec![Step::Delete { place, old }];
                Ok(Ok(Prepared { steps, words, file: FilePatch::Delete { path: shown } }))
            }
            FilePatch::Update { path, moved_to, hunks } => {
                let entry = match moved_to {
                    Some(_) => self.entry(path, "patch").await?,
                    None => self.at(path).await?,
                };
                let (place, old) = match entry {
                    Ok((place, State::Text(old))) => (place, old),
                    Ok((place, other)) => return Ok(Err(other.no_text(&place.shown, "patched"))),
                    Err(why) => return Ok(Err(why)),
                };
                let shown = place.shown.clone();
                let known = self.known(&place, &State::Text(old.clone()), "patch");
                let new = match known.and_then(|()| patched(hunks, &old.text, &shown)) {
                    Ok(text) => Document { text, encoding: old.encoding },
                    Err(why) => return Ok(Err(why)),
                };
                let (mut steps, mut words, mut led) =
                    (Vec::new(), format!("{shown} changed"), None);
                if new != old {
                    let (old, new) = (Some(old), new.clone());
                    steps.push(Step::Write { place: place.clone(), old, new });
                }
                if let Some(to) = moved_to {
                    let to = match self.free(to).await? {
                        Ok(to) => to,
                        Err(why) => return Ok(Err(why)),
                    };
                    words = format!("{shown} moved to {}", to.shown);
                    led = Some(to.shown.clone());
                    steps.push(Step::Move { from: place, to, old: State::Text(new) });
                }
                let file = FilePatch::Update { path: shown, moved_to: led, hunks: hunks.clone() };
                Ok(Ok(Prepared { steps, words, file }))
            }
        }
    }
}

/// A place that is changed for two files of a patch.
fn twice(steps: &[Step]) -> Option<String> {
    let mut seen: Vec<(std::path::PathBuf, usize)> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        for place in step.places() {
            let path = place.resolved.path();
            // A file that is changed and then moved has two steps in a row.
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
