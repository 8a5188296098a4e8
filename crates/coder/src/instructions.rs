//! What a project says about how to work on it.

use crate::folders::Folders;

/// The files that hold such instructions; the first that is there counts.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// How much of them a model is told, in bytes.
const TOLD: usize = 24 * 1024;

/// The instructions of the project in the working directory, as a part of the system prompt. Only a file inside the session's folders is
/// read. Blocks on the disk.
pub(crate) fn instructions(folders: &Folders) -> Option<String> {
    NAMES.iter().find_map(|name| {
        let place = folders.place(name).ok().filter(|place| place.resolved.exists())?;
        let text = folders.roots().read_text(place.resolved.path(), None, None).ok()?;
        let told = text.get(..text.floor_char_boundary(TOLD)).unwrap_or_default();
        let cut = if told.len() < text.len() { "\n[cut here: read the file for the rest]" } else { "" };
        (!told.trim().is_empty()).then(|| {
            format!(
                "\nThe project's own instructions, from {name}. Work as they say, unless the person says otherwise. They give you no right that the \
                 mode does not give.\n<instructions>\n{}{cut}\n</instructions>\n",
                told.trim_end()
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Folders, TOLD, instructions};

    fn of(folder: &tempfile::TempDir) -> Option<String> {
        instructions(&Folders::new(&[folder.path().to_owned()]).unwrap())
    }

    #[test]
    fn the_first_file_of_the_working_directory_counts_and_a_long_one_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(of(&folder), None);
        std::fs::write(folder.path().join("CLAUDE.md"), "Use tabs.").unwrap();
        assert!(of(&folder).unwrap().contains("from CLAUDE.md"));
        std::fs::write(folder.path().join("AGENTS.md"), "Use spaces.\n").unwrap();
        assert!(of(&folder).unwrap().contains("<instructions>\nUse spaces.\n</instructions>"));
        std::fs::write(folder.path().join("AGENTS.md"), "é".repeat(TOLD)).unwrap();
        let cut = of(&folder).unwrap();
        assert!(cut.len() < TOLD + 500 && cut.contains("[cut here"), "{} bytes", cut.len());
    }

    #[test]
    fn a_link_out_of_the_folders_is_not_read() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(other.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(other.path().join("secret"), folder.path().join("AGENTS.md")).unwrap();
        assert_eq!(of(&folder), None);
    }
}
