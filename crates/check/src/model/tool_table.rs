//! The tools of agents that the model knows, by name. `ACTS.md` lists them.

/// The names of the tools of one kind, and the names of their parameters. Names consist of
/// lower-case letters and digits. Earlier names take precedence. A tool may have a prefix with two
/// underscores, such as `developer__shell`.
pub(super) struct Kind {
    pub(super) tool: &'static str,
    pub(super) names: &'static [&'static str],
    /// The names of parameters, by the key of the act whose value they take.
    pub(super) parameters: &'static [(&'static str, &'static [&'static str])],
}

const PATH: (&str, &[&str]) = (
    "path",
    &["path", "filepath", "absolutepath", "file", "filename", "targetfile", "relativepath", "uri"],
);
const PATH_OR_FOLDER: (&str, &[&str]) =
    ("path", &["path", "folder", "directory", "dir", "dirpath", "searchpath"]);
const PATCH: (&str, &[&str]) = ("patch", &["patch", "patchtext", "input"]);

pub(super) const KINDS: &[Kind] = &[
    Kind {
        tool: "read",
        names: &[
            "read",
            "readfile",
            "readtextfile",
            "viewfile",
            "fsread",
            "openfile",
            "fileread",
            "view",
            "strreplacebasededittool",
            "strreplaceeditor",
            "texteditor",
            "cat",
        ],
        parameters: &[PATH],
    },
    Kind {
        tool: "write",
        names: &[
            "write",
            "writefile",
            "writetextfile",
            "writetofile",
            "createfile",
            "fswrite",
            "savefile",
            "filewrite",
            "create",
            "strreplacebasededittool",
            "strreplaceeditor",
            "texteditor",
            "applypatch",
        ],
        parameters: &[
            PATH,
            ("content", &["content", "contents", "text", "filetext", "filecontent", "data"]),
            PATCH,
        ],
    },
    Kind {
        tool: "edit",
        names: &[
            "edit",
            "editfile",
            "replace",
            "strreplace",
            "strreplacefile",
            "searchreplace",
            "replaceinfile",
            "stringreplace",
            "fileedit",
            "multiedit",
            "strreplacebasededittool",
            "strreplaceeditor",
            "texteditor",
            "applypatch",
        ],
        parameters: &[
            PATH,
            ("old", &["old", "oldstring", "oldstr", "oldtext", "before", "search", "find"]),
            ("new", &["new", "newstring", "newstr", "newtext", "after", "replace", "replacement"]),
            ("blocks", &["content", "blocks", "diff"]),
            PATCH,
        ],
    },
    Kind {
        tool: "run",
        names: &[
            "run",
            "bash",
            "shell",
            "execute",
            "runshellcommand",
            "executecommand",
            "runcommand",
            "execcommand",
            "runinterminal",
            "runterminalcommand",
            "terminal",
            "shellcommand",
            "exec",
            "command",
        ],
        parameters: &[("command", &["command", "cmd", "commandline", "line", "script"])],
    },
    Kind {
        tool: "plan",
        names: &[
            "plan",
            "updateplan",
            "todowrite",
            "writetodos",
            "todo",
            "todos",
            "settodolist",
            "todolist",
            "updatetodos",
            "setplan",
            "managetodolist",
            "todowriteitems",
        ],
        parameters: &[
            ("entries", &["entries", "plan", "todos", "items", "steps", "todolist", "tasks"]),
            ("content", &["content", "step", "title", "description", "text", "task", "activeform"]),
            ("status", &["status", "state"]),
            ("priority", &["priority"]),
        ],
    },
    Kind {
        tool: "ask",
        names: &[
            "ask",
            "askuser",
            "askuserquestion",
            "question",
            "askquestion",
            "askfollowupquestion",
            "asktheuser",
            "requestuserinput",
            "askuserquestions",
        ],
        parameters: &[("question", &["question", "questions", "prompt", "message", "text"])],
    },
    Kind {
        tool: "search",
        names: &[
            "search",
            "grep",
            "searchfiles",
            "grepsearch",
            "searchfilecontent",
            "searchtext",
            "ripgrep",
            "rg",
        ],
        parameters: &[
            PATH_OR_FOLDER,
            ("pattern", &["pattern", "query", "regex", "search", "text"]),
        ],
    },
    Kind {
        tool: "delete",
        names: &["delete", "deletefile", "removefile", "remove", "rm"],
        parameters: &[PATH],
    },
    Kind {
        tool: "move",
        names: &["move", "movefile", "rename", "renamefile", "mv"],
        parameters: &[
            ("path", &["path", "from", "source", "sourcepath", "oldpath", "filepath"]),
            ("to", &["to", "destination", "destinationpath", "target", "newpath"]),
        ],
    },
    Kind {
        tool: "fetch",
        names: &["fetch", "webfetch", "fetchurl", "readurl", "fetchwebpage", "urlfetch"],
        parameters: &[("url", &["url", "uri", "address", "urls"])],
    },
    Kind {
        tool: "delegate",
        names: &[
            "delegate",
            "task",
            "agent",
            "subagent",
            "spawnagent",
            "runsubagent",
            "dispatchagent",
        ],
        parameters: &[("prompt", &["prompt", "task", "instructions", "message", "query"])],
    },
    Kind {
        tool: "switch_mode",
        names: &["exitplan", "exitplanmode", "switchmode"],
        parameters: &[("plan", &["plan", "content", "summary"])],
    },
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use super::KINDS;
    use std::fs;
    use std::path::Path;

    #[test]
    fn acts_md_lists_every_tool() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ACTS.md");
        let kept = fs::read_to_string(&path).unwrap();
        let (before, _) = kept.split_once("|---|---|---|\n").unwrap();
        let code = |texts: Vec<&str>| {
            texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
        };
        let mut document = format!("{before}|---|---|---|\n");
        for kind in KINDS {
            let members = kind.parameters.iter().map(|(member, _)| *member);
            let members = members.filter(|member| !["patch", "blocks"].contains(member)).collect();
            document.push_str(&format!(
                "| `{}` | {} | {} |\n",
                kind.tool,
                code(members),
                code(kind.names.to_vec())
            ));
        }
        document.push_str(
            "| `mcp` | `name`, `arguments` | the tool of an MCP server whose name ends with `name` |\n",
        );
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &document).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap();
        assert!(
            kept == document,
            "UPDATE_DOCS=1 cargo test -p attache-check --lib acts writes ACTS.md"
        );
    }
}
