//! Known failures: only verdicts that differ from them count.

use super::report_file::write;
use crate::check::arguments::Judging;
use crate::exit::{Exit, Failure};
use attache_check::{Baseline, Judgement, KnownFailure, Verdict};
use std::fs;
use std::io;
use std::path::Path;

/// Reads the requested baseline before anything is judged.
pub(in crate::check) fn read(arguments: &Judging) -> Result<Option<Baseline>, Failure> {
    match (&arguments.baseline, &arguments.write_baseline) {
        (Some(path), _) => of_file(path).map(Some),
        // The reasons in an existing file are kept.
        (None, Some(path)) if path.exists() => of_file(path).map(Some),
        (None, _) => Ok(None),
    }
}

fn of_file(path: &Path) -> Result<Baseline, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage(format!(
            "{shown} does not exist; create it from the current failures with --write-baseline {shown}"
        )),
        _ => Failure::usage(format!("{shown} cannot be read: {error}")),
    })?;
    Baseline::read(&text).map_err(|error| Failure::usage(format!("{shown}, {error}")))
}

/// Returns the exit code and the lines about known failures.
pub(in crate::check) fn conclude(
    judgement: &Judgement,
    baseline: Option<Baseline>,
    arguments: &Judging,
) -> Result<(Exit, Vec<String>), Failure> {
    let exit = |is_fault| if is_fault { Exit::AgentFailed } else { Exit::Done };
    if let Some(path) = &arguments.write_baseline {
        write(path, &baseline.unwrap_or_default().rewritten(judgement))?;
        return Ok((Exit::Done, vec![format!("The failures are written to {}.", path.display())]));
    }
    let (Some(baseline), Some(path)) = (baseline, &arguments.baseline) else {
        return Ok((exit(judgement.is_fault()), Vec::new()));
    };
    let against = baseline.against(judgement);
    let path = path.display();
    let ids = |known: &[&KnownFailure]| {
        known.iter().map(|known| known.rule.id).collect::<Vec<_>>().join(" ")
    };
    let mut said = vec![format!("{path}: {} of the listed rules still fail.", against.known.len())];
    if !against.new.is_empty() {
        let new: Vec<&str> = against.new.iter().map(|verdict: &&Verdict| verdict.rule.id).collect();
        said.push(format!("New failures, not in the list: {}.", new.join(" ")));
    }
    if !against.healed.is_empty() {
        said.push(format!(
            "These rules pass now and can be removed from the list: {}.",
            ids(&against.healed)
        ));
    }
    if !against.untold.is_empty() {
        said.push(format!(
            "Listed rules that were not judged this time: {}.",
            ids(&against.untold)
        ));
    }
    Ok((exit(against.differs()), said))
}
