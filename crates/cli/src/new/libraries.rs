//! The source of the libraries that a new project uses.

use super::arguments::Project;
use crate::exit::Failure;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The source of the libraries.
pub(crate) enum Libraries {
    /// A checkout in this folder.
    Checkout(PathBuf),
    /// A Git repository at this URL.
    Git(String),
    /// Cargo's registry, with the version of this program.
    Registry,
}

impl Libraries {
    /// Finds the libraries: those that the arguments name, else the checkout of this program, else
    /// the registry.
    pub(crate) fn find(arguments: &Project) -> Result<Self, Failure> {
        if let Some(address) = &arguments.git {
            return Ok(Self::Git(address.clone()));
        }
        let Some(given) = arguments.libraries.as_deref() else {
            let program = std::env::current_exe().unwrap_or_default();
            let checkout = program.ancestors().find(|folder| is_checkout(folder));
            return Ok(checkout.map_or(Self::Registry, |folder| Self::Checkout(folder.to_owned())));
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
    pub(crate) fn fill(&self, text: &str) -> String {
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
                Self::Registry => write!(filled, "{:?}", env!("CARGO_PKG_VERSION")),
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
    use super::Libraries;

    #[test]
    fn a_library_comes_from_a_path_a_repository_or_the_registry() {
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
        let filled = Libraries::Registry.fill(text);
        let version = concat!("attache-agent = \"", env!("CARGO_PKG_VERSION"), "\"\ntokio");
        assert!(filled.contains(version), "{filled}");
    }
}
