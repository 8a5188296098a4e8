//! Clients that are known: how each goes on errands that its main command does not.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A client, and the words of a command that begins it.
struct KnownClient {
    /// The name of its program, or of the script that an interpreter runs.
    program: &'static str,
    /// The word that follows it in a main command.
    task: &'static str,
    /// By errand: what is done with the main command.
    errands: &'static [(&'static [&'static str], Way)],
}

/// What is done with the words of the main command.
#[derive(Clone, Copy)]
enum Way {
    /// They stay.
    Same,
    /// These words follow them.
    With(&'static [&'static str]),
    /// These words stand in place of the task and all that follows it.
    Instead(&'static [&'static str]),
    /// They are run by the shell, which has them as `"$@"` with these words before the prompt's place.
    Shell(&'static str),
}

use Way::{Instead, Same, Shell, With};

const KNOWN: &[KnownClient] = &[KnownClient {
    program: "attache",
    task: "run",
    errands: &[
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
        (&["twice"], Shell(r#"printf '%s\n---\n%s\n' "{prompt}" "{prompt2}" | exec "$@" --file -"#)),
    ],
}];

/// The words of the command that sends a known client on this errand; `main` is the command that sends its prompt.
pub(super) fn words(main: &[OsString], errand: &str) -> Option<Vec<OsString>> {
    let named = |word: &OsStr, name: &str| Path::new(word).file_stem().is_some_and(|stem| stem == name);
    let (known, at) = KNOWN.iter().find_map(|known| {
        let at = main.iter().take(2).position(|word| named(word, known.program))?;
        let task = main.iter().skip(at + 1).position(|word| *word == *known.task)?;
        Some((known, at + 1 + task))
    })?;
    let (_, way) = known.errands.iter().find(|(names, _)| names.contains(&errand))?;
    let added = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    Some(match way {
        Same => main.to_vec(),
        With(words) => [main, &added(words)].concat(),
        Instead(words) => [main.get(..at)?, &added(words)].concat(),
        Shell(line) => {
            let without_prompt = main.iter().filter(|word| *word != "{prompt}").cloned().collect();
            [added(&["/bin/sh", "-c", line, "sh"]), without_prompt].concat()
        }
    })
}
