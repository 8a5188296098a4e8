//! A plan as a check list.

use super::paint::{BOLD, DIM, GREEN, Paint, YELLOW};
use super::sanitize;
use attache_protocol::v1::{PlanEntry, PlanEntryStatus};
use attache_session::PlanContent;

/// The plan's lines: a head with how much is done, then a box for each step.
pub(crate) fn lines(plan: &PlanContent, paint: Paint) -> Vec<String> {
    match plan {
        PlanContent::Items(entries) => {
            let done = entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
            let head = format!("{} {}", paint.paint(BOLD, "plan"), paint.paint(DIM, format!("{done}/{}", entries.len())));
            std::iter::once(head).chain(entries.iter().map(|entry| step(entry, paint))).collect()
        }
        PlanContent::File(uri) => vec![format!("{} in {}", paint.paint(BOLD, "plan"), sanitize::line(uri))],
        PlanContent::Markdown(text) => {
            let text = sanitize::text(text);
            let body = text.lines().map(|line| format!("  {line}"));
            std::iter::once(paint.paint(BOLD, "plan")).chain(body).collect()
        }
        _ => vec![paint.paint(BOLD, "plan of a kind this version does not know")],
    }
}

fn step(entry: &PlanEntry, paint: Paint) -> String {
    let content = sanitize::line(&entry.content);
    match entry.status {
        PlanEntryStatus::Completed => format!("  {} {}", paint.paint(GREEN, "☑"), paint.paint(DIM, content)),
        PlanEntryStatus::InProgress => format!("  {} {content}", paint.paint(YELLOW, "▶")),
        _ => format!("  {} {content}", paint.paint(DIM, "☐")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::PlanEntryPriority;

    #[test]
    fn a_plan_is_a_check_list() {
        let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::High, status);
        let plan = PlanContent::Items(vec![
            entry("look", PlanEntryStatus::Completed),
            entry("think\u{1b}[2J\nhard", PlanEntryStatus::InProgress),
            entry("act", PlanEntryStatus::Pending),
        ]);
        assert_eq!(lines(&plan, Paint { colours: false }), ["plan 1/3", "  ☑ look", "  ▶ think hard", "  ☐ act"]);
    }
}
