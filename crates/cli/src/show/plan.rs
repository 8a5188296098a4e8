//! A plan as a checklist.

use super::paint::{BOLD, DIM, GREEN, Paint, YELLOW};
use super::width::cut;
use attache_protocol::v1::{PlanEntry, PlanEntryStatus};
use attache_session::PlanContent;
use attache_view::sanitize;

/// Returns the lines of the plan: a header with its progress, then a checkbox for each step. Lines
/// fit `columns`, except for plans in Markdown.
pub(crate) fn lines(plan: &PlanContent, paint: Paint, columns: usize) -> Vec<String> {
    match plan {
        PlanContent::Items(entries) => {
            let done =
                entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
            let head = format!(
                "{} {}",
                paint.paint(BOLD, "plan"),
                paint.paint(DIM, format!("{done}/{}", entries.len()))
            );
            std::iter::once(head)
                .chain(entries.iter().map(|entry| step(entry, paint, columns)))
                .collect()
        }
        PlanContent::File(uri) => {
            vec![format!("{} in {}", paint.paint(BOLD, "plan"), sanitize::line(uri))]
        }
        PlanContent::Markdown(text) => {
            let text = sanitize::text(text);
            let body = text.lines().map(|line| format!("  {line}"));
            std::iter::once(paint.paint(BOLD, "plan")).chain(body).collect()
        }
    }
}

fn step(entry: &PlanEntry, paint: Paint, columns: usize) -> String {
    let content = cut(&sanitize::line(&entry.content), columns.saturating_sub(4));
    match entry.status {
        PlanEntryStatus::Completed => {
            format!("  {} {}", paint.paint(GREEN, "☑"), paint.paint(DIM, content))
        }
        PlanEntryStatus::InProgress => format!("  {} {content}", paint.paint(YELLOW, "▶")),
        _ => format!("  {} {content}", paint.paint(DIM, "☐")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::PlanEntryPriority;

    #[test]
    fn a_plan_is_a_checklist() {
        let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::High, status);
        let plan = PlanContent::Items(vec![
            entry("look", PlanEntryStatus::Completed),
            entry("think\u{1b}[2J\nhard", PlanEntryStatus::InProgress),
            entry("act", PlanEntryStatus::Pending),
        ]);
        assert_eq!(
            lines(&plan, Paint { colours: false }, 80),
            ["plan 1/3", "  ☑ look", "  ▶ think hard", "  ☐ act"]
        );
    }
}
