//! Rows for tests.

use attache_view::{
    Alignment, Block, CallStatus, CodeBlock, CompactionRow, DiffRow, FileChange, FileDiff, Hunk,
    HunkLine, Item, Line, LineChange, Marker, NoticeLevel, NoticeRow, Output, PlanRow, PlanStep,
    Role, Row, RowContent, Span, StepState, Style, SubagentRow, Table, ToolCallRow,
};
use std::sync::Arc;

pub(crate) fn line(text: &str) -> Line {
    Line::of(text, Role::Text)
}

pub(crate) fn paragraph(text: &str) -> Arc<Block> {
    Arc::new(Block::Paragraph { lines: text.lines().map(line).collect() })
}

pub(crate) fn code(language: &str, text: &str) -> Arc<Block> {
    let lines = text.lines().map(|text| Line::of(text, Role::Code)).collect();
    Arc::new(Block::Code(CodeBlock { language: language.to_owned(), lines, continued: false }))
}

pub(crate) fn item(depth: u8, marker: Marker, text: &str) -> Arc<Block> {
    Arc::new(Block::Item(Item { depth, marker, blocks: vec![paragraph(text)] }))
}

pub(crate) fn table(rows: &[&[&str]]) -> Arc<Block> {
    let mut rows = rows.iter().map(|row| row.iter().map(|cell| line(cell)).collect());
    let header = rows.next().unwrap();
    let alignments = vec![Alignment::Left, Alignment::Right, Alignment::Center];
    Arc::new(Block::Table(Table { alignments, header, rows: rows.collect() }))
}

pub(crate) fn row(id: usize, content: RowContent) -> Arc<Row> {
    Arc::new(Row { id, at: 1_000, depth: 0, content })
}

pub(crate) fn prompt(id: usize, text: &str) -> Arc<Row> {
    row(id, RowContent::Prompt { blocks: vec![paragraph(text)] })
}

pub(crate) fn answer(id: usize, blocks: Vec<Arc<Block>>) -> Arc<Row> {
    row(id, RowContent::Answer { blocks })
}

pub(crate) fn call(id: usize, kind: &str, title: &str, status: CallStatus) -> ToolCallRow {
    let done = !matches!(status, CallStatus::Running | CallStatus::Asking | CallStatus::Pending);
    ToolCallRow {
        id: format!("call-{id}"),
        kind: kind.to_owned(),
        title: line(title),
        effect: Vec::new(),
        status,
        ended_at: done.then_some(3_300),
        places: Vec::new(),
        outputs: Vec::new(),
        quiet: false,
        can_cancel: false,
    }
}

pub(crate) fn tool(id: usize, call: ToolCallRow) -> Arc<Row> {
    row(id, RowContent::ToolCall(Box::new(call)))
}

pub(crate) fn terminal(lines: usize) -> Output {
    Output::Terminal {
        id: "terminal".to_owned(),
        command: line("cargo test -p parser"),
        lines: (1..=lines).map(|n| line(&format!("test number {n} ... ok"))).collect(),
        omitted: 0,
        ended: line("exit code 0"),
    }
}

fn hunk_line(change: LineChange, pieces: &[(&str, bool)]) -> HunkLine {
    let span = |(text, changed): &(&str, bool)| Span {
        text: (*text).to_owned(),
        style: Style { changed: *changed, ..Style::default() },
    };
    HunkLine { change, line: Line { spans: pieces.iter().map(span).collect() } }
}

pub(crate) fn diff() -> Output {
    let hunk = Hunk {
        old_start: 9,
        new_start: 9,
        lines: vec![
            hunk_line(LineChange::Same, &[("fn parse(text: &str) -> Tree {", false)]),
            hunk_line(
                LineChange::Removed,
                &[("    let first = text.", false), ("find", true), ("('(');", false)],
            ),
            hunk_line(
                LineChange::Added,
                &[("    let first = text.", false), ("rfind", true), ("('(');", false)],
            ),
            hunk_line(
                LineChange::Added,
                &[(
                    "    // The last bracket counts, because brackets can be nested in each other.",
                    false,
                )],
            ),
            hunk_line(LineChange::Same, &[("    Tree::new(first)", false)]),
        ],
    };
    let changed = FileDiff {
        path: Line::of("src/parser.rs", Role::Path),
        from: None,
        change: FileChange::Changed,
        added: 2,
        removed: 1,
        hunks: vec![hunk],
        note: None,
    };
    let renamed = FileDiff {
        path: Line::of("docs/logo.png", Role::Path),
        from: Some(Line::of("logo.png", Role::Path)),
        change: FileChange::Renamed,
        added: 0,
        removed: 0,
        hunks: Vec::new(),
        note: Some(Line::of("binary file", Role::Muted)),
    };
    Output::Diff(DiffRow { files: vec![Arc::new(changed), Arc::new(renamed)] })
}

/// Returns one row of each kind.
pub(crate) fn conversation() -> Vec<Arc<Row>> {
    let mut read = call(2, "read", "src/parser.rs", CallStatus::Completed);
    (read.quiet, read.outputs) = (true, vec![Output::Text { blocks: vec![paragraph("a\nb\nc")] }]);
    let mut edit = call(4, "edit", "Fix the parser", CallStatus::Completed);
    edit.outputs = vec![diff()];
    let mut run = call(5, "execute", "Run the tests of the parser", CallStatus::Failed);
    run.outputs = vec![terminal(9)];
    let mut ask = call(6, "execute", "Push the branch", CallStatus::Asking);
    ask.effect = vec![Line::of("git push origin fix/parser", Role::Code)];
    let step = |text: &str, state| PlanStep { line: line(text), state, important: false };
    let steps = vec![
        step("Read the parser", StepState::Done),
        step("Fix the brackets", StepState::Running),
        step("Run the tests", StepState::Pending),
    ];
    let thought = "The parser takes the first bracket.\nIt must take the last one.";
    vec![
        prompt(0, "Fix the parser: it fails for nested brackets."),
        row(1, RowContent::Thought { blocks: vec![paragraph(thought)] }),
        tool(2, read),
        row(3, RowContent::Plan(PlanRow::Steps { steps })),
        tool(4, edit),
        tool(5, run),
        tool(6, ask),
        row(
            7,
            RowContent::Subagent(SubagentRow {
                session: "s2".to_owned(),
                line: line("Review"),
                status: line("running"),
            }),
        ),
        row(
            8,
            RowContent::Compaction(CompactionRow {
                line: line("compacted 40 messages"),
                summary: vec![paragraph("The person wants nested brackets.")],
            }),
        ),
        row(
            9,
            RowContent::Notice(NoticeRow {
                level: NoticeLevel::Warning,
                blocks: vec![paragraph("The agent stopped. It starts again with the next prompt.")],
            }),
        ),
        answer(10, markdown()),
    ]
}

/// Returns one block of each kind.
pub(crate) fn markdown() -> Vec<Arc<Block>> {
    let link = Style { link: Some("https://example.org/brackets".into()), ..Style::default() };
    let linked = Line {
        spans: vec![
            Span::new("See ", Role::Text),
            Span { text: "the rules of brackets".to_owned(), style: link },
            Span::new(".", Role::Text),
        ],
    };
    vec![
        Arc::new(Block::Heading { level: 2, line: line("What changed") }),
        paragraph(
            "The parser now finds the last bracket, so that nested brackets work as people expect.",
        ),
        item(
            0,
            Marker::Bullet,
            "Brackets can be nested in brackets, and in quotes if those are closed.",
        ),
        item(1, Marker::Number(1), "One level deeper."),
        item(0, Marker::Task(true), "Tests"),
        item(0, Marker::Task(false), "Documentation"),
        code(
            "rust",
            "fn parse() {\n    let first = text.rfind('(').unwrap_or_default_or_something_long();\n}",
        ),
        table(&[
            &["Input", "Depth", "Result"],
            &["(a)", "1", "passes"],
            &["((a) and a long text that needs several lines)", "2", "passes now"],
        ]),
        Arc::new(Block::Quote { blocks: vec![paragraph("Brackets are hard.")] }),
        Arc::new(Block::Paragraph { lines: vec![linked] }),
        Arc::new(Block::Rule),
        paragraph("日本語のテキスト、emoji 👩‍🔬 👍🏽 🇩🇪 und e\u{301}, שלום עולם, العالم."),
        Arc::new(Block::Attachment { line: line("image/png, 12 kB") }),
    ]
}
