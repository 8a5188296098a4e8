//! Lists that are kept in the tree, made of what a test knows.

use std::path::Path;

/// Fails unless the list of faults in that file is this one, in whatever order its lines come;
/// writes it where `UPDATE_DOCS` is set.
pub(crate) fn is_kept(file: &str, head: &str, mut lines: Vec<String>) {
    let place = |line: &String| {
        let id = line.split(' ').next().unwrap_or_default();
        attache_check::rules().iter().position(|rule| rule.id == id)
    };
    lines.sort_by_key(|line| (place(line), line.clone()));
    lines.dedup();
    let items: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    let text = format!("{head}\n\n{items}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults").join(file);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "crates/check/faults/{file} is not the list of the faults any more; this writes it:\n  UPDATE_DOCS=1 cargo test -p attache-check --test agent --test client --test observer list_of_faults"
    );
}
