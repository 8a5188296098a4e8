//! Known clients, and the commands for tasks that their main command does not cover.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A client: how to recognize its main command, and the commands for other tasks.
struct KnownClient {
    /// The name of the program, or of the script that an interpreter runs.
    program: &'static str,
    /// The subcommand in the client's main command.
    task: &'static str,
    /// How the main command changes for each task.
    tasks: &'static [(&'static [&'static str], Way)],
}

/// How to turn the main command into the command of another task.
#[derive(Clone, Copy)]
enum Way {
    /// Keeps the words unchanged.
    Same,
    /// Appends these words.
    With(&'static [&'static str]),
    /// Replaces the subcommand and everything after it with these words.
    Instead(&'static [&'static str]),
    /// Runs this line in a shell, with all words except `{prompt}` as `"$@"`.
    Shell(&'static str),
    /// Runs this line in a shell, with the words before the subcommand as `"$@"`.
    Steps(&'static str),
}

use Way::{Instead, Same, Shell, Steps, With};

const KNOWN: &[KnownClient] = &[ATTACHE, ACPX];

const ATTACHE: KnownClient = KnownClient {
    program: "attache",
    task: "run",
    tasks: &[
        (&["load", "resume"], With(&["--resume", "{session}"])),
        (&["list"], With(&["--resume", "last"])),
        (&["set_mode"], With(&["--mode", "{mode}"])),
        (&["set_option", "set_boolean"], With(&["--set", "{option}={value}"])),
        (&["set_options"], With(&["--set", "{option}={value}", "--set", "{option2}={value2}"])),
        (&["allow"], With(&["--yes"])),
        (&["reject"], Same),
        (&["image"], With(&["@{image}"])),
        (&["form"], With(&["--forms", "defaults"])),
        (&["cancel", "decline"], With(&["--forms", "decline"])),
        (&["mcp"], With(&["--mcp", "{mcp}"])),
        (&["login"], Instead(&["login", "{agent}", "{method}"])),
        (&["logout"], Instead(&["logout", "{agent}"])),
        (&["delete", "close"], Instead(&["agents", "check", "{agent}"])),
        (
            &["twice"],
            Shell(r#"printf '%s\n---\n%s\n' "{prompt}" "{prompt2}" | exec "$@" --file -"#),
        ),
    ],
};

/// The main command, `exec`, sends one prompt in a session that is not stored. The client keeps a
/// stored session open in a background process, which ends after `--ttl` idle seconds. Each step
/// has its own connection, and only the background process closes the session.
const ACPX: KnownClient = KnownClient {
    program: "acpx",
    task: "exec",
    tasks: &[
        (&["set_option", "set_boolean"], With(&["--config-option", "{option}={value}"])),
        (
            &["set_options"],
            With(&["--config-option", "{option}={value}", "--config-option", "{option2}={value2}"]),
        ),
        (&["allow"], Instead(&["--approve-all", "exec", "{prompt}"])),
        (&["reject"], Instead(&["--deny-all", "exec", "{prompt}"])),
        (&["list"], Instead(&["sessions", "list"])),
        (&["mcp"], Steps(ACPX_MCP)),
        (&["system_prompt"], Instead(&["--append-system-prompt", "{text}", "exec", "{prompt}"])),
        (
            &["load", "resume"],
            Steps(
                r#""$@" --ttl 1 sessions new --resume-session "{session}" && exec "$@" --ttl 1 prompt "{prompt}""#,
            ),
        ),
        (
            &["set_mode"],
            Steps(
                r#""$@" sessions new && "$@" set-mode "{mode}" && exec "$@" --ttl 1 prompt "{prompt}""#,
            ),
        ),
        (
            &["close"],
            Steps(
                r#""$@" sessions new && "$@" --ttl 30 prompt "{prompt}" && exec "$@" sessions close"#,
            ),
        ),
        (
            &["image"],
            Steps(
                r#"data=$(base64 <"{image}" | tr -d '\n') && printf '[{"type":"text","text":"%s"},{"type":"image","mimeType":"image/png","data":"%s"}]' "{prompt}" "$data" | exec "$@" exec --file -"#,
            ),
        ),
    ],
};

/// The client expects a list of servers, with variables and headers as name-value pairs. The client
/// runs on `node`, so the script can use it.
const ACPX_MCP: &str = r#"node -e '
const fs = require("fs"), [file] = process.argv.slice(1), { mcpServers } = JSON.parse(fs.readFileSync(file));
const pairs = (all) => Object.entries(all ?? {}).map(([name, value]) => ({ name, value }));
const list = ([name, server]) => ({ ...server, name, env: pairs(server.env), headers: pairs(server.headers) });
fs.writeFileSync(file + ".list", JSON.stringify({ mcpServers: Object.entries(mcpServers).map(list) }));
' "{mcp}" && exec "$@" --mcp-config "{mcp}.list" exec "{prompt}""#;

/// Returns the client that this command starts, and the index of the subcommand among the words.
fn known(main: &[OsString]) -> Option<(&'static KnownClient, usize)> {
    let named =
        |word: &OsStr, name: &str| Path::new(word).file_stem().is_some_and(|stem| stem == name);
    KNOWN.iter().find_map(|known| {
        let at = main.iter().take(2).position(|word| named(word, known.program))?;
        let task = main.iter().skip(at + 1).position(|word| *word == *known.task)?;
        Some((known, at + 1 + task))
    })
}

/// Returns the command with which a known client performs this task; `main` is the client's main
/// command.
pub(in crate::check) fn words(main: &[OsString], task: &str) -> Option<Vec<OsString>> {
    let (known, at) = known(main)?;
    let (_, way) = known.tasks.iter().find(|(names, _)| names.contains(&task))?;
    let added = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    Some(match way {
        Same => main.to_vec(),
        With(words) => [main, &added(words)].concat(),
        Instead(words) => [main.get(..at)?, &added(words)].concat(),
        Shell(line) => {
            let without_prompt = main.iter().filter(|word| *word != "{prompt}").cloned().collect();
            [added(&["/bin/sh", "-c", line, "sh"]), without_prompt].concat()
        }
        Steps(line) => [&added(&["/bin/sh", "-c", line, "sh"]), main.get(..at)?].concat(),
    })
}
