//! Restores that an earlier run left unfinished.

use crate::folder_checkpoints::{Kept, kept, options};
use crate::started::{scripted, texts, until};
use attache_checkpoint::{Goal, Restorer};
use attache_client::Hub;
use attache_session::EntryContent;
use serde_json::json;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A session in which a turn created the files `one` and `two`, and a restore that died before its
/// first change.
async fn interrupted() -> Kept {
    let mut it = kept().await;
    it.turn("go", |folder| {
        for name in ["one", "two"] {
            fs::write(folder.join(name), "new").unwrap();
        }
    })
    .await;
    let before = it.it.session.checkpoint_before(1).await.unwrap().unwrap();
    let plan = it.it.session.preview(Goal::Since(before)).await.unwrap();
    let dies = |_: attache_checkpoint::Progress<'_>| panic!("this run dies");
    let restoring = || Restorer::new(&it.store).with_progress(&dies).restore(&plan);
    assert!(catch_unwind(AssertUnwindSafe(restoring)).is_err());
    it
}

/// Opens a session in another hub, and returns the title and the description of its first notice.
async fn first_notice(it: &Kept, folder: &Path) -> (String, Option<String>) {
    let hub = Hub::new(options(&it.store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({})).await;
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent
    };
    let (session, _agent) = tokio::join!(hub.open("a", folder).into_future(), answering);
    let session = session.unwrap();
    until(&session, |session| !texts(session).is_empty()).await;
    let shown = session.snapshot();
    let EntryContent::Notice(notice) = &shown.entries()[0].content else { panic!("{shown:?}") };
    (notice.title.clone(), notice.description.clone())
}

#[tokio::test]
async fn files_that_a_completed_restore_leaves_are_reported() {
    let it = interrupted().await;
    fs::write(it.path("two"), "by the person").unwrap();
    let (title, description) = first_notice(&it, it.it.folder.path()).await;
    assert_eq!(title, "An interrupted restore was completed: 1 file; 1 file was not restored");
    assert_eq!(description.as_deref(), Some("two: it changed after the preview"));
    assert!(!it.path("one").exists() && it.path("two").exists());
}

#[tokio::test]
async fn a_restore_whose_folder_cannot_be_opened_is_reported_and_completed_later() {
    let it = interrupted().await;
    let (folder, aside) = (it.it.folder.path(), it.it.folder.path().with_extension("aside"));
    fs::rename(folder, &aside).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let (title, _) = first_notice(&it, elsewhere.path()).await;
    assert!(title.contains("could not be completed: No such file"), "{title}");
    assert!(title.contains(&*folder.to_string_lossy()), "{title}");
    fs::rename(&aside, folder).unwrap();
    let (title, _) = first_notice(&it, elsewhere.path()).await;
    assert_eq!(title, "An interrupted restore was completed: 2 files");
    assert!(!it.path("one").exists() && !it.path("two").exists());
}
