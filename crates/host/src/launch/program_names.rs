//! The file names of a program.

use std::ffi::{OsStr, OsString};

/// The extensions of the files that Windows can start, if `PATHEXT` is not set. npm installs `.cmd`
/// files.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// Returns the file names of a program in the order of search. On Windows, `endings` is `PATHEXT`:
/// a name with one of these extensions is used as it is, and each of the extensions is appended to
/// any other name. On other systems, `endings` is `None`, and the name is used as it is.
pub(crate) fn program_names(program: &OsStr, endings: Option<&str>) -> Vec<OsString> {
    let Some(endings) = endings else { return vec![program.to_owned()] };
    let endings = if endings.trim().is_empty() { ENDINGS } else { endings };
    let endings = || endings.split(';').map(str::trim).filter(|ending| ending.starts_with('.'));
    let name = program.to_string_lossy().to_lowercase();
    if endings().any(|ending| name.ends_with(&ending.to_lowercase())) {
        return vec![program.to_owned()];
    }
    let with = |ending: &str| {
        let mut name = program.to_owned();
        name.push(ending);
        name
    };
    endings().map(with).collect()
}

/// `PATHEXT`, on Windows.
pub(crate) fn endings() -> Option<String> {
    cfg!(windows).then(|| std::env::var("PATHEXT").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::program_names;
    use std::ffi::OsStr;

    #[test]
    fn a_program_is_searched_with_executable_extensions() {
        for (program, endings, names) in [
            ("gemini", None, "gemini"),
            ("gemini.cmd", None, "gemini.cmd"),
            ("gemini", Some(".COM;.EXE;.BAT;.CMD"), "gemini.COM gemini.EXE gemini.BAT gemini.CMD"),
            ("gemini", Some(""), "gemini.COM gemini.EXE gemini.BAT gemini.CMD"),
            ("gemini.cmd", Some(".EXE;.CMD"), "gemini.cmd"),
            ("C:\\bin\\Gemini.Exe", Some(".exe"), "C:\\bin\\Gemini.Exe"),
            ("gemini.js", Some(".EXE; .CMD ;JS;"), "gemini.js.EXE gemini.js.CMD"),
            ("codex-1.2", Some(".EXE"), "codex-1.2.EXE"),
        ] {
            let found = program_names(OsStr::new(program), endings);
            let found: Vec<&str> = found.iter().map(|name| name.to_str().unwrap()).collect();
            assert_eq!(found.join(" "), names, "{program} {endings:?}");
        }
    }
}
