//! `attache setup`: prints the entry for an editor's settings, or writes it.

pub(crate) mod arguments;
mod entry;
mod json_settings;
mod repeated;

use crate::exit::{Exit, Failure};
use crate::key;
use crate::say::{println, say};
use crate::show::paint::YELLOW;
use arguments::{Editor, Setup};
use attache_view::sanitize;
use entry::Entry;
use json_settings::{Change, JsonSettings};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Runs `attache setup`.
pub(crate) async fn setup(arguments: Setup) -> Result<Exit, Failure> {
    let program = env::current_exe().map_err(|error| {
        Failure::new(Exit::Internal, format!("the path of this program is unknown: {error}"))
    })?;
    let Some(program) = program.to_str() else {
        return Err(Failure::usage(
            "the path of this program is not Unicode; editors cannot start it from there",
        ));
    };
    let entry = Entry::of(&arguments, program);
    if is_temporary(Path::new(program)) {
        let advice = "run `npm install -g attache`, then the attache that it installed";
        say(YELLOW, &format!("{program} is in a cache that npm deletes at any time: {advice}\n"));
    }
    if arguments.write {
        return write(&arguments, &entry).await;
    }
    println(&entry.advice(arguments.editor));
    println("");
    println(&entry.text(arguments.editor));
    Ok(Exit::Done)
}

/// Writes the entry into the settings file of the editor, after a question.
async fn write(arguments: &Setup, entry: &Entry) -> Result<Exit, Failure> {
    let path = settings_file(arguments)?;
    let settings = JsonSettings::read(&path)?;
    let shown = sanitize::visible_line(&settings.path().to_string_lossy());
    let change = settings.with_agent(&entry.name, &entry.json(arguments.editor))?;
    let (verb, text) = match &change {
        Change::None => {
            println(&format!("{shown} has this entry already."));
            return Ok(Exit::Done);
        }
        Change::Added(text) => ("gets", text),
        Change::Replaced(text) => {
            ("has an entry of this name, whose env and other fields stay; it becomes", text)
        }
    };
    if !arguments.yes && !key::can_ask() {
        let advice = "add --yes to write the entry without a question";
        return Err(Failure::usage(format!("the question needs a terminal: {advice}")));
    }
    println(&format!("{shown} {verb}:\n\n{}\n", entry.text(arguments.editor)));
    if !arguments.yes && !is_confirmed().await? {
        println("Nothing was written.");
        return Ok(Exit::Cancelled);
    }
    let backup = settings.write(text)?;
    let backup = backup.map(|path| sanitize::visible_line(&path.to_string_lossy()));
    println(&match backup {
        Some(backup) => format!("Written. The file as it was is {backup}."),
        None => "Written. The file is new.".to_owned(),
    });
    Ok(Exit::Done)
}

async fn is_confirmed() -> Result<bool, Failure> {
    let question = "Write this entry? [y]es [n]o ".to_owned();
    let pressed = key::pressed(b"yn".to_vec(), question).await.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
    })?;
    // The key was not echoed. A closed stderr is not an error.
    let _ = writeln!(io::stderr());
    Ok(pressed == b'y')
}

/// Returns the file to write: the given one, or that of the editor.
fn settings_file(arguments: &Setup) -> Result<PathBuf, Failure> {
    if !matches!(arguments.editor, Editor::Zed | Editor::Jetbrains) {
        return Err(Failure::usage(
            "this editor is not configured by a JSON file; copy the entry that `attache setup` \
             prints without --write",
        ));
    }
    let given = arguments.file.clone().or_else(|| arguments.editor.settings_file());
    let path = given.ok_or_else(|| Failure::usage("HOME is not set; add --file FILE"))?;
    // A link, as people have who keep their settings elsewhere, stays.
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(&path).map_err(|error| {
            let shown = path.display();
            Failure::usage(format!(
                "{shown} is a link to a file that cannot be reached: {error}; remove the link, or \
                 create the file"
            ))
        }),
        _ => Ok(path),
    }
}

/// Returns whether a program is in the cache of `npx`.
fn is_temporary(program: &Path) -> bool {
    program.components().any(|part| part.as_os_str() == "_npx")
}

#[cfg(test)]
mod tests {
    use super::arguments::{Editor, Setup};
    use super::{is_temporary, settings_file};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn a_link_is_followed_unless_it_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let (real, link) = (folder.join("real.json"), folder.join("settings.json"));
        symlink(&real, &link).unwrap();
        let file = Some(link.clone());
        let (editor, agent) = (Editor::Zed, None);
        let arguments = Setup { editor, agent, shared: false, write: true, yes: true, file };
        let refused = settings_file(&arguments).unwrap_err();
        assert!(refused.message.contains("is a link to a file that cannot be reached"));
        fs::write(&real, "{}").unwrap();
        assert_eq!(settings_file(&arguments).unwrap(), real);
    }

    #[test]
    fn programs_in_the_cache_of_npx_are_temporary() {
        let cached = "/home/ann/.npm/_npx/1a2b/node_modules/@attache/linux-x64/bin/attache";
        assert!(is_temporary(Path::new(cached)));
        assert!(!is_temporary(Path::new("/usr/lib/node_modules/my_npx/bin/attache")));
    }
}
