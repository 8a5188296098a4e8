//! The tool `grep`: finds lines that match a pattern. It searches the disk, not the unsaved text in
//! an editor.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::findings::{LINES_NAMED, Match, Matches, SEARCHED_FILES_NAMED};
use crate::tools::fit::{code, start_within};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text, yes_no};
use crate::tools::search::walk;
use crate::tools::thread::CancelFlag;
use crate::tools::tool::{ConcurrentTool, PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, Reading, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::ToolKind;
use attache_policy::{Judge, Place, Touch};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;
use std::path::PathBuf;

/// The maximum length of one line in a result, in bytes of JSON.
const MAX_LINE_SHOWN: usize = 240;

/// The maximum length of a line to search, in bytes. A file with a longer line is skipped and
/// counted.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// The pattern to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grep {
    /// The text or, if `regex` is set, the regular expression.
    pub(crate) pattern: String,
    /// The file or folder to search.
    pub(crate) path: String,
    /// Whether the pattern is a regular expression.
    pub(crate) regex: bool,
    /// Whether to match whole words only.
    pub(crate) word: bool,
    /// Whether the search ignores case unless the pattern contains upper-case letters.
    pub(crate) smart_case: bool,
}

impl Grep {
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        let Arguments { pattern, path, literal, word, regex, smart_case } =
            arguments::parse("grep", arguments)?;
        let path = path.unwrap_or_else(|| ".".to_owned());
        Ok(Self { pattern, path, regex: regex.unwrap_or(!literal), word, smart_case })
    }

    async fn grep(
        &self,
        toolbox: &Toolbox<'_>,
        call: ApprovedCall,
    ) -> attache_agent::Result<Reading> {
        let (handle, approval, _) = call.start().await?;
        let (grep, private) = (self.clone(), toolbox.memory.shell.private.clone());
        let found = toolbox.judged(move |judge, wanted| {
            grep.search(judge, approval.paths.only()?, &private, wanted)
        });
        toolbox.settle_read(handle, found.await?.map(Finding::Matches)).await
    }

    /// Searches the file at `place`, or the files below it. In a folder, it leaves out files that
    /// cannot be read without approval. Blocks on disk I/O, but stops between files if the result
    /// is no longer wanted.
    fn search(
        &self,
        judge: &Judge<'_>,
        place: &Place,
        private: &[PathBuf],
        wanted: &CancelFlag,
    ) -> Result<Matches, String> {
        let folders = judge.folders;
        if !place.resolved.exists() {
            return Err(format!("{} does not exist: check the path", place.shown));
        }
        let matcher = self.matcher()?;
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let private: Vec<PathBuf> = private.iter().map(real).collect();
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE))
            .build();
        let mut matches = Matches { place: place.shown.clone(), ..Matches::default() };
        for entry in walk::files(folders, &place.resolved.path()) {
            if wanted.is_cancelled() {
                break;
            }
            // The session store is never opened here: closing one of its files would drop the locks
            // that SQLite holds on that file in this process, and then another process could damage
            // the store.
            if private.iter().any(|private| entry.path().starts_with(private)) {
                continue;
            }
            if judge.keeps_back(entry.path(), &place.resolved.path()) {
                matches.left_out += 1;
                continue;
            }
            // If a link has replaced the file since the listing, the path resolves to another file,
            // which is not searched.
            let here = folders.roots().resolve(entry.path()).ok();
            match here
                .filter(|here| here.path() == entry.path())
                .and_then(|here| here.open_read().ok())
            {
                Some(file) => {
                    let name = folders.named(entry.path()).1;
                    search_file(&mut matches, &mut searcher, &matcher, &file, &name);
                }
                None => matches.skipped += 1,
            }
        }
        Ok(matches)
    }

    fn matcher(&self) -> Result<RegexMatcher, String> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(!self.regex)
            .word(self.word)
            .case_smart(self.smart_case)
            .line_terminator(Some(b'\n'));
        builder.build(&self.pattern).map_err(|error| {
            format!(
                "the pattern {} is invalid: {error}; correct it",
                start_within(&self.pattern, 200)
            )
        })
    }
}

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    literal: bool,
    #[serde(default)]
    word: bool,
    /// An argument that only the offline model uses, instead of `literal`.
    regex: Option<bool>,
    /// An argument that only the offline model uses.
    #[serde(default, rename = "smartCase", alias = "smart_case")]
    smart_case: bool,
}

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        spec(
            "grep",
            "Search the text of files for a regular expression (Rust syntax). Hidden files and files that .gitignore names are left out.",
            json!({
                "pattern": text("The regular expression."),
                "path": text("A file or folder. Default: the working directory."),
                "literal": yes_no("Treat the pattern as plain text. Default false."),
                "word": yes_no("Match whole words only. Default false."),
            }),
            &["pattern"],
        )
    }

    fn name(&self) -> &str {
        "grep"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn title(&self) -> String {
        match self.path.as_str() {
            "." => format!("Search for {}", code(&self.pattern)),
            path => format!("Search for {} in {path}", code(&self.pattern)),
        }
    }

    fn input(&self) -> Value {
        json!({
            "pattern": self.pattern, "path": self.path, "regex": self.regex, "word": self.word,
            "smartCase": self.smart_case,
        })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_path(&self.path), Length::of_pattern(&self.pattern)]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Reads(vec![&self.path])
    }

    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(paths.only().map(|_| Prepared::default()).map_err(PrepareError::from)))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(async move {
            let reading = self.read(toolbox, call).await?;
            Ok(toolbox.take(reading))
        })
    }

    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        Some(self)
    }
}

impl ConcurrentTool for Grep {
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(self.grep(toolbox, call))
    }
}

/// Searches one file.
fn search_file(
    matches: &mut Matches,
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    file: &std::fs::File,
    name: &str,
) {
    let (total, kept) = (matches.total, matches.lines.len());
    let mut span: Option<(u32, u32)> = None;
    let outcome = searcher.search_file(
        matcher,
        file,
        Lossy(|line, text| {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            span = Some((span.map_or(line, |(first, _)| first), line));
            matches.total += 1;
            if matches.lines.len() < LINES_NAMED {
                let text =
                    start_within(text.trim_end_matches(['\r', '\n']), MAX_LINE_SHOWN).to_owned();
                matches.lines.push(Match { path: name.to_owned(), line, text });
            }
            Ok(true)
        }),
    );
    if outcome.is_err() {
        // If the search of a file fails, its earlier matches are dropped, because others may be
        // missing.
        matches.total = total;
        matches.lines.truncate(kept);
        matches.skipped += 1;
        return;
    }
    matches.searched += 1;
    if let Some((first, last)) = span {
        matches.holding += 1;
        if matches.files.len() < SEARCHED_FILES_NAMED {
            matches.files.push((name.to_owned(), first, last));
        }
    }
}
