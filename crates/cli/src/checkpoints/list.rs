//! `attache checkpoints list`.

use super::arguments::List;
use super::selected;
use crate::exit::{Exit, Failure};
use crate::sessions::time;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, CYAN, DIM, Paint};
use crate::show::width::{cut, width};
use crate::terminal;
use attache_checkpoint::{Store, Summary};
use attache_client::checkpoint_session;
use attache_session::Timestamp;
use attache_view::{file_count, sanitize};
use jiff::Zoned;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists the selected checkpoints, the newest first.
pub(super) fn list(store: &Store, arguments: &List) -> Result<Exit, Failure> {
    let mut summaries = selected::all(store, &arguments.selection)?;
    summaries.retain(selected::is_listed);
    summaries.reverse();
    let mut out = io::stdout().lock();
    let lines: Vec<String> = match arguments.selection.json {
        true => summaries.iter().map(|it| escaped(&object(it).to_string())).collect(),
        false if summaries.is_empty() => {
            return Exit::report(
                "this folder has no checkpoints: --cwd selects another folder, --session a session",
            );
        }
        false => {
            let columns = if out.is_terminal() { terminal::columns() } else { None };
            table(&summaries, columns, Paint::of(&out))
        }
    };
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// Returns the checkpoint as JSON; docs/rewind.md documents it.
pub(super) fn object(summary: &Summary) -> Value {
    let (agent, session) = match checkpoint_session(&summary.label.owner) {
        Some((agent, id)) => (Some(agent), Some(id.as_str().to_owned())),
        None => (None, None),
    };
    json!({
        "id": summary.id.to_string(),
        "at": timestamp(summary.at).rfc3339(),
        "agent": agent,
        "session": session,
        "turn": summary.label.turn,
        "reason": summary.label.reason.name(),
        "title": summary.label.title,
        "roots": summary.roots.iter().map(|root| root.to_string_lossy()).collect::<Vec<_>>(),
        "files": summary.files,
        "changed": summary.changed,
        "complete": summary.complete,
        "notKept": summary.not_kept_count,
    })
}

pub(super) fn timestamp(at: SystemTime) -> Timestamp {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Returns a table with a header.
pub(crate) fn table(summaries: &[Summary], columns: Option<usize>, paint: Paint) -> Vec<String> {
    let now = Zoned::now();
    let head = ["id", "when", "turn", "changed", "taken"].map(str::to_owned);
    let rows: Vec<[String; 5]> = summaries.iter().map(|summary| row(summary, &now)).collect();
    let mut widths = head.clone().map(|cell| width(&cell));
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(widths).take(4);
        let begin: String = cells
            .map(|(cell, widest)| format!("{cell}{}", " ".repeat(widest - width(cell) + 2)))
            .collect();
        let [.., last] = row;
        let line = format!("{begin}{last}");
        columns.map_or(line.clone(), |columns| cut(&line, columns))
    };
    let mut lines = vec![paint.paint(BOLD, line(&head))];
    lines.extend(rows.iter().map(|row| {
        let (text, [id, ..]) = (line(row), row);
        match text.strip_prefix(id.as_str()) {
            Some(rest) => format!("{}{rest}", paint.paint(CYAN, id)),
            None => text,
        }
    }));
    let incomplete = summaries.iter().filter(|summary| !summary.complete).count();
    if incomplete > 0 {
        let note = "(incomplete): `attache checkpoints show ID` lists what the checkpoint lacks";
        lines.push(paint.paint(DIM, note));
    }
    lines
}

fn row(summary: &Summary, now: &Zoned) -> [String; 5] {
    let label = &summary.label;
    let title = match label.title.as_str() {
        "" => String::new(),
        title => format!(": {}", sanitize::line(title)),
    };
    let incomplete = if summary.complete { "" } else { " (incomplete)" };
    [
        summary.id.to_string(),
        time::ago(timestamp(summary.at), now),
        label.turn.map(|turn| turn.to_string()).unwrap_or_default(),
        match summary.changed {
            0 => "-".to_owned(),
            changed => file_count(changed as usize),
        },
        format!("{}{title}{incomplete}", label.reason),
    ]
}
