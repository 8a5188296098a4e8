//! The lists of commands and files.

use super::super::{Composer, ComposerEvent, SlashCommand};
use super::{names, press, sent, shown};
use crate::popup::FileFinder;
use std::sync::Arc;

#[test]
fn commands_are_offered() {
    let mut composer = Composer::default();
    let command = |name: &str, hint: &str| SlashCommand {
        name: name.to_owned(),
        description: format!("do {name}"),
        hint: hint.to_owned(),
    };
    composer.set_commands(vec![
        command("help", ""),
        command("model", "NAME"),
        command("mouse", ""),
    ]);
    press(&mut composer, "/");
    assert_eq!(names(&mut composer), ["/help", "/model", "/mouse"]);
    press(&mut composer, "mo<down>");
    assert_eq!(names(&mut composer), ["/model", "/mouse"]);
    press(&mut composer, "<tab>");
    assert_eq!(shown(&composer), "/mouse |");
    assert_eq!(names(&mut composer), [""; 0]);
    composer.clear();
    // A command without arguments is sent at once.
    assert_eq!(sent(press(&mut composer, "/he\n")), "/help ");
    press(&mut composer, "/mod\n");
    assert_eq!(shown(&composer), "/model |");
    composer.clear();
    assert_eq!(sent(press(&mut composer, "/help\n")), "/help");
    // Esc closes the list for this word.
    press(&mut composer, "/h<esc>e");
    assert_eq!(names(&mut composer), [""; 0]);
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Ignored);
    for keys in ["/zzz", "a /h", "/usr/bin", "!/h", "/help x"] {
        composer.clear();
        press(&mut composer, keys);
        assert_eq!(names(&mut composer), [""; 0], "{keys}");
    }
}

#[test]
fn files_are_offered() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.rs", "my file.txt", "@odd.rs"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let notify = move || {
        // A full channel already has a notice.
        let _ = sender.try_send(());
    };
    let mut composer = Composer::default();
    composer.set_files(Some(FileFinder::start(folder.path(), Arc::new(notify)).unwrap()));
    for (typed, name, expected) in [
        ("see @ma", "main.rs", "see @main.rs |"),
        ("(@main<left><left>", "main.rs", "(@main.rs |in"),
        ("@myf", "my file.txt", "@\"my file.txt\" |"),
        ("@\"my fi", "my file.txt", "@\"my file.txt\" |"),
        ("@odd", "@odd.rs", "@\"@odd.rs\" |"),
    ] {
        composer.clear();
        press(&mut composer, typed);
        while !composer.poll() || names(&mut composer) != [name] {
            receiver.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        }
        press(&mut composer, "<tab>");
        assert_eq!(shown(&composer), expected, "{typed}");
        assert!(composer.popup().is_none());
    }
    for keys in ["me@main", "@ main", "!cat @main"] {
        composer.clear();
        press(&mut composer, keys);
        assert!(composer.popup().is_none(), "{keys}");
    }
}
