use super::{Special, special};
use std::path::Path;

#[test]
fn a_repository_that_runs_programs_or_has_its_files_elsewhere_is_special() {
    for (config, wanted) in [
        ("[core]\n\tbare = false\n", None),
        ("[core]\n\tfsmonitor = evil\n\tpager = evil\n", None),
        ("[diff \"x\"]\n\tTextConv = evil\n", Some(Special::RunsPrograms)),
        ("[diff]\n\texternal = evil\n", Some(Special::RunsPrograms)),
        ("[diff \"x\"]\n\tcommand = evil\n", Some(Special::RunsPrograms)),
        ("[filter \"x\"]\n\tclean = evil\n", Some(Special::RunsPrograms)),
        ("[include]\n\tpath = ../x\n", Some(Special::RunsPrograms)),
        ("[format]\n\tpretty = %G?\n", Some(Special::RunsPrograms)),
        ("[core]\n\tworktree = ..\n", None),
        ("[core] worktree=/etc\n", Some(Special::FilesOutside)),
        ("[core]\n\tworktree = \"../../..\"\n", Some(Special::FilesOutside)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("lib/.git")).unwrap();
        std::fs::create_dir_all(root.join("lib/src")).unwrap();
        std::fs::write(root.join("lib/.git/config"), config).unwrap();
        let inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&root));
        assert_eq!(special(&root.join("lib/src"), true, inside), wanted, "{config}");
        let alone = wanted.filter(|_| !config.contains("[diff") && !config.contains("%G"));
        assert_eq!(special(&root.join("lib/src"), false, inside), alone, "{config}");
        assert_eq!(special(&root, true, inside), None);
    }
}

/// An index with one file and a link to another repository, in this version of the format.
fn index(version: u8, link: &str) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0".to_vec();
    bytes.extend([version, 0, 0, 0, 2]);
    let mut before = "";
    for (mode, name) in [(0o100_644_u32, "lib.c"), (0o160_000, link)] {
        let begin = bytes.len();
        bytes.extend([0; 24]);
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 12 + 20]);
        let extended = version > 2 && mode == 0o100_644;
        bytes.extend(if extended { [0x40, 0, 0, 0].as_slice() } else { &[0, 0] });
        match version {
            // The whole previous name is dropped.
            4 => {
                bytes.push(before.len().try_into().unwrap());
                bytes.extend(name.as_bytes());
                bytes.push(0);
            }
            _ => {
                bytes.extend(name.as_bytes());
                bytes.extend(vec![0; 8 - (bytes.len() - begin) % 8]);
            }
        }
        before = name;
    }
    bytes
}

#[test]
fn a_repository_inside_that_runs_programs_makes_the_outer_one_special() {
    let configs = [
        (
            "[core]\n\tworktree = ../../../lib\n[remote]\n\turl = https://x/textconv-command-driver\n",
            None,
        ),
        ("[filter \"x\"]\n\tclean = evil\n", Some(Special::RunsPrograms)),
        ("[core]\n\tfsmonitor = evil\n", Some(Special::RunsPrograms)),
        ("[diff]\n\texternal = evil\n", Some(Special::RunsPrograms)),
        ("[diff \"a=b\"] command=evil\n", Some(Special::RunsPrograms)),
        ("[core]\n\tworktree = /etc\n", Some(Special::FilesOutside)),
    ];
    for (config, wanted) in configs {
        for how in ["list", "index 2", "index 3", "index 4", "shared", "deep", "file"] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let modules = root.join(".git/modules/lib");
            for made in [&modules, &root.join("lib")] {
                std::fs::create_dir_all(made).unwrap();
            }
            std::fs::write(root.join(".git/config"), "[core]\n").unwrap();
            std::fs::write(root.join("lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
            std::fs::write(modules.join("config"), config).unwrap();
            match how {
                "list" => {
                    std::fs::write(root.join(".gitmodules"), "[submodule \"l\"]\n\tpath = lib\n")
                }
                "shared" => std::fs::write(root.join(".git/sharedindex.0a"), index(2, "lib")),
                "deep" => {
                    std::fs::create_dir_all(root.join("a/.git")).unwrap();
                    std::fs::write(root.join("a/.git/index"), index(2, "../lib")).unwrap();
                    std::fs::write(root.join(".git/index"), index(4, "a"))
                }
                how => {
                    let version = how.rsplit(' ').next().unwrap().parse().unwrap_or(2);
                    std::fs::write(root.join(".git/index"), index(version, "lib"))
                }
            }
            .unwrap();
            let inside = |path: &Path| {
                path.canonicalize().map_or(!path.starts_with("/etc"), |it| it.starts_with(&root))
            };
            for differences in [true, false] {
                assert_eq!(special(&root, differences, inside), wanted, "{how}: {config}");
            }
        }
    }
}

#[test]
fn an_index_that_cannot_be_read_makes_a_repository_special() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let whole = index(2, "lib");
    for broken in [whole.get(..whole.len() - 9).unwrap(), b"DIRC\0\0\0\x05\0\0\0\0", b"x"] {
        std::fs::write(folder.path().join(".git/index"), broken).unwrap();
        assert_eq!(special(folder.path(), false, |_| true), Some(Special::RunsPrograms));
    }
    std::fs::write(folder.path().join(".git/index"), whole).unwrap();
    assert_eq!(special(folder.path(), false, |_| true), None);
}

#[test]
fn quotes_and_line_ends_cannot_hide_a_program() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    for config in [
        "[format]\n\tpretty = %\"\"G?\n",
        "[format]\n\tpretty = %\\\nG?\n",
        "[merge \"x\"]\n\tDriver = evil\n",
    ] {
        std::fs::write(folder.path().join(".git/config"), config).unwrap();
        assert_eq!(special(folder.path(), true, |_| true), Some(Special::RunsPrograms), "{config}");
    }
    std::fs::write(folder.path().join(".git/config"), "[remote]\n\turl = x/driver\n").unwrap();
    assert_eq!(special(folder.path(), true, |_| true), None);
}
