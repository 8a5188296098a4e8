//! Faults in serving files.

use super::{Fault, Heard, change_answer, give, only, refuse};
use crate::correct::Said;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";

pub(crate) const FAULTS: &[Fault] = &[
    Fault::hears("FS-03", &[], |_, message| {
        if message["method"] == READ && message["params"]["line"] == 98 {
            message["params"]["limit"] = json!(1);
        }
    }),
    Fault::says("FS-04", &[], |h, s| {
        if h.is(READ) && h.params()["line"] == 101 {
            give(h, s, json!({"content": "line 100\n"}));
        }
    }),
    Fault::hears("FS-05", &[], |_, message| {
        if message["method"] == READ && message["params"]["limit"] == "5" {
            message["params"]["limit"] = Value::Null;
        }
    }),
    Fault::says("FS-06", &["FS-07", "FS-12"], |h, s| {
        if h.is(WRITE) && is_new(&path(h)) {
            refuse(h, s, -32002);
            drop(fs::remove_file(path(h)));
        }
    }),
    // The file is not truncated if the new text is shorter.
    Fault::says("FS-07", &[], |h, _| {
        if h.params()["content"] == "short" {
            fs::write(path(h), "shortger text").unwrap();
        }
    }),
    Fault::says("FS-08", &[], |h, s| {
        let path = path(h);
        if h.is(READ) && path.is_relative() {
            give(
                h,
                s,
                json!({"content": fs::read_to_string(h.client.task.cwd().join(path)).unwrap()}),
            );
        }
    }),
    Fault::says("FS-09", &[], |h, s| {
        change_answer(h, s, READ, |_, answer| {
            if answer["error"]["code"] == -32002 {
                *answer = json!({"jsonrpc": "2.0", "id": answer["id"], "result": {"content": ""}});
            }
        });
    }),
    Fault::says("FS-10", &["SESS-05"], |h, s| {
        open(h, s, |path, _| path.ends_with("secret.txt") && !is_linked(path))
    }),
    Fault::says("SESS-05", &[], |h, s| {
        open(h, s, |path, cwd| path.to_string_lossy().starts_with(&format!("{cwd}2/")))
    }),
    Fault::says("DIR-11", &[], |h, s| open(h, s, |path, _| is_linked(path))),
    Fault::says("FS-12", &[], |h, s| {
        change_answer(h, s, READ, |_, answer| {
            if let Some(content) = answer["result"]["content"].as_str() {
                answer["result"]["content"] = json!(content.replace("\r\n", "\n"));
            }
        });
    }),
    // The client waits for a writer of the named pipe.
    Fault::says("RPC-27", &["RPC-15"], |h, s| {
        if h.is(READ)
            && h.params()["limit"].is_null()
            && path(h).exists()
            && !path(h).is_file()
            && !path(h).is_dir()
        {
            s.clear();
        }
    }),
    Fault::hears("RPC-32", &[], |_, message| {
        if message["method"] == READ && message["params"]["line"] == 1 {
            message["params"]["line"] = json!(2);
        }
    }),
    SERVES_UNOFFERED,
];

/// Answers a method that the client does not offer.
pub(crate) const SERVES_UNOFFERED: Fault = Fault::says("INIT-17", &[], |h, s| {
    if h.is(READ) {
        give(h, s, json!({"content": ""}));
    }
})
.bare();

fn path(heard: &Heard<'_>) -> PathBuf {
    PathBuf::from(heard.params()["path"].as_str().unwrap_or_default())
}

/// Whether this file has the text that a probe writes to a file that does not exist yet.
fn is_new(path: &Path) -> bool {
    fs::read(path).is_ok_and(|content| content == b"made\n")
}

fn is_linked(path: &Path) -> bool {
    path.ancestors().any(|part| part.symlink_metadata().is_ok_and(|about| about.is_symlink()))
}

/// Reads a file that the correct client refuses, if its path meets this condition.
fn open(heard: &Heard<'_>, said: &mut Vec<Said>, is_meant: fn(&Path, &str) -> bool) {
    let path = path(heard);
    if heard.is(READ)
        && is_meant(&path, &heard.client.task.cwd().to_string_lossy())
        && let Ok(content) = fs::read_to_string(&path)
    {
        let result = json!({"content": content});
        only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": result}));
    }
}
