//! Files of a crate use each other in one direction only.
//!
//! A file uses another file if one of its paths names an item that the other file declares. The
//! paths are those in `use` lines and those that begin with `crate`, `super`, `self` or a module
//! below the file. Re-exports are followed to the declaration; a re-export counts as a use by the
//! re-exporting file only if that file also uses the name. Calls such as `list::rows()` into a
//! module below do not count.

use crate::source::{bare, crates, files, without_tests};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The number of files that may be in circles for now, per crate. The goal is zero.
const ALLOWED: &[(&str, usize)] = &[];

/// The path of a module in its crate: `["show", "paint"]`.
type Module = Vec<String>;

/// The files of one crate, as modules.
struct Sources {
    texts: BTreeMap<Module, String>,
    /// Per module, the re-exported names and their paths.
    exports: BTreeMap<Module, Vec<(String, Module)>>,
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let mut texts = BTreeMap::new();
        for path in files(folder, "rs") {
            let inside = path.strip_prefix(folder).unwrap().with_extension("");
            let module = inside.iter().map(|part| part.to_string_lossy().into_owned());
            let module: Module = module.filter(|part| part != "lib" && part != "main").collect();
            let text = bare(&without_tests(&fs::read_to_string(path).unwrap()), true);
            texts.insert(module, without_visibility(&text));
        }
        Self::of(texts)
    }

    fn of(texts: BTreeMap<Module, String>) -> Self {
        let mut sources = Self { texts, exports: BTreeMap::new() };
        for (module, text) in &sources.texts {
            let mut exports = Vec::new();
            for import in imports(text).into_iter().filter(|import| import.public) {
                if let Some(path) = sources.absolute(module, &import.path) {
                    exports.push((import.name, path));
                }
            }
            sources.exports.insert(module.clone(), exports);
        }
        sources
    }

    /// Returns the path from the root of the crate, unless it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let from = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => {
                let parent = module.split_last()?.1;
                return match rest.first() {
                    Some(next) if next == "super" => self.absolute(parent, rest),
                    _ => Some([parent, rest].concat()),
                };
            }
            _ if self.texts.contains_key(&[module, std::slice::from_ref(first)].concat()) => {
                return Some([module, path].concat());
            }
            _ => return None,
        };
        Some([&from, rest].concat())
    }

    /// Returns the module that declares `path`.
    fn declared(&self, path: &[String], depth: usize) -> Option<Module> {
        let length = (0..=path.len()).rev().find(|n| self.texts.contains_key(&path[..*n]))?;
        let (module, rest) = path.split_at(length);
        let Some((name, after)) = rest.split_first() else { return Some(module.to_vec()) };
        let exports = self.exports.get(module)?;
        let exported = exports.iter().find(|(exported, _)| exported == name);
        match exported {
            Some((_, target)) if depth < 8 => self.declared(&[target, after].concat(), depth + 1),
            _ => Some(module.to_vec()),
        }
    }

    fn arrows(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let arrows = self.texts.iter().map(|(module, text)| {
            let (lines, body) = split_imports(text);
            let body_words: BTreeSet<&str> = body.split(|c| !is_word(c)).collect();
            let imports = lines.into_iter().flat_map(imports_of);
            let used = imports
                .filter(|import| !import.public || body_words.contains(import.name.as_str()))
                .map(|import| import.path)
                .chain(paths(&body));
            let targets = used
                .filter_map(|path| self.declared(&self.absolute(module, &path)?, 0))
                .filter(|target| target != module);
            (module.clone(), targets.collect())
        });
        arrows.collect()
    }
}

/// A name that a `use` line imports.
struct Import {
    path: Vec<String>,
    name: String,
    public: bool,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the text with every `pub(in PATH)` replaced by `pub`: a visibility is not a dependency.
fn without_visibility(text: &str) -> String {
    let mut pieces = text.split("pub(in ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + "pub" + piece.split_once(')').map_or("", |(_, rest)| rest)
    })
}

/// Returns the `use` lines of a file, each with the text before `use`, and the rest of the file.
fn split_imports(text: &str) -> (Vec<&str>, String) {
    let (mut lines, mut body) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some(at) = rest.find("use ") {
        let start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = rest[start..at].trim();
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end + 1);
        if before.is_empty() || before.starts_with("pub") {
            body.push_str(&rest[..start]);
            lines.push(&rest[start..end]);
        } else {
            body.push_str(&rest[..end]);
        }
        rest = &rest[end..];
    }
    body.push_str(rest);
    (lines, body)
}

fn imports(text: &str) -> Vec<Import> {
    split_imports(text).0.into_iter().flat_map(imports_of).collect()
}

fn imports_of(line: &str) -> Vec<Import> {
    let line = line.trim().trim_end_matches(';');
    let Some((before, tree)) = line.split_once("use ") else { return Vec::new() };
    let public = before.trim_start().starts_with("pub");
    let leaves = leaves(tree).into_iter().map(|leaf| {
        let (path, alias) = match leaf.split_once(" as ") {
            Some((path, alias)) => (path, Some(alias.trim().to_owned())),
            None => (leaf.as_str(), None),
        };
        let mut path: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        Import { path, name, public }
    });
    leaves.collect()
}

/// Returns the single paths of a tree such as `a::{b, c::{self, d}}`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, group)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let mut depth = 0usize;
    let mut parts = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(_) if c == ',' && depth == 0 => parts.push(String::new()),
            Some(part) => part.push(c),
            None => {}
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(part)).map(|leaf| format!("{}{leaf}", prefix.trim())).collect()
}

/// Returns the paths in code that begin with `crate` or `super`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| is_word(c) || c == ':' || c == '$') {
                continue;
            }
            let path = code[at..].split(|c| !is_word(c) && c != ':').next().unwrap_or_default();
            found.push(path.split("::").map(str::to_owned).collect());
        }
    }
    found
}

/// Returns the groups of modules that use each other, directly or indirectly.
fn circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> = arrows
        .keys()
        .map(|module| {
            let mut reached = BTreeSet::new();
            let mut next: Vec<&Module> = vec![module];
            while let Some(from) = next.pop() {
                let targets = arrows.get(from).into_iter().flatten();
                next.extend(targets.filter(|target| reached.insert(*target)));
            }
            (module, reached)
        })
        .collect();
    let mut circles: Vec<BTreeSet<Module>> = Vec::new();
    for (module, reached) in &reach {
        if reached.contains(module) && !circles.iter().any(|circle| circle.contains(*module)) {
            let back = |other: &&&Module| reach.get(*other).is_some_and(|r| r.contains(module));
            circles.push(reached.iter().filter(back).map(|other| (*other).clone()).collect());
        }
    }
    circles
}

fn written(module: &Module) -> String {
    if module.is_empty() { "(root)".to_owned() } else { module.join("/") }
}

#[test]
fn files_of_a_crate_use_each_other_in_one_direction() {
    let mut report = Vec::new();
    let mut failed = false;
    for folder in crates() {
        let arrows = Sources::read(&folder.join("src")).arrows();
        let circles = circles(&arrows);
        let krate = folder.file_name().unwrap().to_string_lossy().into_owned();
        let count: usize = circles.iter().map(BTreeSet::len).sum();
        let allowed = ALLOWED.iter().find(|(name, _)| *name == krate).map_or(0, |(_, n)| *n);
        failed |= count > allowed;
        if count > 0 {
            report.push(format!("{krate}: {count} files in circles, {allowed} allowed"));
        }
        for circle in circles {
            report.push(format!("  circle of {}:", circle.len()));
            for module in &circle {
                let targets = arrows.get(module).into_iter().flatten();
                let inside: Vec<String> =
                    targets.filter(|target| circle.contains(*target)).map(written).collect();
                report.push(format!("    {} -> {}", written(module), inside.join(", ")));
            }
        }
    }
    let report = report.join("\n");
    assert!(!failed, "move the shared items to a file that both sides use:\n{report}");
    println!("{report}");
}

#[test]
fn a_circle_is_found_through_groups_and_exports() {
    let module = |name: &str| name.split('/').map(str::to_owned).collect::<Module>();
    let texts = [
        ("a", "use crate::{b::{self, B}, c};\nfn f() {}"),
        ("b", "mod x;\npub(crate) use x::X;\nstruct B;"),
        ("b/x", "use super::super::a::f;\npub(crate) struct X;"),
        ("c", "fn g() { crate::b::X; }"),
        ("d", "use crate::a::f;"),
    ];
    let texts = texts.map(|(name, text)| (module(name), text.to_owned()));
    let arrows = Sources::of(texts.into_iter().collect()).arrows();
    let expected = ["a", "b/x", "c"].map(module).into_iter().collect();
    assert_eq!(circles(&arrows), [expected]);
}
