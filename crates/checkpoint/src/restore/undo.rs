//! Undoes the changes of an owner to one path, and keeps the changes of others.

use crate::attribution::author::Author;
use crate::attribution::timeline::Step;
use crate::changes::contents::Contents;
use crate::changes::hunk::{Counter, Divided, Pair, Remaining, divide};
use crate::changes::merge::merge;
use crate::changes::state::State;
use crate::restore::kept::KeptReason;
use crate::restore::value::Value;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;

/// Changes of one owner to a path with no change of others in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) before: State,
    pub(crate) after: State,
    /// The checkpoint before the first change.
    pub(crate) from: CheckpointId,
    /// The checkpoint after the last change.
    pub(crate) until: CheckpointId,
}

impl Run {
    pub(crate) fn pair<'a>(&'a self, path: &'a TreePath) -> Pair<'a> {
        Pair { path, before: self.before.entry(), after: self.after.entry() }
    }
}

/// Leaves out the steps that led back to an earlier state, because nothing of them remains.
pub(crate) fn without_loops(steps: Vec<Step>) -> Vec<Step> {
    let mut kept: Vec<Step> = Vec::new();
    for step in steps {
        kept.push(step);
        let Some(end) = kept.last().map(|last| last.after.clone()) else { continue };
        if let Some(start) = kept.iter().position(|each| each.before.is_same(&end)) {
            kept.truncate(start);
        }
    }
    kept
}

/// Joins neighbouring steps that are chosen.
pub(crate) fn runs(steps: &[Step], is_chosen: &dyn Fn(&Step) -> bool) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut continues = false;
    for step in steps {
        if !is_chosen(step) {
            continues = false;
            continue;
        }
        match runs.last_mut().filter(|_| continues) {
            Some(run) => (run.after, run.until) = (step.after.clone(), step.until),
            None => runs.push(Run {
                before: step.before.clone(),
                after: step.after.clone(),
                from: step.from,
                until: step.until,
            }),
        }
        continues = true;
    }
    runs
}

/// Returns the runs of an owner that a review shows, and whether their author is not known: then
/// the owner has no run of its own. `steps` are those of the reviewed turns, without loops.
pub(crate) fn reviewed_runs(steps: &[Step], owner: &str) -> (Vec<Run>, bool) {
    let own = runs(steps, &|step| step.author.is_owner(owner));
    match own.is_empty() {
        true => (runs(steps, &|step| step.author == Author::Shared), true),
        false => (own, false),
    }
}

/// Divides the runs of a path into hunks, from the oldest to the newest.
pub(crate) fn divided(
    path: &TreePath,
    runs: &[Run],
    renamed: Option<&TreePath>,
    contents: &dyn Contents,
) -> Result<Vec<Divided>, StoreError> {
    let mut counter = Counter::default();
    runs.iter().map(|run| divide(run.pair(path), renamed, contents, &mut counter)).collect()
}

/// Undoes runs of a path, the newest first, beginning with its present value. Something may remain
/// of each. Returns why the path stays as it is if that is not possible.
pub(crate) fn undo<'a>(
    runs: impl DoubleEndedIterator<Item = (&'a Run, Remaining)>,
    present: Value,
    contents: &dyn Contents,
) -> Result<Result<Value, KeptReason>, StoreError> {
    let mut value = present;
    for (run, remaining) in runs.rev() {
        let wanted = match remaining {
            Remaining::All => continue,
            Remaining::Nothing => Value::from(run.before.clone()),
            Remaining::Text(content, mode) => Value::file(content, mode),
        };
        value = match revert(&run.after, value, wanted, contents)? {
            Ok(value) => value,
            Err(why) => return Ok(Err(why)),
        };
    }
    Ok(Ok(value))
}

/// Applies to `current` the change that leads from `base` to `wanted`.
pub(crate) fn revert(
    base: &State,
    current: Value,
    wanted: Value,
    contents: &dyn Contents,
) -> Result<Result<Value, KeptReason>, StoreError> {
    if current.state.is_same(&wanted.state) {
        return Ok(Ok(current));
    }
    let kept = match &wanted.state {
        State::Unknown => Some(KeptReason::Unknown),
        State::Present(Entry::Special { .. }) => Some(KeptReason::Special),
        State::Present(entry) => {
            entry.not_kept().map(|reason| KeptReason::NotInCheckpoint { reason })
        }
        State::Absent => None,
    };
    if let Some(why) = kept {
        return Ok(Err(why));
    }
    if current.state.is_same(base) {
        return Ok(Ok(wanted));
    }
    let (Some(old), Some(now), Some(new)) =
        (base.entry(), current.state.entry(), wanted.state.entry())
    else {
        return Ok(Err(KeptReason::Conflict));
    };
    let modes = (old.mode(), now.mode(), new.mode());
    let (Some(old_mode), Some(now_mode), Some(new_mode)) = modes else {
        return Ok(Err(KeptReason::Conflict));
    };
    let mode = match (old_mode, now_mode, new_mode) {
        (old, now, new) if old == now => new,
        (old, now, new) if old == new || now == new => now,
        _ => return Ok(Err(KeptReason::Conflict)),
    };
    match (old, now, new) {
        (Entry::Folder { .. }, Entry::Folder { .. }, Entry::Folder { .. }) => {
            Ok(Ok(current.with_mode(mode)))
        }
        (Entry::File { .. }, Entry::File { .. }, Entry::File { .. }) => {
            merged(base, current, wanted, mode, contents)
        }
        _ => Ok(Err(KeptReason::Conflict)),
    }
}

fn merged(
    base: &State,
    current: Value,
    wanted: Value,
    mode: u32,
    contents: &dyn Contents,
) -> Result<Result<Value, KeptReason>, StoreError> {
    let id = |state: &State| state.entry().and_then(Entry::content);
    let (old, now, new) = (id(base), id(&current.state), id(&wanted.state));
    if old == new || now == new {
        return Ok(Ok(current.with_mode(mode)));
    }
    if old == now {
        return Ok(Ok(wanted.with_mode(mode)));
    }
    let base = Value::from(base.clone()).content(contents)?;
    let (now, new) = (current.content(contents)?, wanted.content(contents)?);
    Ok(merge(&base, &now, &new)
        .map(|content| Value::file(content, mode))
        .ok_or(KeptReason::Conflict))
}

#[cfg(test)]
mod tests {
    use super::{runs, undo, without_loops};
    use crate::attribution::author::Author;
    use crate::attribution::timeline::Step;
    use crate::changes::hunk::Remaining;
    use crate::changes::state::State;
    use crate::restore::kept::KeptReason;
    use crate::restore::value::Value;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::Entry;
    use crate::store::id::CheckpointId;
    use std::collections::HashMap;

    /// A file with this text, or none for "-".
    fn state(text: &str) -> State {
        let bytes = text.as_bytes();
        let file =
            Entry::File { content: ContentId::of(bytes), size: bytes.len() as u64, mode: 0o644 };
        if text == "-" { State::Absent } else { State::Present(file) }
    }

    /// The states of a file: `("x", text)` if the owner made it so, `("p", text)` if others did.
    fn history(first: &str, steps: &[(&str, &str)]) -> Vec<Step> {
        let mut before = state(first);
        let mut history = Vec::new();
        for ((who, text), number) in steps.iter().zip(0..) {
            let after = state(text);
            let author = match *who {
                "x" => Author::Turn { owner: "x".into(), turn: Some(number) },
                _ => Author::Person,
            };
            let from = CheckpointId::from_number(number);
            let until = CheckpointId::from_number(number + 1);
            history.push(Step { before, after: after.clone(), author, from, until });
            before = after;
        }
        history
    }

    fn undone(first: &str, steps: &[(&str, &str)]) -> Result<String, KeptReason> {
        let mut contents: HashMap<ContentId, Vec<u8>> = HashMap::new();
        for text in steps.iter().map(|each| each.1).chain([first]) {
            contents.insert(ContentId::of(text.as_bytes()), text.as_bytes().to_vec());
        }
        let present = Value::from(state(steps.last().unwrap().1));
        let steps = without_loops(history(first, steps));
        let runs = runs(&steps, &|step| step.author.is_owner("x"));
        let whole = runs.iter().map(|run| (run, Remaining::Nothing));
        let value = undo(whole, present, &contents).unwrap()?;
        Ok(match value.state {
            State::Absent => "-".to_owned(),
            _ => String::from_utf8(value.content(&contents).unwrap()).unwrap(),
        })
    }

    #[test]
    fn turns_without_changes_of_others_lead_exactly_back() {
        assert_eq!(undone("a\0", &[("x", "b\0"), ("x", "-"), ("x", "c")]).unwrap(), "a\0");
        assert_eq!(undone("-", &[("x", "b")]).unwrap(), "-");
        assert_eq!(undone("a", &[("x", "-")]).unwrap(), "a");
    }

    #[test]
    fn lines_of_others_are_kept() {
        let person = [("x", "A\nb\nc\n"), ("p", "A\nb\nC\n"), ("x", "A\nb\nC\nd\ne\n")];
        assert_eq!(undone("a\nb\nc\n", &person).unwrap(), "a\nb\nC\n");
        let same_line = [("x", "x\n"), ("p", "y\n")];
        assert_eq!(undone("a\n", &same_line), Err(KeptReason::Conflict));
        assert_eq!(undone("-", &[("x", "x\n"), ("p", "y\n")]), Err(KeptReason::Conflict));
        assert_eq!(undone("a", &[("x", "b"), ("p", "-")]), Err(KeptReason::Conflict));
        assert_eq!(undone("a", &[("p", "b")]).unwrap(), "b");
    }

    #[test]
    fn changes_that_were_taken_back_do_not_count() {
        let there_and_back = [("x", "x"), ("p", "y"), ("x", "a")];
        assert_eq!(undone("a", &there_and_back).unwrap(), "a");
        let again = [("x", "x"), ("p", "a"), ("x", "z")];
        assert_eq!(undone("a", &again).unwrap(), "a");
        let by_person = [("x", "x"), ("p", "a"), ("p", "x")];
        assert_eq!(undone("a", &by_person).unwrap(), "x");
    }
}
