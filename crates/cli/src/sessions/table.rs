//! Sessions as a table for people.

use super::text_search::Found;
use crate::show::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW};
use crate::show::width::{cut, width};
use anstyle::Style;
use attache_session::MessageAuthor;
use attache_view::sanitize;

/// The number of columns between two cells.
const GAP: usize = 2;

/// The minimum length of an id.
const ID: usize = 8;

/// The minimum width of the facts after a title.
const FACTS: usize = 10;

/// Below this width the number of prompts is omitted.
const MIDDLING: usize = 100;

/// Below this width folders and agents are omitted.
const NARROW: usize = 60;

/// A row of the table; all texts are sanitized single lines.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) agent: String,
    /// The title or the start of the session; `None` if it has no messages.
    pub(crate) title: Option<String>,
    pub(crate) folder: String,
    /// Whether the folder is the current one.
    pub(crate) here: bool,
    pub(crate) when: String,
    pub(crate) prompts: u64,
    /// Tags, status, progress, and whether the session is archived.
    pub(crate) notes: String,
    pub(crate) archived: bool,
    /// The match of a search.
    pub(crate) found: Option<Found>,
}

/// Returns the table, with its header first. Without `columns` nothing is cut.
pub(crate) fn lines(rows: &[Row], columns: Option<usize>, paint: Paint) -> Vec<String> {
    let layout = Layout::of(rows, columns);
    let mut lines = vec![layout.head(paint)];
    lines.extend(rows.iter().map(|row| layout.row(row, paint)));
    lines
}

/// Formats a match: one line for the session and one for the text. The lines have no columns,
/// because matches are shown as they are found.
pub(crate) fn found(row: &Row, columns: Option<usize>, paint: Paint) -> Vec<String> {
    let id: String = row.id.chars().take(ID).collect();
    let facts = [&row.folder, &row.when, &row.notes].map(String::as_str);
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let facts = format!("  {}", facts.join(" · "));
    let room = columns.unwrap_or(usize::MAX).saturating_sub(width(&id) + GAP);
    let title = cut(title(row), room);
    let room = room.saturating_sub(width(&title));
    let facts = if room < FACTS { String::new() } else { cut(&facts, room) };
    let line = format!(
        "{}  {}{}",
        paint.paint(CYAN, id),
        paint.paint(BOLD, title),
        paint.paint(DIM, facts)
    );
    std::iter::once(line)
        .chain(row.found.as_ref().map(|found| snippet(found, columns, paint)))
        .collect()
}

/// The width of each column; 0 omits it.
struct Layout {
    id: usize,
    agent: usize,
    title: usize,
    folder: usize,
    when: usize,
    prompts: usize,
    notes: usize,
}

impl Layout {
    fn of(rows: &[Row], columns: Option<usize>) -> Self {
        let widest = |cell: fn(&Row) -> usize, head: &str| {
            let cells = rows.iter().map(cell).max().unwrap_or(0);
            if cells == 0 { 0 } else { cells.max(width(head)) }
        };
        let several = rows.windows(2).any(|pair| matches!(pair, [a, b] if a.agent != b.agent));
        let mut layout = Self {
            id: unique(rows),
            agent: if several { widest(|row| width(&row.agent), "agent") } else { 0 },
            title: widest(|row| width(title(row)), "title"),
            folder: widest(|row| width(&row.folder) + 2, "  folder"),
            when: widest(|row| width(&row.when), "when"),
            prompts: widest(|row| row.prompts.to_string().len(), "prompts").max("prompts".len()),
            notes: widest(|row| width(&row.notes), "tags"),
        };
        if let Some(columns) = columns {
            layout.fit(columns);
        }
        layout
    }

    fn total(&self) -> usize {
        let cells =
            [self.id, self.agent, self.title, self.folder, self.when, self.prompts, self.notes];
        let shown = cells.iter().filter(|cell| **cell > 0).count();
        cells.iter().sum::<usize>() + GAP * shown.saturating_sub(1)
    }

    /// Omits columns that do not fit, and shrinks others: agent, tags and folder get a share of the
    /// width, and the title gets the rest.
    fn fit(&mut self, columns: usize) {
        if columns < MIDDLING {
            self.prompts = 0;
        }
        if columns < NARROW {
            (self.folder, self.agent) = (0, 0);
        }
        if self.total() > columns {
            let room = columns.saturating_sub(self.id + self.when + self.prompts + 5 * GAP);
            self.agent = self.agent.min(room / 6);
            self.notes = self.notes.min(room / 5);
            self.folder = self.folder.min(room / 3);
        }
        let over = self.total().saturating_sub(columns);
        self.title = self.title.saturating_sub(over).max(1);
        if self.total() > columns {
            (self.notes, self.when) = (0, 0);
        }
    }

    fn head(&self, paint: Paint) -> String {
        let cells = [
            cell("id", self.id),
            cell("title", self.title),
            cell("agent", self.agent),
            cell("  folder", self.folder),
            cell("when", self.when),
            cell("prompts", self.prompts),
            cell("tags", self.notes),
        ];
        paint.paint(DIM, join(cells.into_iter().flatten().collect()))
    }

    fn row(&self, row: &Row, paint: Paint) -> String {
        let plain = Style::new();
        let text = if row.archived { DIM } else { plain };
        let id: String = row.id.chars().take(self.id).collect();
        let mark = if row.here { "→" } else { " " };
        let folder = format!("{mark} {}", end(&row.folder, self.folder.saturating_sub(2)));
        let prompts = format!("{:>1$}", row.prompts, self.prompts);
        let cells = [
            (cell(&id, self.id), CYAN),
            (cell(title(row), self.title), if row.title.is_some() { text } else { DIM }),
            (cell(&row.agent, self.agent), DIM),
            (cell(&folder, self.folder), if row.here { GREEN } else { DIM }),
            (cell(&row.when, self.when), text),
            (cell(&prompts, self.prompts), DIM),
            (cell(&row.notes, self.notes), YELLOW),
        ];
        let painted =
            cells.into_iter().filter_map(|(cell, style)| Some(painted(&cell?, style, paint)));
        join(painted.collect())
    }
}

/// Colours a cell. Trailing spaces stay outside the colour, so that they can be trimmed.
fn painted(cell: &str, style: Style, paint: Paint) -> String {
    let text = cell.trim_end();
    let padding = cell.get(text.len()..).unwrap_or_default();
    if style == Style::new() {
        cell.to_owned()
    } else {
        format!("{}{padding}", paint.paint(style, text))
    }
}

fn title(row: &Row) -> &str {
    row.title.as_deref().unwrap_or("(nothing said yet)")
}

/// Cuts or pads the text to a column; `None` if the column is omitted.
fn cell(text: &str, columns: usize) -> Option<String> {
    let text = cut(text, columns);
    let padding = " ".repeat(columns.saturating_sub(width(&text)));
    (columns > 0).then(|| format!("{text}{padding}"))
}

fn join(cells: Vec<String>) -> String {
    cells.join(&" ".repeat(GAP)).trim_end().to_owned()
}

/// Shortens a path from the left, because its end identifies it.
fn end(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let mut kept = path;
    while width(kept) + 1 > columns && !kept.is_empty() {
        let mut characters = kept.chars();
        characters.next();
        kept = characters.as_str();
    }
    if columns == 0 { String::new() } else { format!("…{kept}") }
}

/// Returns the shortest length at which all ids of the table differ.
fn unique(rows: &[Row]) -> usize {
    let longest = rows.iter().map(|row| row.id.chars().count()).max().unwrap_or(0);
    let differ = |length: &usize| {
        let beginnings = rows.iter().map(|row| row.id.chars().take(*length).collect::<String>());
        let whole: std::collections::HashSet<&str> = rows.iter().map(|row| &*row.id).collect();
        beginnings.collect::<std::collections::HashSet<_>>().len() == whole.len()
    };
    (ID..longest).find(differ).unwrap_or(longest)
}

/// Returns the line of a match. A long line is cut so that the matching text is near the middle.
fn snippet(found: &Found, columns: Option<usize>, paint: Paint) -> String {
    let author = match found.author {
        MessageAuthor::User => "you: ",
        MessageAuthor::Agent => "agent: ",
        MessageAuthor::Thought => "thought: ",
    };
    let (before, text, behind) =
        (spaced(&found.before), spaced(&found.text), spaced(&found.behind));
    let (before, behind) = (before.trim_start(), behind.trim_end());
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(4 + author.len()));
    let text = cut(&text, room);
    let left = room.saturating_sub(width(&text));
    let before = end(before, left.saturating_sub(width(behind).min(left / 2)));
    let behind = cut(behind, left.saturating_sub(width(&before)));
    format!("    {}{before}{}{behind}", paint.paint(DIM, author), paint.paint(BOLD, text))
}

/// Returns the text as one line. White space at either end becomes one space.
fn spaced(text: &str) -> String {
    let space = |found: bool| if found { " " } else { "" };
    let line = sanitize::line(text);
    if line.is_empty() {
        return space(!text.is_empty()).to_owned();
    }
    let (first, last) =
        (text.starts_with(char::is_whitespace), text.ends_with(char::is_whitespace));
    format!("{}{line}{}", space(first), space(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { colours: false };

    fn row(id: &str, title: &str) -> Row {
        Row {
            id: id.to_owned(),
            agent: "attache".to_owned(),
            title: Some(title.to_owned()),
            folder: "~/projects/会話/保存".to_owned(),
            when: "12 min ago".to_owned(),
            prompts: 3,
            notes: "(archived) #漢字 waiting for review 3/10".to_owned(),
            ..Row::default()
        }
    }

    #[test]
    fn a_table_fits_every_terminal() {
        let mut rows = vec![
            row("3f2a99c1-0000", "漢字かな交じりの長い長い題名"),
            row("9c41aaaa-0000", "short"),
        ];
        rows[0].here = true;
        rows[1].agent = "other (client)".to_owned();
        rows[1].found = Some(Found {
            author: MessageAuthor::Agent,
            sequence: 1,
            before: "漢字 before ".repeat(9),
            text: "the text".to_owned(),
            behind: " behind 漢字".repeat(9),
        });
        for columns in 30..250 {
            let found = rows.iter().flat_map(|row| found(row, Some(columns), PLAIN));
            for line in lines(&rows, Some(columns), PLAIN).into_iter().chain(found) {
                assert!(width(&line) <= columns, "{line:?} in {columns}");
            }
        }
        let snippet = &found(&rows[1], Some(60), PLAIN)[1];
        assert!(snippet.contains("before the text behind"), "{snippet:?}");
    }

    #[test]
    fn columns_align_with_wide_characters() {
        let rows = [row("3f2a99c1-0000", "漢字"), row("9c41aaaa-0000", "short")];
        let lines = lines(&rows, None, PLAIN);
        let column = |line: &str| width(line.split("~/").next().unwrap());
        assert_eq!(column(&lines[1]), column(&lines[2]));
        assert!(lines[0].starts_with("id        title  "), "{lines:?}");
    }

    #[test]
    fn ids_are_just_long_enough_to_differ() {
        let rows = [row("sess_0000001", "a"), row("sess_0000002", "b")];
        assert!(lines(&rows, None, PLAIN)[1].starts_with("sess_0000001  a"));
        assert!(lines(&[row("3f2a99c1-0000", "a")], None, PLAIN)[1].starts_with("3f2a99c1  a"));
    }

    #[test]
    fn a_long_path_shows_its_end() {
        assert_eq!(end("~/projects/会話/保存", 8), "…話/保存");
        assert_eq!((end("~/a", 3), end("~/ab", 0)), ("~/a".to_owned(), String::new()));
    }
}
