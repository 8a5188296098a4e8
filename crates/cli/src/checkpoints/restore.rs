//! `attache checkpoints restore` and `undo`.

use super::arguments::{Restore, Selection, Undo};
use super::{plan, selected};
use crate::exit::{Exit, Failure};
use crate::key;
use crate::say::println;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, Paint};
use crate::signals::Signals;
use attache_checkpoint::{
    Choices, Goal, KeptReason, Plan, RestoreControl, RestoreError, RestoreRequest, Restored,
    Restorer, Store, Summary, TreePath,
};
use attache_view::{file_count, restored_path};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Brings files back to a checkpoint.
pub(super) async fn restore(store: &Arc<Store>, arguments: &Restore) -> Result<Exit, Failure> {
    let summary = selected::one(store, &arguments.id, &arguments.selection)?;
    let mut request = RestoreRequest::new(&*summary.label.owner, Goal::Since(summary.id));
    if !arguments.paths.is_empty() {
        request.selection =
            attache_checkpoint::Selection::Paths(paths(&summary, &arguments.paths)?);
    }
    let mut plan = Restorer::new(store).plan(&request)?;
    if arguments.force {
        request.choices = Choices::forcing(&plan);
        plan = Restorer::new(store).plan(&request)?;
    }
    let how =
        How { yes: arguments.yes, dry_run: arguments.dry_run, selection: &arguments.selection };
    run(store, request, plan, how).await
}

/// Reverts the last restore of the selected sessions.
pub(super) async fn undo(store: &Arc<Store>, arguments: &Undo) -> Result<Exit, Failure> {
    let taken = selected::all(store, &arguments.selection)?;
    let mut owners: Vec<&String> = taken.iter().map(|it| &it.label.owner).collect();
    owners.sort_unstable();
    owners.dedup();
    let mut last = None;
    for owner in owners {
        let restored = Restorer::new(store).restores(owner)?.pop().map(|id| (id, owner));
        last = last.max(restored);
    }
    let (id, owner) = last.ok_or_else(|| {
        Failure::usage("there is no restore to undo here: --session selects those of a session")
    })?;
    let request = RestoreRequest::new(owner.as_str(), Goal::Undo(id));
    let plan = Restorer::new(store).plan(&request)?;
    let how = How { yes: arguments.yes, dry_run: false, selection: &arguments.selection };
    run(store, request, plan, how).await
}

struct How<'a> {
    yes: bool,
    dry_run: bool,
    selection: &'a Selection,
}

/// Shows the preview, asks, and restores. Answers about protected files change the preview, which
/// is then shown again.
async fn run(
    store: &Arc<Store>,
    mut request: RestoreRequest,
    mut preview: Plan,
    how: How<'_>,
) -> Result<Exit, Failure> {
    let paint = Paint::of(&io::stdout());
    let show = |preview: &Plan| match how.selection.json {
        true => plan::objects(preview).iter().for_each(|it| println(&escaped(&it.to_string()))),
        false => plan::lines(preview, paint).iter().for_each(|line| println(line)),
    };
    if how.dry_run {
        show(&preview);
        return Ok(Exit::Done);
    }
    if !how.yes {
        if !key::can_ask() {
            return Err(Failure::usage(
                "a restore needs a terminal to confirm: pass --yes to restore, or --dry-run to see what it would do",
            ));
        }
        show(&preview);
        if ask_protected(&preview, &mut request).await? {
            preview = Restorer::new(store).plan(&request)?;
            show(&preview);
        }
    }
    if preview.restored().next().is_none() {
        if how.yes {
            show(&preview);
        }
        return Ok(exit(&preview));
    }
    if !how.yes && !agreed("restore these files?").await? {
        return Err(Failure::new(Exit::Cancelled, "nothing was restored"));
    }
    if how.yes {
        show(&preview);
    }
    let restored = restored(store, preview.clone()).await?;
    report(&restored, &preview, how.selection.json)?;
    Ok(exit(&preview))
}

/// Restores until everything is done, or until a signal stops it between two files.
async fn restored(store: &Arc<Store>, plan: Plan) -> Result<Restored, Failure> {
    let mut signals = Signals::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let control = RestoreControl::default();
    let (store, stopped) = (Arc::clone(store), control.clone());
    let mut restoring = tokio::task::spawn_blocking(move || {
        Restorer::new(&store).with_control(stopped).restore(&plan)
    });
    let restored = loop {
        tokio::select! {
            restored = &mut restoring => break restored,
            () = signals.next() => control.stop(),
        }
    };
    Ok(restored.map_err(|error| Failure::new(Exit::Internal, error))??)
}

/// Reports what a restore did otherwise than its preview said.
fn report(restored: &Restored, preview: &Plan, json: bool) -> Result<(), Failure> {
    let planned: BTreeSet<&TreePath> = preview.restored().map(|file| &file.path).collect();
    let kept = restored.kept.iter().filter(|(_, why)| *why != KeptReason::Stopped);
    for (path, why) in kept.filter(|(path, _)| planned.contains(path)) {
        say(&format!("{path} stays: {why}"))?;
    }
    for failure in &restored.failed {
        say(&format!("{} could not be restored: {}", failure.path, failure.message))?;
    }
    if restored.is_interrupted {
        let advice = "free space, then run the command again, which completes the restore";
        return Err(Failure::new(Exit::NoStore, format!("the disk is full: {advice}")));
    }
    if restored.is_stopped() {
        let done = file_count(restored.done.len());
        let advice = "`attache checkpoints undo` reverts it, and the same command continues";
        return Err(Failure::new(Exit::Cancelled, format!("stopped after {done}: {advice}")));
    }
    if !restored.failed.is_empty() {
        return Err(Failure::new(Exit::Internal, "some files could not be restored"));
    }
    if !json {
        println("restored; `attache checkpoints undo` reverts it");
    }
    Ok(())
}

/// Prints a line that is not part of the result.
fn say(text: &str) -> Result<(), Failure> {
    writeln!(io::stderr().lock(), "{text}").map_err(|error| Failure::output(&error))
}

/// Returns the exit code: files that only needed an answer are refused actions.
fn exit(plan: &Plan) -> Exit {
    match plan.kept().any(|file| file.kept == Some(KeptReason::Protected)) {
        true => Exit::NotAllowed,
        false => Exit::Done,
    }
}

/// Asks about each protected file. Returns whether any was allowed.
async fn ask_protected(plan: &Plan, request: &mut RestoreRequest) -> Result<bool, Failure> {
    let mut any = false;
    for file in plan.kept().filter(|file| file.kept == Some(KeptReason::Protected)) {
        let question = format!("{} is protected; restore it too?", restored_path(plan, file));
        if agreed(&question).await? {
            request.choices.protected.insert(file.path.clone());
            any = true;
        }
    }
    Ok(any)
}

/// Returns the paths of a checkpoint that a person named: relative to its first folder or to the
/// current one, or absolute.
pub(super) fn paths(summary: &Summary, given: &[PathBuf]) -> Result<BTreeSet<TreePath>, Failure> {
    let found = given.iter().map(|path| {
        let current = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let of_session = summary.roots.first().map(|root| root.join(path));
        let within =
            |path: &Path| TreePath::within(&summary.roots, &path.components().collect::<PathBuf>());
        let found = within(&current).or_else(|| of_session.as_deref().and_then(within));
        found.ok_or_else(|| {
            let shown = super::place::shown(path);
            Failure::usage(format!("{shown} is outside of the folders of the checkpoint"))
        })
    });
    found.collect()
}

async fn agreed(question: &str) -> Result<bool, Failure> {
    let paint = Paint::of(&io::stderr());
    let question = format!("{} [y/n] ", paint.paint(BOLD, question));
    let pressed = key::pressed(vec![b'y', b'n', 27], question).await;
    let key = pressed.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
    })?;
    let answer = if key == b'y' { "yes" } else { "no" };
    let written = writeln!(io::stderr().lock(), "{answer}");
    written.map_err(|error| Failure::output(&error))?;
    Ok(key == b'y')
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Store(error) => error.into(),
            RestoreError::Busy => Self::new(Exit::Busy, error),
            RestoreError::Stopped => Self::new(Exit::Cancelled, error),
            RestoreError::NoTurn { .. } | RestoreError::NoRestore { .. } => Self::usage(error),
            error => Self::new(Exit::NoStore, error),
        }
    }
}
