//! `attache uninstall`: lists the files that this program stores, and removes them.

pub(crate) mod arguments;
mod stored_file;

use crate::demo::size;
use crate::exit::{Exit, Failure};
use crate::key;
use crate::say::println;
use crate::show::paint::{BOLD, DIM, Paint};
use arguments::Uninstall;
use attache_view::sanitize;
use std::io::Write;
use std::path::Path;
use std::{env, io};
use stored_file::{StoredFile, remove_empty_folders, stored_files};

/// Runs `attache uninstall`.
pub(crate) async fn uninstall(arguments: Uninstall) -> Result<Exit, Failure> {
    let files = stored_files().map_err(|error| {
        Failure::new(Exit::Internal, format!("the stored files cannot be listed: {error}"))
    })?;
    if arguments.purge && !arguments.yes && !files.is_empty() && !key::can_ask() {
        let advice = "add --yes to remove the files without a question";
        return Err(Failure::usage(format!("the question needs a terminal: {advice}")));
    }
    show(&files);
    if files.is_empty() {
        return Ok(Exit::Done);
    }
    if !arguments.purge {
        println("Nothing was removed. `attache uninstall --purge` removes these files.");
        return Ok(Exit::Done);
    }
    if !arguments.yes && !is_confirmed(files.len()).await? {
        println("Nothing was removed.");
        return Ok(Exit::Cancelled);
    }
    remove(&files)
}

/// Prints the files and where the program is.
fn show(files: &[StoredFile]) {
    let paint = Paint::of(&io::stdout());
    if files.is_empty() {
        println("Attaché stores no files here.");
    }
    for file in files {
        let contents = match file.contents {
            "" => "unknown to this version",
            contents => contents,
        };
        let path = sanitize::visible_line(&file.path.to_string_lossy());
        println(&format!("{}  {}", paint.paint(BOLD, path), size(file.size)));
        println(&format!("    {}", paint.paint(DIM, contents)));
    }
    if let Ok(program) = env::current_exe() {
        let program = sanitize::visible_line(&program.to_string_lossy());
        println(&paint.paint(DIM, format!("The program itself is {program}.")));
    }
}

async fn is_confirmed(count: usize) -> Result<bool, Failure> {
    let what = if count == 1 { "this file".to_owned() } else { format!("these {count} files") };
    let question = format!("Remove {what} permanently? [y]es [n]o ");
    let pressed = key::pressed(b"yn".to_vec(), question).await;
    let pressed = pressed.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
    })?;
    // The key was not echoed. A closed stderr is not an error.
    let _ = writeln!(io::stderr());
    Ok(pressed == b'y')
}

/// Removes the files, and then the folders that are empty. Files that appeared or were replaced
/// after the list was shown stay.
fn remove(files: &[StoredFile]) -> Result<Exit, Failure> {
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let path = &file.path;
            file.remove().err().map(|error| failed(path, &error))
        })
        .collect();
    if !failures.is_empty() {
        return Err(Failure::new(Exit::Internal, failures.join("\n")));
    }
    remove_empty_folders();
    println("Removed.");
    Ok(Exit::Done)
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be removed: {error}", path.display())
}
