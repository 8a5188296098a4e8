//! The store of checkpoints.

use super::findings::{Findings, Mark};
use super::folder;
use crate::checkpoints::place::Place;
use crate::demo::size;
use crate::exit::Failure;
use crate::say::counted;
use crate::settings::Settings;

/// Shows the store of checkpoints, how much it uses and its limit, without writing.
pub(super) fn checkpoints(findings: &mut Findings) {
    let place = match Place::of(&Settings::read()) {
        Ok(place) => place,
        Err(failure) => return findings.found(Mark::Bad, "checkpoints", &failure.message),
    };
    let Place::Folder(path) = &place else {
        return findings.found(Mark::Missing, "checkpoints", "not taken: the setting says `none`");
    };
    let shown = path.display();
    let usage = place
        .existing()
        .and_then(|store| store.map(|store| store.usage()).transpose().map_err(Failure::from));
    match usage {
        Ok(Some(usage)) => {
            let (used, limit) = (size(usage.bytes), size(usage.limit));
            let count = counted(usage.checkpoints, "checkpoint");
            findings.found(
                Mark::Good,
                "checkpoints",
                &format!("{shown}  ({count}, {used} of {limit})"),
            );
        }
        Ok(None) => folder(findings, "checkpoints", path),
        Err(failure) => {
            findings.found(Mark::Bad, "checkpoints", &format!("{shown}  ({})", failure.message));
        }
    }
}
