//! Restores that an earlier run left unfinished.

use crate::folder_checkpoints::{kept, options};
use crate::started::{scripted, texts, until};
use attache_checkpoint::{Goal, Restorer};
use attache_client::Hub;
use attache_session::EntryContent;
use serde_json::json;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[tokio::test]
async fn files_that_a_completed_restore_leaves_are_reported() {
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
    fs::write(it.path("two"), "by the person").unwrap();

    let hub = Hub::new(options(&it.store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({})).await;
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent
    };
    let (session, _agent) =
        tokio::join!(hub.open("a", it.it.folder.path()).into_future(), answering);
    let session = session.unwrap();
    until(&session, |session| !texts(session).is_empty()).await;
    let shown = session.snapshot();
    let EntryContent::Notice(notice) = &shown.entries()[0].content else { panic!("{shown:?}") };
    let title = "An interrupted restore was completed: 1 file; 1 file was not restored";
    assert_eq!(notice.title, title);
    assert_eq!(notice.description.as_deref(), Some("two: it changed after the preview"));
    assert!(!it.path("one").exists() && it.path("two").exists());
}
