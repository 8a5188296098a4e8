//! Checkpoints of the folders of sessions: when a hub takes them, and what it restores.

use crate::started::{Started, idle, started_with, texts, until};
use attache_checkpoint::{
    Goal, Reason, RestoreControl, RestoreError, Store, StoreOptions, Summary,
};
use attache_client::{
    Change, CheckpointError, CheckpointMoment, CheckpointOptions, Hub, HubOptions, HubSession,
};
use attache_session::{MemoryStore, TurnState};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A hub with checkpoints, whose store is in a folder of its own.
pub(crate) struct Kept {
    pub(crate) it: Started,
    pub(crate) store: Store,
    _folder: tempfile::TempDir,
}

pub(crate) fn options(store: &Store) -> HubOptions {
    let checkpoints = CheckpointOptions::new(store.clone()).wait(Duration::from_secs(20));
    HubOptions::default().store(Arc::new(MemoryStore::default())).checkpoints(checkpoints)
}

pub(crate) async fn kept() -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("checkpoints"), StoreOptions::default()).unwrap();
    let it = started_with(options(&store), json!({}), json!({ "sessionId": "s1" })).await;
    Kept { it, store, _folder: folder }
}

impl Kept {
    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.it.folder.path().join(name)
    }

    /// Runs a turn in which `work` changes files.
    pub(crate) async fn turn(&mut self, prompt: &str, work: impl FnOnce(&Path)) {
        self.it.session.send(prompt).unwrap();
        let (call, _) = self.it.agent.prompted().await;
        work(self.it.folder.path());
        let before = taken(&self.it.session).await.len();
        self.it.agent.end_turn(&call).await;
        idle(&self.it.session).await;
        take_ended(&self.it.session, before + 1).await;
    }
}

pub(crate) async fn taken(session: &HubSession) -> Vec<Summary> {
    session.checkpoints().await.unwrap()
}

/// Waits until the session has this many checkpoints.
pub(crate) async fn take_ended(session: &HubSession, count: usize) {
    while taken(session).await.len() < count {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[tokio::test]
async fn checkpoints_are_taken_around_turns_and_watchers_learn_of_them() {
    let mut it = kept().await;
    let mut watch = it.it.session.watch();
    take_ended(&it.it.session, 1).await;
    fs::write(it.path("mine"), "by the person").unwrap();
    it.turn("make it\nplease", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let taken = taken(&it.it.session).await;
    let found: Vec<_> =
        taken.iter().map(|each| (each.label.reason, each.label.turn, each.changed)).collect();
    let expected = [
        (Reason::SessionStart, None),
        (Reason::BeforePrompt, Some(1)),
        (Reason::AfterTurn, Some(1)),
    ];
    let of = |index: usize| (found[index].0, found[index].1);
    assert_eq!([of(0), of(1), of(2)], expected, "{found:?}");
    assert!(found[1].2 > 0 && found[2].2 > 0, "both changed a file: {found:?}");
    assert_eq!(taken[1].label.title, "make it");
    let position = |index: usize| taken[index].label.position.unwrap();
    assert!(position(1) < position(2));
    assert!(taken.iter().all(|each| each.complete));
    let mut told = Vec::new();
    while told.len() < 3 {
        for change in watch.next().await.unwrap().changes {
            if let Change::Checkpoint(checkpoint) = change {
                told.push((checkpoint.moment, checkpoint.id, checkpoint.complete));
            }
        }
    }
    assert_eq!(told[2], (CheckpointMoment::AfterTurn, taken[2].id.to_string(), true));
    let all = it.it.session.changes_since(&Default::default()).changes;
    let count = all.iter().filter(|change| matches!(change, Change::Checkpoint(_))).count();
    assert_eq!(count, 3, "a new watcher learns of them too");
}

/// A review that is read as soon as the turn is over contains what the turn changed.
#[tokio::test(flavor = "multi_thread")]
async fn a_review_waits_for_the_checkpoint_after_the_turn() {
    let mut it = kept().await;
    let session = it.it.session.clone();
    session.send("go").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    fs::write(it.path("made"), "1").unwrap();
    it.it.agent.end_turn(&call).await;
    while session.snapshot().turn() != TurnState::Idle {
        tokio::task::yield_now().await;
    }
    let review = session.review(1, u64::MAX).await.unwrap();
    assert_eq!(review.files.len(), 1, "{review:#?}");
}

#[tokio::test]
async fn a_restore_reverts_the_turn_and_keeps_what_others_changed() {
    let mut it = kept().await;
    fs::write(it.path("kept"), "old").unwrap();
    it.turn("go", |folder| {
        fs::write(folder.join("kept"), "new").unwrap();
        fs::write(folder.join("made"), "1").unwrap();
    })
    .await;
    fs::write(it.path("mine"), "by the person").unwrap();
    let session = it.it.session.clone();
    let before = session.checkpoint_before(1).await.unwrap().unwrap();
    let plan = session.preview(Goal::Since(before)).await.unwrap();
    assert_eq!(plan.restored().count(), 2, "{plan:#?}");
    let restored = session.restore(plan, &RestoreControl::default()).await.unwrap();
    assert_eq!(restored.done.len(), 2, "{restored:#?}");
    assert_eq!(read(&it.path("kept")).as_deref(), Some("old"));
    assert_eq!(read(&it.path("made")), None);
    assert_eq!(read(&it.path("mine")).as_deref(), Some("by the person"));
    let undo = session.preview_undo().await.unwrap();
    session.restore(undo, &RestoreControl::default()).await.unwrap();
    assert_eq!(read(&it.path("kept")).as_deref(), Some("new"));
    assert_eq!(read(&it.path("made")).as_deref(), Some("1"));
}

#[tokio::test]
async fn nothing_is_restored_while_a_turn_runs() {
    let mut it = kept().await;
    it.turn("go", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let session = it.it.session.clone();
    let before = session.checkpoint_before(1).await.unwrap().unwrap();
    let plan = session.preview(Goal::Since(before)).await.unwrap();
    session.send("more").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    assert!(matches!(
        session.restore(plan, &RestoreControl::default()).await,
        Err(CheckpointError::TurnRuns)
    ));
    it.it.agent.end_turn(&call).await;
    idle(&session).await;
}

#[tokio::test]
async fn a_stopped_restore_changes_nothing_more_and_can_be_made_again() {
    let mut it = kept().await;
    it.turn("go", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let session = it.it.session.clone();
    let before = session.checkpoint_before(1).await.unwrap().unwrap();
    let plan = session.preview(Goal::Since(before)).await.unwrap();
    let control = RestoreControl::default();
    control.stop();
    let stopped = session.restore(plan.clone(), &control).await;
    let is_stopped = |error| matches!(error, CheckpointError::Restore(RestoreError::Stopped));
    assert!(stopped.is_err_and(is_stopped));
    let undone = session.undo_turn(false, &control).await;
    assert!(undone.is_err_and(is_stopped));
    let review = session.review(1, 1).await.unwrap();
    let hunks = review.files[0].hunks.iter().map(|hunk| hunk.hunk.key.clone()).collect();
    let rejection = session.preview_rejection(&review, hunks).await.unwrap();
    let rejected = session.reject_hunks(review, rejection, &control).await;
    assert!(rejected.is_err_and(is_stopped));
    assert_eq!(read(&it.path("made")).as_deref(), Some("1"));
    session.restore(plan, &RestoreControl::default()).await.unwrap();
    assert_eq!(read(&it.path("made")), None);
}

#[tokio::test]
async fn undo_goes_back_turn_by_turn() {
    let mut it = kept().await;
    for turn in ["one", "two"] {
        it.turn(turn, |folder| fs::write(folder.join("f"), turn).unwrap()).await;
    }
    it.turn("three", |_| {}).await;
    let session = it.it.session.clone();
    let undone = session.undo_turn(false, &RestoreControl::default()).await.unwrap();
    assert_eq!(undone.prompt.as_deref(), Some("two"));
    assert_eq!(read(&it.path("f")).as_deref(), Some("one"));
    let undone = session.undo_turn(false, &RestoreControl::default()).await.unwrap();
    assert_eq!(undone.prompt.as_deref(), Some("one"), "{undone}");
    assert_eq!(read(&it.path("f")), None);
    assert_eq!(session.undo_turn(false, &RestoreControl::default()).await.unwrap().prompt, None);
}

#[tokio::test]
async fn a_large_file_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut small = StoreOptions::default();
    small.file_limit = 10;
    let store = Store::open(&folder.path().join("checkpoints"), small).unwrap();
    let it = started_with(options(&store), json!({}), json!({ "sessionId": "s1" })).await;
    let mut it = Kept { it, store, _folder: folder };
    fs::write(it.path("large"), "more than ten bytes").unwrap();
    for prompt in ["one", "two"] {
        it.turn(prompt, |_| {}).await;
    }
    until(&it.it.session, |session| texts(session).iter().any(|text| text.contains("checkpoint")))
        .await;
    let shown = texts(&it.it.session);
    let told = shown.iter().filter(|text| text.contains("not in the checkpoint")).count();
    assert_eq!(told, 1, "{shown:?}");
}

#[tokio::test]
async fn a_refused_folder_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("c"), StoreOptions::default()).unwrap();
    let hub = Hub::new(options(&store));
    let (source, mut starts) = crate::started::scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({})).await;
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
        agent
    };
    let (session, mut agent) = tokio::join!(hub.open("a", "/").into_future(), answering);
    let session = session.unwrap();
    for _ in 0..2 {
        session.send("go").unwrap();
        let (call, _) = agent.prompted().await;
        agent.end_turn(&call).await;
        idle(&session).await;
    }
    let shown = texts(&session);
    let told = shown.iter().filter(|text| text.contains("No checkpoints are taken here")).count();
    assert_eq!(told, 1, "{shown:?}");
    assert!(store.list(None).unwrap().is_empty());
}

#[tokio::test]
async fn an_unused_session_leaves_no_checkpoints() {
    let it = kept().await;
    take_ended(&it.it.session, 1).await;
    it.it.hub.close().await;
    assert!(it.store.list(None).unwrap().is_empty());
}

#[tokio::test]
async fn closing_the_hub_waits_for_the_checkpoint_after_the_turn() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    fs::write(it.path("made"), "1").unwrap();
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
    it.it.hub.close().await;
    let last = it.store.list(None).unwrap().pop().unwrap();
    assert_eq!((last.label.reason, last.complete), (Reason::AfterTurn, true));
}

#[tokio::test]
async fn a_dead_agent_ends_its_turn_with_a_checkpoint() {
    let mut it = kept().await;
    it.it.session.send("go").unwrap();
    let _ = it.it.agent.prompted().await;
    fs::write(it.path("made"), "1").unwrap();
    let Kept { it: Started { agent, session, .. }, .. } = it;
    drop(agent);
    take_ended(&session, 3).await;
    assert_eq!(taken(&session).await[2].label.reason, Reason::AfterTurn);
}

#[tokio::test]
async fn a_rejected_hunk_is_reverted_and_the_agent_learns_of_it() {
    let mut it = kept().await;
    let lines = |changed: [&str; 2]| {
        let [first, last] = changed;
        format!("{first}\n{}{last}\n", "same\n".repeat(20))
    };
    fs::write(it.path("f"), lines(["a", "z"])).unwrap();
    let new = lines(["A", "Z"]);
    it.turn("capitals", |folder| fs::write(folder.join("f"), new).unwrap()).await;
    let session = it.it.session.clone();
    let review = session.review(1, u64::MAX).await.unwrap();
    let hunks = &review.files[0].hunks;
    assert_eq!(hunks.len(), 2, "{review:#?}");
    let (first, last) = (hunks[0].hunk.key.clone(), hunks[1].hunk.key.clone());
    session.accept_hunks(review.clone(), [last].into()).await.unwrap();
    let plan = session.preview_rejection(&review, [first].into()).await.unwrap();
    session.reject_hunks(review, plan, &RestoreControl::default()).await.unwrap();
    assert_eq!(read(&it.path("f")), Some(lines(["a", "Z"])));
    assert!(session.tell_decisions().await.unwrap());
    session.send("go on").unwrap();
    let call = it.it.agent.expect("session/prompt").await;
    let prompt = call["params"]["prompt"].as_array().unwrap();
    assert!(prompt[0]["text"].as_str().unwrap().contains("reviewed your changes"), "{call}");
    assert_eq!(prompt[1]["text"], "go on");
    it.it.agent.end_turn(&call).await;
    idle(&session).await;
    assert!(!session.tell_decisions().await.unwrap(), "once is enough");
}

#[tokio::test]
async fn a_prompt_does_not_wait_longer_than_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("c"), StoreOptions::default()).unwrap();
    let checkpoints = CheckpointOptions::new(store.clone()).wait(Duration::ZERO);
    let options = HubOptions::default().checkpoints(checkpoints);
    let it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    let mut it = Kept { it, store, _folder: folder };
    for number in 0..200 {
        fs::write(it.path(&format!("f{number}")), "old").unwrap();
    }
    it.it.session.send("go").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    for number in 0..200 {
        fs::write(it.path(&format!("f{number}")), "new").unwrap();
    }
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
    take_ended(&it.it.session, 3).await;
    let taken = taken(&it.it.session).await;
    let before = taken.iter().find(|each| each.label.reason == Reason::BeforePrompt).unwrap();
    let tree = it.store.tree(before.id).unwrap();
    for (path, entry) in tree.iter() {
        if let attache_checkpoint::Entry::File { content, .. } = entry {
            let kept = it.store.content(*content).unwrap();
            assert_eq!(kept, b"old", "{path} was read after the prompt was sent");
        }
    }
}
