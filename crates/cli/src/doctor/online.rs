//! The part of `attache doctor --online`: the built-in list of models, compared with the lists of
//! the configured providers.

use super::findings::{Findings, Mark};
use crate::say::counted;
use attache_coder::Models;

/// Adds one line for each difference, and one for each provider without a difference.
pub(super) async fn lists(findings: &mut Findings, models: &Models) {
    findings.part("models, compared with the lists of your providers");
    let compared = models.compare_lists().await;
    if compared.is_empty() {
        findings.found(Mark::Missing, "none", "no provider with listed models is configured");
    }
    for list in compared {
        let name = list.provider;
        match list.differences {
            Err(why) => findings.found(Mark::Bad, &name, &why),
            Ok(differences) if differences.is_empty() => {
                let rows = counted(list.rows, "model");
                findings.found(Mark::Good, &name, &format!("{rows} compared, no difference"));
            }
            Ok(differences) => {
                differences.iter().for_each(|line| findings.found(Mark::Bad, &name, line));
            }
        }
    }
}
