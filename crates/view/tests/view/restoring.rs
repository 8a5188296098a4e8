//! What a restore did, in words.

use attache_checkpoint::{KeptReason, Restored, TreePath};
use attache_view::{NoticeLevel, restore_notices};

#[test]
fn a_stopped_restore_says_in_one_line_how_much_is_left() {
    let kept = |name: &str, why| (TreePath::new(0, name), why);
    let stopped = (0..300).map(|number| kept(&format!("f{number}"), KeptReason::Stopped));
    let restored = Restored {
        id: "0m9k2c4d1".parse().unwrap(),
        after: None,
        roots: Vec::new(),
        done: vec![TreePath::new(0, "a")],
        kept: stopped.chain([kept("mine", KeptReason::ChangedSincePreview)]).collect(),
        failed: Vec::new(),
        is_interrupted: false,
        unopened: None,
    };
    let notices = restore_notices("restored 1 file", &restored);
    let texts: Vec<&str> = notices.iter().map(|(_, text)| text.as_str()).collect();
    let expected = [
        "restored 1 file",
        "stopped: 300 files not restored; repeat this to restore them",
        "mine stays as it was: it changed after the preview",
    ];
    assert_eq!(texts, expected);
    assert!(notices.iter().skip(1).all(|(level, _)| *level == NoticeLevel::Warning));
}
