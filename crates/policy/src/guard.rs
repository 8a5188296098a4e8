//! Protected files: those that usually hold secrets, and those that affect how programs or agents
//! run.

pub(crate) mod names;

use crate::wildcard::{fits, is_wild, meet};
use names::{OBEYED, OBEYED_PATHS, SECRET, SECRET_PATHS};
use std::borrow::Cow;

/// Why a path is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The file usually holds keys or passwords. Reading or changing it needs approval.
    Secret,
    /// The file affects how programs or agents run, so changing it can cause commands to run and
    /// needs approval.
    Obeyed,
}

impl Guard {
    /// Returns the stricter of two guards. `Secret` is stricter, because it also restricts reading.
    pub fn strictest(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        if one == Some(Self::Secret) { one } else { other.or(one) }
    }
}

/// Suffixes of the names of key files.
const SECRET_ENDS: &[&str] =
    &[".jks", ".kdbx", ".key", ".keystore", ".p12", ".pem", ".pfx", ".ppk", ".tfstate", ".tfvars"];

/// Suffixes of the names of files that affect how editors run.
const OBEYED_ENDS: &[&str] = &[".code-workspace"];

/// Templates of `.env` files, which hold no secrets.
const SAMPLES: &[&str] = &[".env.dist", ".env.example", ".env.sample", ".env.template"];

/// The names and paths that this guard covers, in their usual spelling. A path contains `/` and may
/// be below any folder. [`guard`] also covers other spellings, and families of names such as
/// `.env.*` and `*.pem` that no list can hold.
pub fn protected_names(guard: Guard) -> impl Iterator<Item = &'static str> {
    let (secrets, obeyed) = match guard {
        Guard::Secret => ([SECRET, SECRET_PATHS], [[].as_slice(), &[]]),
        Guard::Obeyed => ([[].as_slice(), &[]], [OBEYED, OBEYED_PATHS]),
    };
    let obeyed = obeyed.into_iter().flatten().map(|each| each.name);
    secrets.into_iter().flatten().copied().chain(obeyed)
}

/// Returns why this path is protected, judged by its names alone. Names in upper or lower case, and
/// other spellings that a file system could treat as the same name, are recognized too. The path
/// must be relative to the project's folder, because the names of its parents do not count.
pub fn guard(path: &str) -> Option<Guard> {
    let names: Vec<_> =
        path.split(['/', '\\']).map(plain).filter(|name| !name.is_empty()).collect();
    if names.iter().any(|name| is_secret(name)) || has_path(&names, SECRET_PATHS.iter().copied()) {
        return Some(Guard::Secret);
    }
    let is_obeyed = |name: &Cow<'_, str>| {
        is_one_of(name, OBEYED.iter().map(|each| each.name))
            || OBEYED_ENDS.iter().any(|end| name.ends_with(end))
    };
    let obeyed =
        has_path(&names, OBEYED_PATHS.iter().map(|each| each.name)) || names.iter().any(is_obeyed);
    obeyed.then_some(Guard::Obeyed)
}

/// Whether the names contain one of the paths.
fn has_path<'p>(names: &[Cow<'_, str>], mut paths: impl Iterator<Item = &'p str>) -> bool {
    paths.any(|path| {
        (0..names.len()).any(|from| {
            let mut rest = names.iter().skip(from);
            path.split('/')
                .all(|wanted| rest.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted)))
        })
    })
}

fn is_one_of<'n>(name: &str, mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|each| each.eq_ignore_ascii_case(name))
}

/// Whether a pattern of files can match a secret: whether its last part can match a secret's name.
pub(crate) fn may_fit_a_secret(pattern: &str) -> bool {
    let name = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or(pattern);
    if !is_wild(name) {
        return is_secret(&name.to_lowercase());
    }
    let hidden = name.starts_with(['.', '[']);
    let families = [".env*", ".envrc*"].iter().any(|family| hidden && meet(name, family));
    let ends = SECRET_ENDS.iter().any(|end| meet(name, &format!("*{end}")));
    families || ends || SECRET.iter().any(|secret| fits(name, secret))
}

fn is_secret(name: &str) -> bool {
    let env = name == ".env" || name.starts_with(".env.");
    (env && !SAMPLES.contains(&name))
        || name.starts_with(".envrc.")
        || is_one_of(name, SECRET.iter().copied())
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// The name as some file systems read it: some ignore case, invisible characters, or dots and
/// spaces at the end, and some treat the part after a colon as the name of a stream.
fn plain(name: &str) -> Cow<'_, str> {
    let name = name
        .split_once(':')
        .filter(|(before, _)| !before.is_empty())
        .map_or(name, |(before, _)| before);
    let name = name.trim_end_matches(['.', ' ']);
    let same = |each: char| each.is_ascii() && !each.is_ascii_uppercase();
    if name.chars().all(same) {
        return Cow::Borrowed(name);
    }
    let seen = name.chars().filter(|each| !is_invisible(*each)).flat_map(char::to_lowercase);
    Cow::Owned(seen.fold(String::new(), |mut plain, each| {
        match folded(each) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(each),
        }
        plain
    }))
}

/// The ASCII letters that case-insensitive file systems treat as equal to this lower-case letter.
fn folded(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{df}' => "ss",
        '\u{17f}' => "s",
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// Whether a character outside ASCII is blank, or changes how others are shown.
pub fn is_invisible(character: char) -> bool {
    (!character.is_ascii() && character.is_whitespace())
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::{Guard, guard};

    #[test]
    fn letters_that_file_systems_treat_alike_hide_no_name() {
        for name in [
            ".v\u{17f}code/tasks.json",
            ".con\u{fb01}g/fish/a",
            ".github/work\u{fb02}ows/a",
            ".hu\u{17f}\u{212a}y",
            "AGENT\u{17f}.md",
            "a.CODE-workspace",
        ] {
            assert_eq!(guard(name), Some(Guard::Obeyed), "{name}");
        }
        for name in [".\u{df}h/id", ".\u{1e9e}H/id", ".aw\u{17f}/a", "co\u{fb06}.pem"] {
            assert_eq!(guard(name), Some(Guard::Secret), "{name}");
        }
        for name in ["stra\u{df}e.txt", "\u{fb01}nd.rs"] {
            assert_eq!(guard(name), None, "{name}");
        }
    }
}
