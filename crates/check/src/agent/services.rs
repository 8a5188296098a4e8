//! The services that the judge provides as a correct client: the files in the session's folder, and
//! simulated terminals.

use crate::json::json;
use crate::peer::script::{Answer, Script};
use attache_protocol::method::{
    FsReadTextFile, FsWriteTextFile, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

/// The output of every simulated command, which exits with 0.
pub(crate) const TERMINAL_OUTPUT: &str = "attache check: the output of a simulated command\n";

const INVALID: i64 = -32602;
const NOT_FOUND: i64 = -32002;
const INTERNAL: i64 = -32603;

/// Returns the answers to the agent's calls. They serve the text files below this folder, and
/// terminals whose commands print [`TERMINAL_OUTPUT`] and exit with 0 at once.
pub(crate) fn script(folder: &Path) -> Script {
    let folder = Arc::new(folder.to_owned());
    let terminals = Arc::new(Terminals::default());
    let [read, write] = [(); 2].map(|()| Arc::clone(&folder));
    let [create, output, wait, kill, release] = [(); 5].map(|()| Arc::clone(&terminals));
    let ended = json!({"exitCode": 0, "signal": null});
    let reported = json!({"output": TERMINAL_OUTPUT, "truncated": false, "exitStatus": ended});
    Script::default()
        .on::<FsReadTextFile>(move |params| answer(read_file(&read, params)))
        .on::<FsWriteTextFile>(move |params| answer(write_file(&write, params)))
        .on::<TerminalCreate>(move |_| Answer::Result(json!({"terminalId": create.create()})))
        .on::<TerminalOutput>(move |params| output.answer(params, reported.clone()))
        .on::<TerminalWaitForExit>(move |params| wait.answer(params, ended.clone()))
        .on::<TerminalKill>(move |params| kill.answer(params, json!({})))
        .on::<TerminalRelease>(move |params| {
            let answer = release.answer(params, json!({}));
            release.release(params);
            answer
        })
}

/// The number of terminals so far, and the ids of those that are not released.
#[derive(Debug, Default)]
struct Terminals(Mutex<(usize, BTreeSet<String>)>);

impl Terminals {
    fn create(&self) -> String {
        let mut terminals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        terminals.0 += 1;
        let id = format!("attache-terminal-{}", terminals.0);
        terminals.1.insert(id.clone());
        id
    }

    fn answer(&self, params: &Value, result: Value) -> Answer {
        let terminals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match params.get("terminalId").and_then(Value::as_str) {
            Some(id) if terminals.1.contains(id) => Answer::Result(result),
            Some(_) => Answer::Error(NOT_FOUND),
            None => Answer::Error(INVALID),
        }
    }

    fn release(&self, params: &Value) {
        let mut terminals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = params.get("terminalId").and_then(Value::as_str) {
            terminals.1.remove(id);
        }
    }
}

fn answer(done: Result<Value, i64>) -> Answer {
    done.map_or_else(Answer::Error, Answer::Result)
}

fn read_file(folder: &Path, params: &Value) -> Result<Value, i64> {
    let text = std::fs::read_to_string(place(folder, params)?).map_err(|error| code(&error))?;
    let number = |key| match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(number) => {
            number.as_u64().and_then(|it| usize::try_from(it).ok()).map(Some).ok_or(INVALID)
        }
    };
    let before = number("line")?.unwrap_or(1).saturating_sub(1);
    let limit = number("limit")?.unwrap_or(usize::MAX);
    let content: String = text.split_inclusive('\n').skip(before).take(limit).collect();
    Ok(json!({"content": content}))
}

fn write_file(folder: &Path, params: &Value) -> Result<Value, i64> {
    let path = place(folder, params)?;
    let content = params.get("content").and_then(Value::as_str).ok_or(INVALID)?;
    // Create missing folders, as editors do.
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, content));
    written.map(|()| json!({})).map_err(|error| code(&error))
}

/// Returns the path of a file, which must be below the folder, because an agent under test must not
/// reach anything else.
fn place<'p>(folder: &Path, params: &'p Value) -> Result<&'p Path, i64> {
    let path = params.get("path").and_then(Value::as_str).map(Path::new).ok_or(INVALID)?;
    if path.is_relative() || path.components().any(|part| part == Component::ParentDir) {
        return Err(INVALID);
    }
    let there = path.ancestors().find(|place| place.symlink_metadata().is_ok()).ok_or(NOT_FOUND)?;
    let [there, folder] =
        [there, folder].map(|place| place.canonicalize().map_err(|error| code(&error)));
    if there?.starts_with(folder?) { Ok(path) } else { Err(INVALID) }
}

fn code(error: &std::io::Error) -> i64 {
    if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { INTERNAL }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn only_files_below_the_folder_are_read_and_written() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = folder.path();
        let at = |path: &Path| json!({"path": path, "content": "one\ntwo\nthree"});
        assert_eq!(write_file(folder, &at(&folder.join("new/a"))), Ok(json!({})));
        let mut part = at(&folder.join("new/a"));
        part["line"] = json!(2);
        part["limit"] = json!(1);
        assert_eq!(read_file(folder, &part), Ok(json!({"content": "two\n"})));
        assert_eq!(read_file(folder, &at(&folder.join("b/c"))), Err(NOT_FOUND));
        assert!(!folder.join("b").exists(), "reading creates no folders");
        std::fs::write(outside.path().join("a"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("none"), folder.join("dangling")).unwrap();
        let up = folder.join("..").join(outside.path().file_name().unwrap()).join("a");
        for path in [&outside.path().join("a"), &folder.join("link/a"), &up, Path::new("a")] {
            assert_eq!(read_file(folder, &at(path)), Err(INVALID), "{path:?}");
            assert_eq!(write_file(folder, &at(path)), Err(INVALID), "{path:?}");
        }
        write_file(folder, &at(&folder.join("dangling"))).unwrap_err();
        assert!(!outside.path().join("none").exists());
    }

    #[test]
    fn a_released_terminal_is_invalid() {
        let terminals = Terminals::default();
        let params = json!({"terminalId": terminals.create()});
        assert_eq!(terminals.answer(&params, json!({})), Answer::Result(json!({})));
        terminals.release(&params);
        assert_eq!(terminals.answer(&params, json!({})), Answer::Error(NOT_FOUND));
        assert_eq!(terminals.answer(&json!({}), json!({})), Answer::Error(INVALID));
    }
}
