//! `attache new agent`: creates a working agent with a test, as a starting point.

use super::arguments::Agent;
use crate::exit::{Exit, Failure};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The files of the project, by path. `{{name}}` is replaced by its name, `{{Name}}` by the name of
/// its type.
const FILES: [(&str, &str); 5] = [
    ("Cargo.toml", include_str!("agent/Cargo.toml.txt")),
    ("src/main.rs", include_str!("agent/main.rs.txt")),
    ("tests/talk.rs", include_str!("agent/talk.rs.txt")),
    ("README.md", include_str!("agent/README.md.txt")),
    (".gitignore", "target/\n"),
];

/// Names that Cargo or the project already uses.
const TAKEN: [&str; 9] =
    ["test", "core", "std", "alloc", "proc-macro", "build", "deps", "tokio", "tempfile"];

/// Writes the project. Existing files are never changed.
pub(crate) fn agent(arguments: &Agent) -> Result<Exit, Failure> {
    let name = arguments.name.as_str();
    if let Some(why) = why_invalid(name) {
        return Err(Failure::usage(format!("{name:?} is not a valid agent name: {why}")));
    }
    let libraries = Libraries::find(arguments)?;
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| cannot_create(folder, &error))?;
    for (path, text) in FILES {
        let path = folder.join(path);
        let text =
            libraries.fill(text).replace("{{name}}", name).replace("{{Name}}", &type_name(name));
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| cannot_create(&path, &error))?;
    }
    let said = writeln!(
        io::stdout().lock(),
        "Created an agent in {name}/; its README.md describes it. Next:\n\n  cd {name} && cargo test"
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

/// The source of the libraries.
enum Libraries {
    /// A checkout in this folder.
    Checkout(PathBuf),
    /// A Git repository at this URL.
    Git(String),
}

impl Libraries {
    fn find(arguments: &Agent) -> Result<Self, Failure> {
        if let Some(address) = &arguments.git {
            return Ok(Self::Git(address.clone()));
        }
        let Some(given) = arguments.libraries.as_deref() else {
            let program = std::env::current_exe().unwrap_or_default();
            let checkout = program.ancestors().find(|folder| is_checkout(folder));
            return checkout.map(|folder| Self::Checkout(folder.to_owned())).ok_or_else(|| {
                Failure::usage(
                    "the libraries of Attaché are not in a registry, and this program is not in a checkout of them: name a checkout with --libraries DIR, or a Git repository with --git URL",
                )
            });
        };
        match given.canonicalize() {
            Ok(folder) if is_checkout(&folder) => Ok(Self::Checkout(folder)),
            _ => Err(Failure::usage(format!(
                "{} is not a checkout of Attaché: it has no crates/agent/Cargo.toml",
                given.display()
            ))),
        }
    }

    /// Replaces `{{attache-agent}}` and the placeholders of the other libraries in a Cargo.toml
    /// with their sources.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut parts = text.split("{{attache-");
        filled.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (library, rest) = part.split_once("}}").unwrap_or((part, ""));
            // Writing to a string cannot fail.
            let _ = match self {
                Self::Checkout(folder) => {
                    let path = folder.join("crates").join(library);
                    write!(filled, "{{ path = {:?} }}", path.display().to_string())
                }
                Self::Git(address) => write!(filled, "{{ git = {address:?} }}"),
            };
            filled.push_str(rest);
        }
        filled
    }
}

fn is_checkout(folder: &Path) -> bool {
    folder.join("crates/agent/Cargo.toml").is_file()
        && folder.join("crates/coder/Cargo.toml").is_file()
}

#[cfg(test)]
mod tests {
    use super::{Libraries, type_name, why_invalid};

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
            &"a".repeat(65),
        ] {
            assert!(why_invalid(name).is_some(), "{name}");
        }
        assert_eq!([type_name("my-agent"), type_name("turn-2x")], ["MyAgent", "Turn2xAgent"]);
    }

    #[test]
    fn a_library_comes_from_a_path_or_a_repository() {
        let text = "[dependencies]\nattache-agent = {{attache-agent}}\ntokio = \"1\"\n";
        let filled = Libraries::Checkout("/a \"b\"".into()).fill(text);
        assert!(
            filled.contains("attache-agent = { path = \"/a \\\"b\\\"/crates/agent\" }\ntokio"),
            "{filled}"
        );
        let filled = Libraries::Git("https://example.org/a.git".into()).fill(text);
        assert!(
            filled.contains("attache-agent = { git = \"https://example.org/a.git\" }\ntokio"),
            "{filled}"
        );
    }
}
