//! Values with limits: sizes, titles and times (V2-81 to V2-83).

use super::super::finding::Report;
use super::super::seen::{Seen, entries, quoted, text};
use super::super::session::list::is_time;
use attache_protocol::method::SessionList;
use serde_json::Value;

/// Judges the values with limits in an update or a list of sessions.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    if let Some((_, update)) = seen.update_of("terminal_update")
        && let Some(size) = update.get("size").filter(|size| size.is_object())
    {
        let is_right = ["cols", "rows"].iter().all(|key| size.get(*key) != Some(&Value::from(0)));
        report.keeps("V2-81", is_right, || "the terminal has no columns or no rows".to_owned());
    }
    if let Some((_, notice)) = seen.update_of("notice") {
        let is_right = text(notice, "title") != Some("");
        report.keeps("V2-82", is_right, || "the title of the notice is empty".to_owned());
    }
    let info = seen.update_of("session_info_update").map(|(_, update)| update);
    let listed =
        seen.result::<SessionList>().map_or(&[][..], |(_, list)| entries(list, "sessions"));
    for time in info.into_iter().chain(listed).filter_map(|info| text(info, "updatedAt")) {
        report.keeps("V2-83", is_time(time), || {
            format!("updatedAt is {}, not a time of RFC 3339", quoted(time))
        });
    }
}
