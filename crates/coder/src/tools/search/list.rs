//! The tool `list`: lists the files below a folder.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::findings::{FILES_NAMED, Files, KINDS_NAMED};
use crate::tools::fit::code;
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::search::walk;
use crate::tools::thread::CancelFlag;
use crate::tools::tool::{ConcurrentTool, PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, Reading, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::ToolKind;
use attache_policy::{Folders, Place, Touch};
use ignore::overrides::{Override, OverrideBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::ready;
use std::path::Path;

/// The maximum number of files that a list counts.
const FILES_COUNTED: usize = 100_000;

/// A request to list a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct List {
    /// The folder to list.
    pub(crate) path: String,
    /// A pattern with `*` and `?`, which ignores case. If it contains a slash, it is matched
    /// against the path below the folder, otherwise against the file name.
    pub(crate) glob: Option<String>,
}

impl List {
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        let Arguments { path, glob } = arguments::parse("list", arguments)?;
        Ok(Self { path: path.unwrap_or_else(|| ".".to_owned()), glob })
    }

    async fn list(
        &self,
        toolbox: &Toolbox<'_>,
        call: ApprovedCall,
    ) -> attache_agent::Result<Reading> {
        let (list, folders) = (self.clone(), toolbox.memory.folders.clone());
        let work = move |place: &Place, wanted: &CancelFlag| list.walk(&folders, place, wanted);
        toolbox.read_and_settle(call, work, Finding::Files).await
    }

    /// Lists the files in the folder at `place`. Blocks on disk I/O.
    fn walk(&self, folders: &Folders, place: &Place, wanted: &CancelFlag) -> Result<Files, String> {
        let start = place.resolved.path();
        if !place.resolved.exists() {
            return Err(format!("{} does not exist: check the path", place.shown));
        }
        let glob = self.glob.as_deref().map(|glob| pattern(&start, glob)).transpose()?;
        let mut found: Vec<(usize, String)> = Vec::new();
        let mut files = Files { folder: place.shown.clone(), ..Files::default() };
        let (mut extensions, mut below) =
            (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
        for entry in walk::files(folders, &start) {
            if wanted.is_cancelled() {
                break;
            }
            if glob.as_ref().is_some_and(|glob| !glob.matched(entry.path(), false).is_whitelist()) {
                continue;
            }
            if found.len() >= FILES_COUNTED {
                files.uncounted = true;
                break;
            }
            let extension =
                entry.path().extension().map(|extension| extension.to_string_lossy().into_owned());
            *extensions.entry(extension.unwrap_or_default()).or_default() += 1;
            if let Some(folder) = first_folder(&start, entry.path()) {
                *below.entry(folder).or_default() += 1;
            }
            found.push((entry.depth(), folders.named(entry.path()).1));
        }
        files.total = found.len() as u64;
        found.sort();
        files.named = found.into_iter().take(FILES_NAMED).map(|(_, name)| name).collect();
        files.extensions = extensions.into_iter().collect();
        files.extensions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        files.extensions.truncate(KINDS_NAMED);
        files.folders_total = below.len() as u64;
        files.folders = below.into_iter().take(KINDS_NAMED).collect();
        Ok(files)
    }
}

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
    /// An argument that only the offline model uses.
    glob: Option<String>,
}

impl Tool for List {
    fn spec(&self) -> ToolSpec {
        spec(
            "list",
            "List the files in a folder and its subfolders. Hidden files and files that .gitignore names are left out.",
            json!({
                "path": text("A folder. Default: the working directory."),
            }),
            &[],
        )
    }

    fn name(&self) -> &str {
        "list"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn title(&self) -> String {
        match &self.glob {
            Some(glob) => format!("List files named {}", code(glob)),
            None if self.path == "." => "List files".to_owned(),
            None => format!("List files in {}", self.path),
        }
    }

    fn input(&self) -> Value {
        json!({ "path": self.path, "glob": self.glob })
    }

    fn lengths(&self) -> Vec<Length> {
        let glob = self.glob.as_deref().unwrap_or_default();
        vec![Length::of_path(&self.path), Length::of_pattern(glob)]
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

impl ConcurrentTool for List {
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(self.list(toolbox, call))
    }
}

pub(crate) fn pattern(start: &Path, glob: &str) -> Result<Override, String> {
    let bad = |error: ignore::Error| format!("the pattern {glob} is invalid: {error}; correct it");
    let mut builder = OverrideBuilder::new(start);
    builder.case_insensitive(true).map_err(bad)?.add(glob).map_err(bad)?;
    builder.build().map_err(bad)
}

fn first_folder(start: &Path, file: &Path) -> Option<String> {
    let mut below = file.strip_prefix(start).ok()?.components();
    let first = below.next()?;
    below.next().map(|_| first.as_os_str().to_string_lossy().into_owned())
}
