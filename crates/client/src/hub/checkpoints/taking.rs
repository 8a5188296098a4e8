//! Takes checkpoints of a session in the background.

use super::checkpoint_options::CheckpointOptions;
use super::owner::checkpoint_owner;
use super::recovery_report::RecoveryReport;
use super::running_take::RunningTake;
use crate::hub::hub_events::HubEvents;
use crate::hub::session_entry::SessionEntry;
use crate::observe::checkpoint_change::{CheckpointChange, CheckpointMoment};
use crate::session::prompt::Prompt;
use attache_checkpoint::{Budget, Label, Reason, RestoreError, Restored, Restorer, Roots, Summary};
use attache_protocol::method::Side;
use attache_protocol::v1::NoticeSeverity;
use attache_session::{Session, SessionKey, Timestamp};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// How long a checkpoint may take. A longer one is incomplete.
const LONGEST: Duration = Duration::from_secs(600);

/// The number of files that a notice about an incomplete checkpoint names.
const NAMED: usize = 20;

/// The largest number of characters of the prompt in a label.
const TITLE: usize = 120;

/// Begins the checkpoint of a session that was just opened.
pub(crate) fn session_opened(entry: &Arc<SessionEntry>) {
    begin(entry, Reason::SessionStart, None, String::new());
}

/// Takes a checkpoint of what changed since the last one, before a prompt is sent. Waits for it as
/// long as the options say, earlier checkpoints of the folders included. It then goes on in the
/// background, and does not keep files that changed after the prompt was sent.
pub(crate) async fn before_prompt(entry: &Arc<SessionEntry>, prompt: &Prompt) {
    let hub = entry.hub.upgrade();
    let Some(options) = hub.and_then(|hub| options(&*hub)) else { return };
    let title = prompt.0.iter().find_map(|block| block.as_text()).unwrap_or_default();
    let title = title.trim().lines().next().unwrap_or_default();
    let turn = entry.checkpoints.turns() + 1;
    let title = title.chars().take(TITLE).collect();
    if let Some(running) = begin(entry, Reason::BeforePrompt, Some(turn), title) {
        // After that time, the checkpoint goes on in the background.
        drop(tokio::time::timeout(options.wait, running.end()).await);
    }
}

/// Begins the checkpoint after a turn.
pub(crate) fn turn_ended(entry: &Arc<SessionEntry>) {
    begin(entry, Reason::AfterTurn, Some(entry.checkpoints.turns()), String::new());
    entry.checkpoints.turn_ended();
}

/// How checkpoints are taken; `None` if this hub takes none.
fn options(hub: &dyn HubEvents) -> Option<CheckpointOptions> {
    hub.checkpoint_options().filter(|_| !hub.is_of_shared_hub())
}

/// Begins to take a checkpoint; `None` without a store of checkpoints, or once the session is
/// closed. `turn` counts the turns of this run.
fn begin(
    entry: &Arc<SessionEntry>,
    reason: Reason,
    turn: Option<u64>,
    title: String,
) -> Option<RunningTake> {
    let hub = entry.hub.upgrade()?;
    let options = options(&*hub)?;
    let label = Label {
        owner: checkpoint_owner(&entry.agent.name, &entry.id),
        reason,
        turn,
        position: Some(entry.fold.with(Session::sequence)),
        title,
    };
    let (running, ended) = RunningTake::new();
    let earlier = entry.checkpoints.add_running(running.clone())?;
    let (entry, this) = (entry.clone(), running.clone());
    let task = async move {
        take(&entry, &options, label, &this, earlier).await;
        drop(ended);
    };
    hub.run_take(running.clone(), Box::pin(task));
    Some(running)
}

async fn take(
    entry: &Arc<SessionEntry>,
    options: &CheckpointOptions,
    mut label: Label,
    running: &RunningTake,
    earlier: Vec<RunningTake>,
) {
    let alone = async {
        // The checkpoints of a session are taken in the order in which they were begun.
        for take in earlier {
            take.end().await;
        }
        let roots = roots(entry, options).await?;
        let locks = entry.hub.upgrade()?.folder_locks();
        let alone = locks.lock(roots.paths()).await;
        Some((roots, alone))
    };
    let Some(Some((at, _alone))) = running.unless_stopped(alone).await else { return };
    label.turn = label.turn.map(|turn| turn + entry.checkpoints.earlier_turns());
    let store = options.store.clone();
    let budget = Budget::lasting(LONGEST).with_control(running.control().clone());
    let taking = tokio::task::spawn_blocking(move || store.take(&at, &label, &budget));
    // An error means that this program ends.
    let Ok(taken) = taking.await else { return };
    match taken {
        Ok(summary) => report(entry, &summary),
        Err(error) => {
            let why = error.to_string();
            if !entry.checkpoints.unreported(vec![why.clone()]).is_empty() {
                entry.say(
                    NoticeSeverity::Warning,
                    format!("A checkpoint of the files could not be taken: {why}"),
                    Some("changes since the last checkpoint cannot be undone".to_owned()),
                );
            }
        }
    }
}

/// The folders of the session; `None` if checkpoints of them are refused. The first call adds a
/// notice then.
pub(super) async fn roots(
    entry: &Arc<SessionEntry>,
    options: &CheckpointOptions,
) -> Option<Arc<Roots>> {
    let found = entry.checkpoints.roots.get_or_init(|| async {
        let folders: Vec<PathBuf> = std::iter::once(&entry.params.cwd)
            .chain(&entry.params.additional_directories)
            .cloned()
            .collect();
        let key = SessionKey {
            side: Side::Client,
            agent: entry.agent.name.clone(),
            session_id: entry.id.clone(),
        };
        let log = entry.hub.upgrade().and_then(|hub| hub.store());
        let (store, owner) = (options.store.clone(), checkpoint_owner(&key.agent, &key.session_id));
        let found = tokio::task::spawn_blocking(move || {
            let earlier = store.list(Some(&owner)).unwrap_or_default();
            let turn = earlier.iter().filter_map(|summary| summary.label.turn).max();
            let prompts = log.and_then(|log| log.summary(&key).ok()).map(|summary| summary.prompts);
            let recovered = Restorer::new(&store).recover();
            (Roots::new(&folders), recovered, turn.max(prompts).unwrap_or_default())
        });
        match found.await {
            Ok((Ok(roots), recovered, turn)) => {
                report_recovered(entry, recovered);
                entry.checkpoints.set_earlier_turns(turn);
                Some(Arc::new(roots))
            }
            Ok((Err(error), ..)) => {
                entry.say(
                    NoticeSeverity::Info,
                    format!("No checkpoints are taken here: {error}"),
                    Some("changes of the agent cannot be undone by a restore".to_owned()),
                );
                None
            }
            // This program ends.
            Err(_) => None,
        }
    });
    found.await.clone()
}

/// Tells the person of restores that an earlier run left unfinished.
fn report_recovered(entry: &SessionEntry, recovered: Result<Vec<Restored>, RestoreError>) {
    match recovered {
        Ok(restores) => {
            for restored in restores {
                let RecoveryReport { title, not_restored } = RecoveryReport::new(&restored);
                let is_whole = not_restored.is_empty() && !restored.is_interrupted;
                let severity =
                    if is_whole { NoticeSeverity::Info } else { NoticeSeverity::Warning };
                let files = (!not_restored.is_empty()).then(|| not_restored.join("\n"));
                entry.say(severity, title, files);
            }
        }
        Err(error) => {
            let title = format!("An interrupted restore could not be completed: {error}");
            entry.say(NoticeSeverity::Warning, title, None);
        }
    }
}

/// Tells the watchers of a checkpoint, and the person what it lacks.
pub(super) fn report(entry: &SessionEntry, summary: &Summary) {
    let paths = summary.not_kept.iter().map(|file| format!("{}: {}", file.path, file.why));
    let paths = entry.checkpoints.unreported(paths.collect());
    if !paths.is_empty() {
        let count = paths.len();
        let (files, them) = match count {
            1 => ("1 file is".to_owned(), "it"),
            count => (format!("{count} files are"), "them"),
        };
        let mut lines: Vec<String> = paths.into_iter().take(NAMED).collect();
        if count > NAMED {
            lines.push(format!("and {} more", count - NAMED));
        }
        let title = format!("{files} not in the checkpoint, so a restore cannot bring {them} back");
        entry.say(NoticeSeverity::Info, title, Some(lines.join("\n")));
    }
    entry.checkpoints.taken(change(summary));
    entry.touch();
}

/// The part of a summary that watchers get.
fn change(summary: &Summary) -> CheckpointChange {
    CheckpointChange {
        id: summary.id.to_string(),
        at: timestamp(summary.at),
        turn: summary.label.turn,
        moment: moment(summary.label.reason),
        files: summary.files,
        changed: summary.changed,
        complete: summary.complete,
    }
}

fn timestamp(at: std::time::SystemTime) -> Timestamp {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn moment(reason: Reason) -> CheckpointMoment {
    match reason {
        Reason::SessionStart => CheckpointMoment::SessionStart,
        Reason::BeforePrompt => CheckpointMoment::BeforePrompt,
        Reason::AfterTurn => CheckpointMoment::AfterTurn,
        Reason::BeforeRestore => CheckpointMoment::BeforeRestore,
        Reason::AfterRestore => CheckpointMoment::AfterRestore,
        _ => CheckpointMoment::Asked,
    }
}
