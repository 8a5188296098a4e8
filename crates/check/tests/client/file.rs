//! Reads and writes files for the agent, inside the session's folders.

use crate::correct::{Correct, Refusal, invalid};
use serde_json::{Value, json};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The largest file that the client reads, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

impl Correct {
    pub(crate) fn read(&mut self, params: &Value) -> Result<Value, Refusal> {
        let path = self.path(params)?;
        let (line, limit) = (count(params, "line")?, count(params, "limit")?);
        let missing = || (-32002, json!({"uri": format!("file://{}", path.display())}));
        let about = fs::metadata(&path).map_err(|_| missing())?;
        if !about.is_file() || about.len() > MOST {
            return Err((-32603, json!({"reason": "not a readable file"})));
        }
        let text = String::from_utf8(fs::read(&path).map_err(|_| missing())?);
        let text = text.map_err(|_| (-32603, json!({"reason": "no text"})))?;
        let lines = text.split_inclusive('\n');
        let chosen = lines.skip(line.unwrap_or(1).max(1) - 1).take(limit.unwrap_or(usize::MAX));
        Ok(json!({"content": chosen.collect::<String>()}))
    }

    pub(crate) fn write(&mut self, params: &Value) -> Result<Value, Refusal> {
        let path = self.path(params)?;
        let content = params["content"].as_str().ok_or_else(invalid)?;
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err((-32603, json!({"reason": "no file"})));
        }
        let failed = |error: std::io::Error| (-32603, json!({"reason": error.to_string()}));
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
        fs::write(&path, content).map_err(failed)?;
        Ok(json!({}))
    }

    /// Returns the resolved path of the params, if it is inside the session's folders.
    fn path(&self, params: &Value) -> Result<PathBuf, Refusal> {
        let roots = &self.session_of(params)?.roots;
        let path = Path::new(params["path"].as_str().ok_or_else(invalid)?);
        let real = real(path).filter(|_| path.is_absolute()).ok_or_else(invalid)?;
        let is_inside =
            |root: &PathBuf| root.canonicalize().is_ok_and(|root| real.starts_with(root));
        if roots.iter().any(is_inside) { Ok(real) } else { Err(invalid()) }
    }
}

/// Resolves a path with its symbolic links. The last parts may be missing. Returns `None` if `..`
/// follows a missing part, or if the path ends in a dangling link.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let Component::Normal(name) = path.components().next_back()? else { return None };
    let is_link = path.symlink_metadata().is_ok();
    (!is_link).then_some(real(path.parent()?)?.join(name))
}

fn count(params: &Value, key: &str) -> Result<Option<usize>, Refusal> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(count) => {
            let count =
                count.as_u64().and_then(|count| u32::try_from(count).ok()).ok_or_else(invalid)?;
            Ok(Some(count as usize))
        }
    }
}
