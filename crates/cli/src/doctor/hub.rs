//! The shared hub.

use super::findings::{Findings, Mark};
use crate::serve::VERSION;
use crate::serve::place::HubPlace;
use crate::serve::status::status;
use attache_serve::socket::HubName;

/// Shows whether the person's default hub runs, without starting it.
pub(super) async fn hub(findings: &mut Findings) {
    findings.part("shared hub");
    let place = match HubPlace::of(HubName::default()) {
        Ok(place) => place,
        Err(failure) => return findings.found(Mark::Bad, "hub", &failure.message),
    };
    match status(&place).await {
        Ok(None) => findings.found(
            Mark::Missing,
            "hub",
            "does not run; `attache serve` starts it, and so does an editor with `attache attach`",
        ),
        Ok(Some(status)) if status.attache != VERSION => findings.found(
            Mark::Bad,
            "hub",
            &format!("runs version {}: run `attache serve restart`", status.attache),
        ),
        Ok(Some(status)) => findings.found(
            Mark::Good,
            "hub",
            &format!("runs (process {}); `attache serve status` shows more", status.pid),
        ),
        Err(failure) => findings.found(Mark::Bad, "hub", &failure.message),
    }
    findings.found(Mark::Fact, "socket", &place.socket().display().to_string());
}
