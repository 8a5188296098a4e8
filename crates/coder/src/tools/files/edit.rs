//! The tool `edit`: makes exact replacements in one file.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::document::{Document, line_end};
use crate::tools::files::file_access::State;
use crate::tools::files::step::Step;
use crate::tools::findings::Edited;
use crate::tools::fit::{counted, one_line};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text, yes_no};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox, report};
use attache_agent::{Result, ToolKind};
use attache_policy::Touch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;

/// Replacements in one file. They are made in order. If one fails, none is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edit {
    /// The path of the file.
    pub(crate) path: String,
    /// The replacements.
    pub(crate) replacements: Vec<Replacement>,
}

/// One exact replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Replacement {
    /// The text to replace. It must occur in the file; line endings are adapted to the file.
    pub(crate) old: String,
    /// The new text.
    pub(crate) new: String,
    /// Whether to replace every occurrence; otherwise it must occur exactly once.
    pub(crate) every: bool,
    /// Whether to match whole words only.
    pub(crate) word: bool,
}

impl Edit {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        let Arguments { path, replacements } = arguments::parse("edit", arguments)?;
        let replacements = replacements.into_iter().map(|each| Replacement {
            old: each.old,
            new: each.new,
            every: each.every,
            word: each.word,
        });
        Ok(Self { path, replacements: replacements.collect() })
    }

    /// Returns the text after the edit and the number of replacements, or the reason why the edit
    /// failed.
    pub(crate) fn apply(
        &self,
        text: &str,
        shown: &str,
    ) -> std::result::Result<(String, u64), String> {
        let (mut text, mut places) = (text.to_owned(), 0);
        for replacement in &self.replacements {
            let (changed, count) = replacement.apply(&text, shown)?;
            text = changed;
            places += count;
        }
        Ok((text, places))
    }
}

impl Replacement {
    fn apply(&self, text: &str, shown: &str) -> std::result::Result<(String, u64), String> {
        let quoted = one_line(&self.old, 80);
        if self.old.is_empty() {
            return Err(format!("the text to replace in {shown} is empty: give the exact text"));
        }
        let found = self.places(text);
        match found.len() {
            0 => {
                return Err(format!(
                    "`{quoted}` is not in {shown}: read the file and give the exact text"
                ));
            }
            1 => {}
            _ if self.every => {}
            count => {
                return Err(format!(
                    "`{quoted}` is in {shown} {count} times: give more of the text around it, or replace every one"
                ));
            }
        }
        let (mut changed, mut end) = (String::with_capacity(text.len()), 0);
        let usual = line_end(text);
        for place in &found {
            changed.push_str(text.get(end..place.start).unwrap_or_default());
            changed
                .push_str(&self.with_line_ends(text.get(place.clone()).unwrap_or_default(), usual));
            end = place.end;
        }
        changed.push_str(text.get(end..).unwrap_or_default());
        Ok((changed, found.len() as u64))
    }

    /// The byte ranges where `old` occurs: exactly or, if there are none, with other line endings.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let whole = |place: &Range<usize>| {
            let before = text.get(..place.start).and_then(|before| before.chars().next_back());
            let after = text.get(place.end..).and_then(|after| after.chars().next());
            !self.word || !(before.is_some_and(in_word) || after.is_some_and(in_word))
        };
        let exact: Vec<_> = text
            .match_indices(&self.old)
            .map(|(at, _)| at..at + self.old.len())
            .filter(whole)
            .collect();
        if !exact.is_empty() || !self.old.contains('\n') || self.old.contains('\r') {
            return exact;
        }
        let removed: Vec<usize> =
            text.match_indices("\r\n").enumerate().map(|(count, (at, _))| at - count).collect();
        // Maps an offset in the text without carriage returns to one in the original text.
        let original = |at: usize| at + removed.partition_point(|each| *each < at);
        let plain = text.replace("\r\n", "\n");
        let found = plain.match_indices(&self.old);
        found.map(|(at, _)| original(at)..original(at + self.old.len())).filter(whole).collect()
    }

    /// The new text, with the line endings of the lines that it replaces. Additional lines get the
    /// `usual` line ending. Carriage returns that the model writes are kept.
    fn with_line_ends(&self, replaced: &str, usual: &'static str) -> String {
        if self.old.contains('\r') || self.new.contains('\r') {
            return self.new.clone();
        }
        let mut ends = replaced.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let mut fitted = String::with_capacity(self.new.len());
        for line in self.new.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                None => fitted.push_str(line),
                Some(line) => {
                    fitted.push_str(line);
                    fitted.push_str(ends.next().map_or(usual, line_end));
                }
            }
        }
        fitted
    }
}

fn in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

impl Edit {
    async fn prepared(
        &self,
        toolbox: &Toolbox<'_>,
        paths: &ResolvedPaths,
    ) -> std::result::Result<Prepared, PrepareError> {
        let place = paths.only()?;
        let old = toolbox.files().text(place, "changed").await??;
        toolbox.known(place, &State::Text(old.clone()), "edit")?;
        let (new, places) = self.apply(&old.text, &place.shown)?;
        let new = Document { text: new, encoding: old.encoding };
        let edited = Edited { path: place.shown.clone(), places };
        let text = format!("{} replaced in {}", counted(places, "place"), edited.path);
        let step = Step::Write { place: place.clone(), old: Some(old), new };
        Ok(Prepared::changing(vec![step], ToolResult::done(text, Finding::Edited(edited))))
    }

    async fn edit(&self, toolbox: &mut Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let (mut handle, result) = match toolbox.change(call).await? {
            Ok(changed) => changed,
            Err(result) => return Ok(result),
        };
        let places = match &result.finding {
            Finding::Edited(edited) => edited.places,
            _ => 0,
        };
        let told = report(&mut handle, json!({ "places": places })).await;
        // The file has been written, even if the client cannot receive the details.
        handle.complete().await?;
        told?;
        Ok(result)
    }
}

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    path: String,
    replacements: Vec<ReplacementArguments>,
}

#[derive(Deserialize)]
struct ReplacementArguments {
    old: String,
    new: String,
    #[serde(default)]
    every: bool,
    /// The arguments of the offline model.
    #[serde(default)]
    word: bool,
}

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        let replacement = json!({
            "type": "object",
            "properties": {
                "old": text("The exact text to replace, with enough context to occur once in the file."),
                "new": text("The text to put in its place."),
                "every": yes_no("Replace every occurrence. Default false."),
            },
            "required": ["old", "new"],
        });
        spec(
            "edit",
            "Change a file by exact replacements, made in order, all or none. Read the file first.",
            json!({"path": text("The file."), "replacements": {"type": "array", "minItems": 1, "items": replacement}}),
            &["path", "replacements"],
        )
    }

    fn name(&self) -> &str {
        "edit"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn title(&self) -> String {
        format!("Edit {}", self.path)
    }

    fn input(&self) -> Value {
        let replacements = self.replacements.iter().map(|each| {
            json!({
                "old": one_line(&each.old, 200), "new": one_line(&each.new, 200),
                "every": each.every, "word": each.word,
            })
        });
        json!({ "path": self.path, "replacements": replacements.collect::<Vec<_>>() })
    }

    fn lengths(&self) -> Vec<Length> {
        let bytes = self.replacements.iter().map(|each| each.old.len() + each.new.len()).sum();
        vec![Length::of_path(&self.path), Length::of_replacement(bytes)]
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
        Box::pin(self.edit(toolbox, call))
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Replacement};

    fn edit(
        old: &str,
        new: &str,
        every: bool,
        word: bool,
        text: &str,
    ) -> Result<(String, u64), String> {
        let replacement = Replacement { old: old.into(), new: new.into(), every, word };
        Edit { path: "f".into(), replacements: vec![replacement] }.apply(text, "f")
    }

    #[test]
    fn whole_word_replacement_works_in_any_script() {
        assert_eq!(
            edit("Maß", "Mass", true, true, "Maß Maßstab Maß_1 (Maß) éMaß Maß."),
            Ok(("Mass Maßstab Maß_1 (Mass) éMaß Mass.".into(), 3))
        );
        assert_eq!(edit("a", "b", true, false, "aXa"), Ok(("bXb".into(), 2)));
    }

    #[test]
    fn missing_or_ambiguous_text_is_refused() {
        assert!(edit("x", "y", true, false, "abc").unwrap_err().contains("is not in f"));
        assert!(edit("a", "y", false, false, "a a").unwrap_err().contains("2 times"));
        assert!(edit("", "y", false, false, "a").unwrap_err().contains("empty"));
        let edit = Edit {
            path: "f".into(),
            replacements: ["a", "zz"]
                .map(|old| Replacement {
                    old: old.into(),
                    new: "b".into(),
                    every: false,
                    word: false,
                })
                .to_vec(),
        };
        assert!(edit.apply("a", "f").is_err(), "all or none");
    }

    #[test]
    fn edit_keeps_the_byte_order_mark_and_line_ends() {
        assert_eq!(
            edit("a\nb", "c\nd", false, false, "\u{feff}a\r\nb\r\nx"),
            Ok(("\u{feff}c\r\nd\r\nx".into(), 1))
        );
    }

    #[test]
    fn edit_keeps_mixed_line_ends() {
        for (text, old, new, expected) in [
            ("a\r\nb\nc\r\n", "a\nb\nc\n", "1\n2\n3\n4\n", "1\r\n2\n3\r\n4\r\n"),
            ("a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"),
            ("a\nb\n", "b", "b\nc", "a\nb\nc\n"),
            ("a\r\nb\n", "\r\n", "\n", "a\nb\n"),
            ("a\nb\n", "a", "a\r\nx", "a\r\nx\nb\n"),
            ("x\r\n\r\na\r\n", "\na", "\nb", "x\r\n\r\nb\r\n"),
            ("é\r\nü\r\n", "é\nü", "ß", "ß\r\n"),
            ("a\rb", "a", "c", "c\rb"),
        ] {
            assert_eq!(edit(old, new, false, false, text), Ok((expected.into(), 1)), "{text:?}");
        }
        assert_eq!(edit("a\n", "b\n", true, false, "a\r\na\r\n"), Ok(("b\r\nb\r\n".into(), 2)));
    }
}
