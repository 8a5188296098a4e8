//! The tool `write`: creates a file, or replaces the whole text of a file that was read.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::document::Document;
use crate::tools::files::file_access::State;
use crate::tools::files::step::Step;
use crate::tools::fit::{counted, one_line};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::ToolKind;
use attache_policy::Touch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request to write a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Write {
    /// The path of the file.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
}

impl Write {
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        arguments::parse("write", arguments)
    }

    async fn prepared(
        &self,
        toolbox: &Toolbox<'_>,
        paths: &ResolvedPaths,
    ) -> Result<Prepared, PrepareError> {
        let place = paths.only()?;
        let old = match toolbox.files().state(place).await?? {
            State::Nothing => None,
            State::Text(old) => Some(old),
            other => return Err(other.no_text(&place.shown, "written").into()),
        };
        if let Some(old) = &old {
            toolbox.known(place, &State::Text(old.clone()), "write")?;
        }
        let made = if old.is_some() { "replaced" } else { "created" };
        let new = match &old {
            Some(old) => old.with(in_lines_of(&old.text, &self.text)),
            None => Document::new(self.text.as_str()),
        };
        let lines = counted(self.text.lines().count() as u64, "line");
        let result = ToolResult::done(format!("{} {made}: {lines}", place.shown), Finding::Nothing);
        let step = Step::Write { place: place.clone(), old, new };
        Ok(Prepared::changing(vec![step], result))
    }
}

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        spec(
            "write",
            "Create a file and its missing folders, or replace the whole text of a file that you have read. Use edit to change part of a file.",
            json!({"path": text("The file."), "text": text("Its whole text.")}),
            &["path", "text"],
        )
    }

    fn name(&self) -> &str {
        "write"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn title(&self) -> String {
        format!("Write {}", self.path)
    }

    fn input(&self) -> Value {
        json!({ "path": self.path, "text": one_line(&self.text, 200) })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_path(&self.path), Length::of_text(self.text.len())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Changes(vec![&self.path])
    }

    fn prepare<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(self.prepared(toolbox, paths))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(toolbox.change_and_complete(call))
    }
}

/// The new text, with carriage returns if every line of the old text has them. Models write only
/// line feeds.
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
    fn replaced_text_keeps_the_old_line_ends() {
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
