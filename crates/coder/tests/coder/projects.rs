//! Test projects in temporary folders.

use std::fs;
use std::path::Path;
use tempfile::TempDir;

pub(crate) fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

pub(crate) fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap()
}

pub(crate) fn rust() -> TempDir {
    project(&[
        (
            "Cargo.toml",
            "[package]\nname = \"glider\"\nversion = \"0.3.1\"\ndescription = \"Cells on a grid\"\n",
        ),
        (
            "README.md",
            "[![badge](x)](y)\n# Glider\n\nA small game of life,\nin two files.\n\n## Use\n\nRun it.\n",
        ),
        (".gitignore", "/target\n"),
        (
            "src/main.rs",
            "mod grid;\n\nfn main() {\n    let grid = grid::Grid::new(8);\n    grid.show();\n}\n",
        ),
        (
            "src/grid.rs",
            "pub struct Grid {\n    size: usize,\n}\n\nimpl Grid {\n    pub fn new(size: usize) -> Grid {\n        Grid { size }\n    }\n\n    pub fn show(&self) {\n        println!(\"{}\", self.size);\n    }\n}\n\n// A Gridlock is no grid.\n",
        ),
        ("target/debug/out.rs", "Grid Grid Grid\n"),
    ])
}

pub(crate) fn python() -> TempDir {
    project(&[
        ("pyproject.toml", "[project]\nname = \"ledger\"\nversion = \"2.0\"\n"),
        ("readme.rst", "Ledger\n======\n\nKeeps books.\n"),
        ("ledger/__init__.py", "from .book import Book\n"),
        ("ledger/book.py", "class Book:\n    def total(self):\n        return sum(self.rows)\n"),
        (
            "tests/test_book.py",
            "from ledger import Book\n\ndef test_total():\n    assert Book().total() == 0\n",
        ),
        (".venv/lib/book.py", "class Book: pass\n"),
    ])
}

/// A project with names in several scripts, files with carriage returns, and ignore files in two
/// folders.
pub(crate) fn mixed() -> TempDir {
    project(&[
        ("LIESMICH.txt", "Größe ist wichtig.\r\nGrößer nicht.\r\n"),
        ("büro/größe.py", "\u{feff}# Größe\r\nGröße = 3\r\nprint(Größe, GrößeX)\r\n"),
        ("日本/メモ.md", "# メモ\n\nGröße と 色\n"),
        ("with space/a file.txt", "one\ntwo\nthree"),
        ("büro/.gitignore", "*.log\n!keep.log\n"),
        ("büro/old.log", "Größe\n"),
        ("büro/keep.log", "Größe\n"),
    ])
}

/// A project with only an ignored file and a hidden one.
pub(crate) fn empty() -> TempDir {
    project(&[(".gitignore", "hidden.txt\n"), ("hidden.txt", "Grid Book Größe\n")])
}
