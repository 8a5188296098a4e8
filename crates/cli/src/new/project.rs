//! A new project: working code with a test, as a starting point.

use super::arguments::Project;
use super::libraries::Libraries;
use crate::exit::{Exit, Failure};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// What a project is.
pub(crate) struct Kind {
    /// The kind in a sentence.
    name: &'static str,
    /// The files by path. `{{name}}` is replaced by the project's name, `{{crate}}` by the name of
    /// its library, and `{{Name}}` by the name of its type.
    files: &'static [(&'static str, &'static str)],
}

/// An agent, and a client that talks to it in a test.
pub(crate) const AGENT: Kind = Kind {
    name: "an agent",
    files: &[
        ("Cargo.toml", include_str!("agent/Cargo.toml.txt")),
        ("src/main.rs", include_str!("agent/main.rs.txt")),
        ("tests/talk.rs", include_str!("agent/talk.rs.txt")),
        ("README.md", include_str!("agent/README.md.txt")),
        (".gitignore", "target/\n"),
    ],
};

/// A client, and an agent that it asks in a test.
pub(crate) const CLIENT: Kind = Kind {
    name: "a client",
    files: &[
        ("Cargo.toml", include_str!("client/Cargo.toml.txt")),
        ("src/lib.rs", include_str!("client/lib.rs.txt")),
        ("src/main.rs", include_str!("client/main.rs.txt")),
        ("tests/talk.rs", include_str!("client/talk.rs.txt")),
        ("README.md", include_str!("client/README.md.txt")),
        (".gitignore", "target/\n"),
    ],
};

/// Names that Cargo or the project already uses.
const TAKEN: [&str; 9] =
    ["test", "core", "std", "alloc", "proc-macro", "build", "deps", "tokio", "tempfile"];

/// The keywords of Rust, which cannot name a library.
const KEYWORDS: &str = "as async await break const continue crate dyn else enum extern false fn \
    for gen if impl in let loop match mod move mut pub ref return self static struct super trait \
    true type unsafe use where while";

/// Writes a project of this kind. Existing files are never changed.
pub(crate) fn create(kind: &Kind, arguments: &Project) -> Result<Exit, Failure> {
    let name = arguments.name.as_str();
    if let Some(why) = why_invalid(name) {
        return Err(Failure::usage(format!("{name:?} is not a valid name: {why}")));
    }
    let libraries = Libraries::find(arguments)?;
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| cannot_create(folder, &error))?;
    for (path, text) in kind.files {
        let path = folder.join(path);
        let text = libraries.fill(text).replace("{{name}}", name);
        let text = text.replace("{{crate}}", &name.replace('-', "_"));
        let text = text.replace("{{Name}}", &type_name(name));
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| cannot_create(&path, &error))?;
    }
    let said = writeln!(
        io::stdout().lock(),
        "Created {} in {name}/; its README.md describes it. Next:\n\n  cd {name} && cargo test",
        kind.name
    );
    said.map_err(|error| Failure::output(&error))?;
    Ok(Exit::Done)
}

fn cannot_create(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{path} already exists: choose another name, or move it"))
        }
        _ => Failure::usage(format!("{path} cannot be created: {error}")),
    }
}

/// Returns the reason why a name is invalid.
fn why_invalid(name: &str) -> Option<&'static str> {
    let letters = |each: char| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '-';
    match () {
        () if !name.starts_with(|each: char| each.is_ascii_lowercase()) => {
            Some("begin it with a lower-case letter")
        }
        () if !name.chars().all(letters) => Some("use lower-case letters, digits and hyphens"),
        () if name.len() > 64 => Some("use at most 64 letters"),
        () if KEYWORDS.split_whitespace().any(|keyword| keyword == name) => {
            Some("it is a keyword of Rust")
        }
        () if TAKEN.contains(&name) || name.starts_with("attache") => {
            Some("the name is already taken")
        }
        () => None,
    }
}

/// Returns `MyToolAgent` for `my-tool`.
fn type_name(name: &str) -> String {
    let parts = name.trim_end_matches("-agent").split('-').filter_map(|part| {
        let (first, rest) = part.split_at_checked(1)?;
        Some(first.to_ascii_uppercase() + rest)
    });
    parts.chain(["Agent".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{type_name, why_invalid};

    #[test]
    fn a_name_must_be_valid_for_cargo() {
        for name in ["hello", "my-agent-2"] {
            assert_eq!(why_invalid(name), None, "{name}");
        }
        for name in [
            "",
            "Hello",
            "2x",
            "-x",
            "a b",
            "a/b",
            "..",
            "ä",
            "test",
            "a_b",
            "attache-agent",
            "loop",
            &"a".repeat(65),
        ] {
            assert!(why_invalid(name).is_some(), "{name}");
        }
        assert_eq!([type_name("my-agent"), type_name("turn-2x")], ["MyAgent", "Turn2xAgent"]);
    }
}
