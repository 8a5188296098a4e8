//! The write tool: a new file, or the whole text of one that was read.

use super::change::Step;
use super::document::Document;
use super::file_access::State;
use super::fit::{counted, one_line};
use super::{Finding, ToolResult, Toolbox};
use attache_agent::{NewToolCall, Result};
use attache_policy::Place;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// Writes one file.
    pub(crate) async fn write_whole(
        &mut self,
        write: &Write,
        call: NewToolCall,
        place: &Place,
    ) -> Result<ToolResult> {
        let old = match self.files().state(place).await? {
            Ok(State::Nothing) => None,
            Ok(State::Text(old)) => Some(old),
            Ok(other) => {
                let why = other.no_text(&place.shown, "written");
                return self.failed(call.announce().await?, &why).await;
            }
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        if let Some(Err(why)) =
            old.as_ref().map(|old| self.known(place, &State::Text(old.clone()), "write"))
        {
            return self.failed(call.announce().await?, &why).await;
        }
        let made = if old.is_some() { "replaced" } else { "made" };
        let new = match &old {
            Some(old) => old.with(in_lines_of(&old.text, &write.text)),
            None => Document::new(write.text.as_str()),
        };
        // Judged by where it leads, not by how it was named.
        let action = super::Action::Write(Write { path: place.shown.clone(), ..write.clone() });
        let step = Step::Write { place: place.clone(), old, new };
        let handle = match self.change(&action, call, vec![step]).await? {
            Ok(handle) => handle,
            Err(result) => return Ok(result),
        };
        handle.complete().await?;
        let lines = counted(write.text.lines().count() as u64, "line");
        Ok(ToolResult::done(format!("{} {made}: {lines}", place.shown), Finding::Nothing))
    }
}

/// The new text with carriage returns where every line of the old one has them: models write line
/// feeds.
fn in_lines_of(old: &str, new: &str) -> String {
    let returns = old.matches("\r\n").count();
    match returns > 0 && returns == old.matches('\n').count() && !new.contains('\r') {
        true => new.replace('\n', "\r\n"),
        false => new.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_lines_of;

    #[test]
    fn a_text_written_anew_has_the_line_ends_of_the_old_one() {
        for (old, new, expected) in [
            ("a\r\nb", "1\n2\n", "1\r\n2\r\n"),
            ("a\r\nb\n", "1\n", "1\n"),
            ("a\nb", "1\n", "1\n"),
            ("a\r\n", "1\r\n2\n", "1\r\n2\n"),
            ("", "1\n", "1\n"),
        ] {
            assert_eq!(in_lines_of(old, new), expected);
        }
    }
}
