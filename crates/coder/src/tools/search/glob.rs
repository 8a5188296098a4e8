//! The tool `glob`: finds files whose names match a pattern, the newest first.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::findings::{FILES_NAMED, Found};
use crate::tools::fit::code;
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::search::list::pattern;
use crate::tools::search::walk;
use crate::tools::thread::CancelFlag;
use crate::tools::tool::{ConcurrentTool, PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, Reading, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::ToolKind;
use attache_policy::{Folders, Place, Touch};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::future::ready;
use std::time::SystemTime;

/// The maximum number of files that a search counts.
const FILES_COUNTED: usize = 100_000;

/// A pattern to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Glob {
    /// The folder to search.
    pub(crate) path: String,
    /// The pattern. If it contains a slash, it is matched against the path below the folder,
    /// otherwise against the file name.
    pub(crate) pattern: String,
}

impl Glob {
    /// Splits a pattern into a folder and the rest. Leading components without wildcards become
    /// part of the folder, so that a hidden folder is searched if the pattern names it.
    pub(crate) fn new(path: Option<String>, pattern: &str) -> Self {
        let path = path.unwrap_or_else(|| ".".to_owned());
        let wild = |part: &str| part.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
        let parts: Vec<&str> = pattern.split('/').collect();
        let plain =
            parts.iter().take_while(|part| !wild(part)).count().min(parts.len().saturating_sub(1));
        let (folders, rest) = parts.split_at(plain);
        let folders = match folders {
            [] => return Self { path, pattern: pattern.to_owned() },
            [""] => "/".to_owned(),
            folders => folders.join("/"),
        };
        // A leading slash anchors the pattern to that folder.
        let pattern = format!("/{}", rest.join("/"));
        let path = if path == "." || folders.starts_with('/') {
            folders
        } else {
            format!("{path}/{folders}")
        };
        Self { path, pattern }
    }

    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        let Arguments { pattern, path } = arguments::parse("glob", arguments)?;
        Ok(Self::new(path, &pattern))
    }

    async fn glob(
        &self,
        toolbox: &Toolbox<'_>,
        call: ApprovedCall,
    ) -> attache_agent::Result<Reading> {
        let (glob, folders) = (self.clone(), toolbox.memory.folders.clone());
        let work = move |place: &Place, wanted: &CancelFlag| glob.walk(&folders, place, wanted);
        toolbox.read_and_settle(call, work, Finding::Found).await
    }

    /// Lists the matching files in the folder at `place`. Blocks on disk I/O.
    fn walk(&self, folders: &Folders, place: &Place, wanted: &CancelFlag) -> Result<Found, String> {
        let start = place.resolved.path();
        if !place.resolved.exists() {
            return Err(format!("{} does not exist: check the path", place.shown));
        }
        let glob = pattern(&start, &self.pattern)?;
        let mut files: Vec<(Reverse<SystemTime>, String)> = Vec::new();
        let mut found = Found {
            pattern: self.pattern.clone(),
            folder: place.shown.clone(),
            ..Found::default()
        };
        for entry in walk::files(folders, &start) {
            if wanted.is_cancelled() {
                break;
            }
            if !glob.matched(entry.path(), false).is_whitelist() {
                continue;
            }
            if files.len() >= FILES_COUNTED {
                found.uncounted = true;
                break;
            }
            let changed = entry.metadata().ok().and_then(|found| found.modified().ok());
            let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((Reverse(changed), folders.named(entry.path()).1));
        }
        found.total = files.len() as u64;
        files.sort();
        found.named = files.into_iter().take(FILES_NAMED).map(|(_, name)| name).collect();
        Ok(found)
    }
}

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    path: Option<String>,
}

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        spec(
            "glob",
            "Find files by name, the newest first. Hidden files and files that .gitignore names are left out.",
            json!({
                "pattern": text("For example *.rs or src/**/*.ts. Hidden folders must be named, as in .github/**/*.yml."),
                "path": text("The folder to search. Default: the working directory."),
            }),
            &["pattern"],
        )
    }

    fn name(&self) -> &str {
        "glob"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn title(&self) -> String {
        match self.path.as_str() {
            "." => format!("Find files {}", code(&self.pattern)),
            path => format!("Find files {} in {path}", code(&self.pattern)),
        }
    }

    fn input(&self) -> Value {
        json!({ "path": self.path, "pattern": self.pattern })
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

impl ConcurrentTool for Glob {
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(self.glob(toolbox, call))
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn named_folders_of_a_pattern_are_searched() {
        for (path, pattern, expected) in [
            (None, "*.rs", (".", "*.rs")),
            (None, "**/*.rs", (".", "**/*.rs")),
            (None, ".github/workflows/*.yml", (".github/workflows", "/*.yml")),
            (Some("a"), "b/**/*.rs", ("a/b", "/**/*.rs")),
            (None, "/home/p/*.rs", ("/home/p", "/*.rs")),
            (Some("a"), "/*.rs", ("/", "/*.rs")),
            (None, "a/b.rs", ("a", "/b.rs")),
            (None, "b.rs", (".", "b.rs")),
            (None, "{a,b}/*.rs", (".", "{a,b}/*.rs")),
        ] {
            let glob = Glob::new(path.map(str::to_owned), pattern);
            assert_eq!((glob.path.as_str(), glob.pattern.as_str()), expected, "{pattern}");
        }
    }
}
