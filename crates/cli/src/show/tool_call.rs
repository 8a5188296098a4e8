//! A tool call for people: one line, and its output.

use super::diff;
use super::paint::{BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW};
use super::width::{cut, width};
use attache_protocol::v1::{
    ContentBlock, Diff, EmbeddedResourceResource, ToolCallLocation, ToolKind,
};
use attache_protocol::v2::{self, ToolCallStatus};
use attache_session::{ToolCall, ToolCallContent};
pub(crate) use attache_view::relative_path as relative;
use attache_view::{reported_changes, sanitize};
use std::path::Path;

/// How much of a diff or an output to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The first and last lines of each output, without results of reads and searches. The flag
    /// `--verbose` shows everything.
    Short,
    /// Like `Short`, in a conversation, where `/details` shows everything.
    Conversation,
    /// Like `Short`, where no option shows more.
    Tour,
    /// Everything.
    Whole,
}

/// The number of lines at the start and at the end of a shortened output.
const OUTPUT_ENDS: usize = 8;

/// Like [`OUTPUT_ENDS`], for a diff, which people review.
const DIFF_ENDS: usize = 60;

/// The width of the longest common kind, so that titles align.
const KIND_COLUMNS: usize = 7;

/// Returns a line such as `✓ read    Read main.rs  src/main.rs:12`: status, kind, title, and the
/// locations that the title does not name, in at most `columns`.
pub(crate) fn line(call: &ToolCall, cwd: &Path, paint: Paint, columns: usize) -> String {
    let kind = kind(call.kind());
    let title = cut(&sanitize::line(&call.title), columns.saturating_sub(KIND_COLUMNS + 3));
    let used = 2 + width(&kind).max(KIND_COLUMNS) + 1 + width(&title);
    let places = places(call, cwd, &title);
    let places = if places.is_empty() {
        places
    } else {
        cut(&format!("  {places}"), columns.saturating_sub(used))
    };
    let padding = " ".repeat(KIND_COLUMNS.saturating_sub(width(&kind)));
    format!(
        "{} {}{padding} {title}{}",
        mark(call.status(), paint),
        paint.paint(CYAN, kind),
        paint.paint(DIM, places)
    )
}

fn mark(status: &ToolCallStatus, paint: Paint) -> String {
    match status {
        ToolCallStatus::InProgress => paint.paint(YELLOW, "◐"),
        ToolCallStatus::Completed => paint.paint(GREEN, "✓"),
        ToolCallStatus::Failed => paint.paint(RED, "✗"),
        ToolCallStatus::Cancelled => paint.paint(DIM, "⊘"),
        ToolCallStatus::Paused => paint.paint(YELLOW, "‖"),
        _ => paint.paint(DIM, "○"),
    }
}

/// Returns the kind as `--allow` spells it.
pub(crate) fn kind(kind: &ToolKind) -> String {
    sanitize::line(kind.as_str())
}

fn places(call: &ToolCall, cwd: &Path, title: &str) -> String {
    let place = |location: &ToolCallLocation| {
        let path = relative(&location.path, cwd);
        // The session's folder itself and the locations that the title names are omitted.
        let new = path != "." && !title.contains(&path);
        let place = location.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
        new.then_some(place)
    };
    let mut places: Vec<String> = call.locations.iter().filter_map(place).collect();
    places.dedup();
    let more = places.len().saturating_sub(3);
    places.truncate(3);
    if more > 0 {
        places.push(format!("and {more} more"));
    }
    places.join(" ")
}

/// Returns whether the call only reads: its output is for the model.
fn quiet(call: &ToolCall) -> bool {
    matches!(call.kind(), ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Think)
}

/// Returns the indented output of the call. Results of reads and searches are omitted unless
/// everything is shown or the call failed: the answer contains the relevant part. Without `diffs`,
/// diffs are omitted.
pub(crate) fn details(
    call: &ToolCall,
    cwd: &Path,
    paint: Paint,
    bound: Bound,
    diffs: bool,
) -> Vec<String> {
    let quiet = quiet(call);
    let failed = *call.status() == ToolCallStatus::Failed;
    let text = bound == Bound::Whole || failed || !quiet;
    let mut lines = Vec::new();
    for content in &call.content {
        match content {
            ToolCallContent::Diff(diff) if diffs => lines.extend(change(diff, cwd, paint, bound)),
            ToolCallContent::Changes(diff) if diffs => {
                lines.extend(changes(diff, cwd, paint, bound))
            }
            ToolCallContent::Content(content) if text => {
                lines.extend(output(&content.content, paint, bound))
            }
            _ => {}
        }
    }
    lines
}

/// Returns an indented diff with its file and counts.
pub(crate) fn change(diff: &Diff, cwd: &Path, paint: Paint, bound: Bound) -> Vec<String> {
    let shown = diff::diff(diff.old_text.as_deref(), &diff.new_text, paint);
    let file = paint.paint(BOLD, relative(&diff.path, cwd));
    let new = if diff.old_text.is_none() { " (new file)" } else { "" };
    let mut lines =
        vec![format!("  {file}{new} {}", diff::counts(shown.added, shown.removed, paint))];
    lines.extend(
        ends(shown.lines, DIFF_ENDS, bound, paint).into_iter().map(|line| format!("  {line}")),
    );
    lines
}

/// Returns indented changes of files, as an agent of version 2 reports them.
pub(crate) fn changes(diff: &v2::Diff, cwd: &Path, paint: Paint, bound: Bound) -> Vec<String> {
    let files = reported_changes(diff, cwd).into_iter();
    let lines = files.map(|file| diff::file(&file, paint)).flat_map(|(head, lines)| {
        std::iter::once(head).chain(ends(lines, DIFF_ENDS, bound, paint))
    });
    lines.map(|line| format!("  {line}")).collect()
}

fn output(content: &ContentBlock, paint: Paint, bound: Bound) -> Vec<String> {
    let text = block(content);
    let text = fenced(&text);
    let lines = text.lines().map(|line| paint.paint(DIM, line)).collect();
    ends(lines, OUTPUT_ENDS, bound, paint).into_iter().map(|line| format!("    {line}")).collect()
}

/// Returns the last line of a running call's output; nothing for a call that only reads.
pub(crate) fn last_line(call: &ToolCall) -> Option<String> {
    let mut content = call.content.iter().rev().take_while(|_| !quiet(call));
    let text = content.find_map(|content| match content {
        ToolCallContent::Content(content) => content.content.as_text(),
        _ => None,
    })?;
    let text = sanitize::text(text);
    fenced(&text).lines().rev().map(sanitize::line).find(|line| !line.is_empty())
}

/// Returns the inner text if the whole text is one fenced block.
pub(crate) fn fenced(text: &str) -> &str {
    let inside = || {
        let body = text.trim().strip_prefix("```")?.strip_suffix("```")?;
        let (info, body) = body.split_once('\n')?;
        (!info.contains('`') && !body.contains("\n```")).then_some(body)
    };
    inside().unwrap_or(text)
}

/// Returns a content block as sanitized text.
pub(crate) fn block(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(content) => sanitize::text(&content.text).into_owned(),
        ContentBlock::Image(image) => format!("[image {}]", sanitize::line(&image.mime_type)),
        ContentBlock::Audio(audio) => format!("[audio {}]", sanitize::line(&audio.mime_type)),
        ContentBlock::ResourceLink(link) => {
            format!("[{}]({})", sanitize::line(&link.name), sanitize::line(&link.uri))
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::Text(text) => sanitize::text(&text.text).into_owned(),
            EmbeddedResourceResource::Blob(blob) => format!("[{}]", sanitize::line(&blob.uri)),
        },
        ContentBlock::Unknown(_) => "[content of a kind this version does not know]".to_owned(),
    }
}

/// Shortens the lines by omitting those in the middle.
fn ends(mut lines: Vec<String>, each: usize, bound: Bound, paint: Paint) -> Vec<String> {
    let hidden = lines.len().saturating_sub(2 * each);
    if bound != Bound::Whole && hidden > 1 {
        let how = match bound {
            Bound::Short => " (--verbose shows them)",
            Bound::Conversation => " (/details shows them)",
            Bound::Tour | Bound::Whole => "",
        };
        let note = paint.paint(DIM, format!("… {hidden} more lines{how} …"));
        lines.splice(each..each + hidden, [note]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { colours: false };

    fn call(title: &str, kind: ToolKind, status: ToolCallStatus) -> ToolCall {
        let mut call = ToolCall::new("c1", title);
        call.kind = kind;
        call.status = status;
        call
    }

    #[test]
    fn a_call_is_one_line_with_places_inside_the_folder() {
        let mut call = call("Read the\nmain file", ToolKind::Read, ToolCallStatus::Completed);
        let mut place = ToolCallLocation::new("/p/src/main.rs");
        place.line = Some(12);
        call.locations = vec![place, ToolCallLocation::new("/etc/hosts")];
        let shown = line(&call, Path::new("/p"), PLAIN, 80);
        assert_eq!(shown, "✓ read    Read the main file  src/main.rs:12 /etc/hosts");
        assert!(width(&line(&call, Path::new("/p"), PLAIN, 30)) <= 30);
    }

    #[test]
    fn a_place_that_the_title_names_is_not_repeated() {
        let mut call = call("Read src/main.rs", ToolKind::Read, ToolCallStatus::Pending);
        call.locations = vec![ToolCallLocation::new("/p/src/main.rs")];
        assert_eq!(line(&call, Path::new("/p"), PLAIN, 80), "○ read    Read src/main.rs");
    }

    #[test]
    fn a_line_fits_every_terminal() {
        let mut call = call("漢字 edit 漢字漢字漢字", ToolKind::SwitchMode, ToolCallStatus::Failed);
        call.locations = vec![ToolCallLocation::new("/p/src/漢字.rs")];
        for columns in 14..60 {
            let shown = line(&call, Path::new("/p"), PLAIN, columns);
            assert!(width(&shown) <= columns.max(14) + 4, "{shown:?} in {columns}");
        }
    }

    #[test]
    fn long_output_is_shortened_in_the_middle_with_a_note() {
        let mut call = call("run", ToolKind::Execute, ToolCallStatus::Completed);
        let text: String = (1..=100).map(|n| format!("{n}\n")).collect();
        call.content = vec![ContentBlock::text(format!("```\n{text}```")).into()].into();
        let short = details(&call, Path::new("/p"), PLAIN, Bound::Short, true);
        assert_eq!(short.len(), 17);
        assert_eq!(short[8], "    … 84 more lines (--verbose shows them) …");
        assert_eq!(short[16], "    100");
        assert_eq!(details(&call, Path::new("/p"), PLAIN, Bound::Whole, true).len(), 100);
        assert_eq!(last_line(&call).as_deref(), Some("100"));
    }

    #[test]
    fn output_of_reads_is_shown_only_on_request_or_failure() {
        let mut call = call("read", ToolKind::Read, ToolCallStatus::Completed);
        call.content = vec![ContentBlock::text("text").into()].into();
        assert!(details(&call, Path::new("/p"), PLAIN, Bound::Short, true).is_empty());
        call.status = ToolCallStatus::Failed;
        assert_eq!(details(&call, Path::new("/p"), PLAIN, Bound::Short, true), ["    text"]);
    }

    #[test]
    fn a_diff_is_shown_with_its_file_and_counts() {
        let mut diff = Diff::new("/p/a.txt", "new\n");
        diff.old_text = Some("old\n".into());
        let lines = change(&diff, Path::new("/p"), PLAIN, Bound::Short);
        assert_eq!(lines, ["  a.txt +1 -1", "  @@ -1 +1 @@", "  -old", "  +new"]);
    }

    #[test]
    fn text_of_a_call_cannot_control_the_terminal() {
        let evil = "\u{1b}[2J\u{1b}]0;x\u{7}evil\u{202e}";
        let mut call = call(evil, ToolKind::Execute, ToolCallStatus::Failed);
        call.locations = vec![ToolCallLocation::new(format!("/p/{evil}"))];
        call.content =
            vec![ContentBlock::text(evil).into(), ToolCallContent::Diff(Diff::new(evil, evil))]
                .into();
        let mut shown = details(&call, Path::new("/p"), PLAIN, Bound::Whole, true);
        shown.push(line(&call, Path::new("/p"), PLAIN, 80));
        assert!(
            shown.iter().all(|line| !line.chars().any(|c| c.is_control() || c == '\u{202e}')),
            "{shown:?}"
        );
    }
}
