//! Lists in the repository that tests generate.

use std::path::Path;

/// Panics unless `file` contains exactly this list of faults. The order of `lines` does not matter.
/// Writes the file first if `UPDATE_DOCS` is set.
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
        "crates/check/faults/{file} is out of date: run\n  UPDATE_DOCS=1 cargo test -p attache-check --test agent --test client --test observer list_of_faults"
    );
}
