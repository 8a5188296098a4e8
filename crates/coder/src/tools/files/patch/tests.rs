use super::{FilePatch, Patch, patched};

/// The text of a file after a patch with these hunks.
fn after(hunks: &str, text: &str) -> Result<String, String> {
    let patch =
        Patch::parse(&format!("*** Begin Patch\n*** Update File: f\n{hunks}\n*** End Patch"))?;
    let [FilePatch::Update { hunks, .. }] = patch.files.as_slice() else { panic!("{patch:?}") };
    patched(hunks, text, "f")
}

#[test]
fn patch_creates_changes_moves_and_deletes_files() {
    let patch = Patch::parse(
        "Here it is:\n```\n*** Begin Patch\n*** Add File: new file.txt\n+a\n+\n+  b\n*** Delete File: gone\n\n\
         *** Update File: old\n*** Move to: below/new\n@@ fn a() {\n-x\n+y\n*** Update File: only\n*** Move to: moved\n*** End Patch\n```\n",
    );
    let files = patch.unwrap().files;
    assert_eq!(files[0], FilePatch::Add { path: "new file.txt".into(), text: "a\n\n  b\n".into() });
    assert_eq!(files[1], FilePatch::Delete { path: "gone".into() });
    assert_eq!(files[2].paths().collect::<Vec<_>>(), ["old", "below/new"]);
    assert_eq!(files[3].paths().collect::<Vec<_>>(), ["only", "moved"]);
}

#[test]
fn parse_error_names_its_line() {
    for (text, said) in [
        ("", "does not begin with a line *** Begin Patch"),
        ("*** Begin Patch\n", "does not end with a line *** End Patch"),
        ("*** Begin Patch\n*** End Patch", "names no file"),
        (
            "*** Begin Patch\nx\n*** End Patch",
            "line 2 of the patch, `x`, comes before the first file",
        ),
        (
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
            "line 3 of the patch, `x`, must begin with +",
        ),
        (
            "*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch",
            "belongs to a file that is deleted",
        ),
        (
            "*** Begin Patch\n*** Update File: a\nx\n*** End Patch",
            "must begin with a space, - or +",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch",
            "before the first hunk",
        ),
        ("*** Begin Patch\n*** Update File: a\n*** End Patch", "changes nothing in a"),
        ("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch", "changes nothing in a"),
        (
            "*** Begin Patch\n*** Update File: a\n+x\n*** End of File\n+y\n*** End Patch",
            "after the end",
        ),
        ("*** Begin Patch\n*** Rename File: a\n*** End Patch", "comes before the first file"),
    ] {
        let why = Patch::parse(text).unwrap_err();
        assert!(why.contains(said), "{text:?}: {why}");
    }
}

#[test]
fn hunks_apply_from_top_to_bottom() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    for (hunks, expected) in [
        ("@@\n fn a() {\n-    one();\n+    two();\n }", text.replacen("one", "two", 1)),
        (
            "@@ fn b() {\n-    one();\n+    two();",
            "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n".into(),
        ),
        (" fn a() {\n-    one();\n@@ fn b() {\n-    one();", "fn a() {\n}\n\nfn b() {\n}\n".into()),
        (
            "@@ fn b() {\n+    new();",
            "fn a() {\n    one();\n}\n\nfn b() {\n    new();\n    one();\n}\n".into(),
        ),
        ("+// end", format!("{text}// end\n")),
        ("@@ -1,3 +1,3 @@\n-fn a() {\n+fn x() {", text.replace("fn a", "fn x")),
        ("-    one();\n-}\n*** End of File", "fn a() {\n    one();\n}\n\nfn b() {\n".into()),
        (
            "@@ fn b() {\n@@ one();\n+    new();",
            text.replacen(
                "}\n\nfn b() {\n    one();\n",
                "}\n\nfn b() {\n    one();\n    new();\n",
                1,
            ),
        ),
        ("@@\n fn a() {\n     one();\n }\n\n-fn b() {\n+fn c() {", text.replace("fn b", "fn c")),
    ] {
        assert_eq!(after(hunks, text), Ok(expected), "{hunks}");
    }
}

#[test]
fn hunk_without_a_unique_place_is_refused() {
    let text = "a\nsame\nb\nsame\n";
    for (hunks, said) in [
        ("-same\n+other", "hunk 1 for f has 2 places"),
        (
            "-none\n+other",
            "hunk 1 for f has no place: the file does not contain its lines from `none`",
        ),
        ("-a\n+c\n@@ none\n-same", "hunk 2 for f follows `none`, which is not in the file"),
        ("-b\n+c\n@@\n-a\n+d", "hunk 2 for f has no place"),
        ("-a\n*** End of File", "hunk 1 for f has no place"),
        ("- a\n+c", "no place"),
        (&format!("-a\n{}", "-x\n".repeat(9)), "no place"),
    ] {
        let why = after(hunks, text).unwrap_err();
        assert!(why.contains(said), "{hunks}: {why}");
    }
    assert_eq!(after("-same\n+other\n*** End of File", text), Ok("a\nsame\nb\nother\n".into()));
    assert!(after("-a", "").unwrap_err().contains("no place"));
}

#[test]
fn only_trailing_white_space_may_differ_and_kept_lines_are_unchanged() {
    let text = "a  \r\n\tb\t\nc\r\nd";
    assert_eq!(after(" a\n-\tb\n+\tB\n c", text), Ok("a  \r\n\tB\nc\r\nd".into()));
    assert!(after("-b\n+B", text).is_err(), "indentation counts");
    assert_eq!(after("-c\n+C\n+C2", text), Ok("a  \r\n\tb\t\nC\r\nC2\r\nd".into()), "ends stay");
    assert_eq!(
        after("-d\n+D", text),
        Ok("a  \r\n\tb\t\nc\r\nD".into()),
        "a missing last line end stays missing"
    );
    assert_eq!(after(" d\n+e", "c\nd"), Ok("c\nd\ne".into()));
    assert_eq!(after("-d", "c\r\nd"), Ok("c".into()));
    assert_eq!(after("-a\n-b", "a\nb\n"), Ok(String::new()));
    assert_eq!(after("+a", ""), Ok("a\n".into()));
    assert!(after("-a\n+b", "\u{feff}a\n").is_err(), "the mark belongs to the first line");
}
