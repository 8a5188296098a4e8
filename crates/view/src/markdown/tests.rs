use super::{Markdown, PIECE, parse, plain, work};
use crate::{Block, Line, Marker, Role, Span};
use proptest::prelude::*;
use std::sync::Arc;

mod commonmark;
mod laws;

/// Writes blocks as text, one line each, with the styles of their spans in brackets.
fn written(blocks: &[Arc<Block>]) -> String {
    let mut out = String::new();
    for block in blocks {
        write(block, 0, &mut out);
    }
    out
}

fn write(block: &Block, indent: usize, out: &mut String) {
    let mut put = |text: String| {
        out.push_str(&" ".repeat(indent));
        out.push_str(&text);
        out.push('\n');
    };
    match block {
        Block::Paragraph { lines } => lines.iter().for_each(|line| put(spans(line))),
        Block::Heading { level, line } => put(format!("h{level} {}", line.text())),
        Block::Code(code) => {
            put(format!("code {}{}", code.language, if code.continued { "…" } else { "" }));
            code.lines.iter().for_each(|line| put(format!("| {}", line.text())));
        }
        Block::Table(table) => {
            let row = |cells: &[Line]| cells.iter().map(spans).collect::<Vec<_>>().join(" | ");
            put(format!("table {:?} {}", table.alignments, row(&table.header)));
            table.rows.iter().for_each(|cells| put(format!("row {}", row(cells))));
        }
        Block::Rule => put("rule".to_owned()),
        Block::Attachment { line } => put(format!("attachment {}", spans(line))),
        Block::Quote { blocks } => {
            put("quote".to_owned());
            blocks.iter().for_each(|block| write(block, indent + 2, out));
        }
        Block::Item(item) => {
            let marker = match item.marker {
                Marker::Bullet => "-".to_owned(),
                Marker::Number(number) => format!("{number}."),
                Marker::Task(done) => format!("[{}]", if done { "x" } else { " " }),
                Marker::Continued => "…".to_owned(),
            };
            put(format!("item{} {marker}", item.depth));
            item.blocks.iter().for_each(|block| write(block, indent + 2, out));
        }
    }
}

#[test]
fn a_line_has_code_and_emphasis() {
    let line = super::line("- Run `cargo test`,\n**then** [fix](https://a.example) <b>");
    assert_eq!(spans(&line), spans_of("- Run `cargo test`, **then** [fix](https://a.example) <b>"));
    assert_eq!(line.text(), "- Run cargo test, then fix <b>");
    assert!(
        line.spans.iter().any(|span| span.style.role == Role::Code && span.text == "cargo test")
    );
    let long = "`a` ".repeat(PIECE);
    assert_eq!(super::line(&long).text(), long.trim_end());
}

/// The spans of a text that is the first line of a paragraph, after a mark that is no list.
fn spans_of(text: &str) -> String {
    let Some(block) = parse(&format!("\\{text}")).into_iter().next() else { panic!() };
    let Block::Paragraph { lines } = &*block else { panic!("{block:?}") };
    lines.iter().map(spans).collect()
}

#[test]
fn only_code_is_marked_in_a_title() {
    for (title, expected) in [
        ("`cargo test`", &["<cargo test>"][..]),
        ("Read `a_b.rs` and *.txt", &["Read ", "<a_b.rs>", " and *.txt"]),
        ("echo ``a``", &["echo ``a``"]),
        ("a ` b", &["a ` b"]),
        ("__init__ **x**\n", &["__init__ **x**"]),
        ("", &[]),
    ] {
        let shown = super::title(title).spans.into_iter().map(|span| match span.style.role {
            Role::Code => format!("<{}>", span.text),
            _ => span.text,
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{title}");
    }
}

fn spans(line: &Line) -> String {
    line.spans.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    let style = &span.style;
    let mut marks = Vec::new();
    marks.extend(style.strong.then_some("strong".to_owned()));
    marks.extend(style.emphasis.then_some("em".to_owned()));
    marks.extend(style.struck.then_some("struck".to_owned()));
    marks.extend((style.role == Role::Code).then_some("code".to_owned()));
    marks.extend((style.role == Role::Muted).then_some("muted".to_owned()));
    marks.extend(style.link.as_ref().map(|link| format!("->{link}")));
    if marks.is_empty() {
        span.text.clone()
    } else {
        format!("{{{} {}}}", marks.join(" "), span.text)
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(written(&parse(text)).trim_end(), expected.trim_matches('\n'), "{text}");
}

#[test]
fn blocks_of_each_kind() {
    check("# One #\n## Two\ntext\nmore", "h1 One\nh2 Two\ntext\nmore");
    check("Title\n===\nOther\n---\na\nb\n---", "h1 Title\nh2 Other\na\nb\nrule");
    check("a\n\n***\nb", "a\nrule\nb");
    check("```rust\nfn a() {}\n\n  b\n```\nc", "code rust\n| fn a() {}\n| \n|   b\nc");
    check("~~~\n```\n~~~~", "code \n| ```");
    check("```\nopen", "code \n| open");
    check("    a\n\n      b\n\nc", "code \n| a\n| \n|   b\nc");
    check("> a\nb\n> > c\n\nd", "quote\n  a\n  b\n  quote\n    c\nd");
    check("<details>\n<b>x</b>\n</details>", "<details>\n<b>x</b>\n</details>");
    check("[a]: http://x.y\n[^1]: note", "[a]: {->http://x.y http://x.y}\n[^1]: note");
    check("", "");
    check("\n \n\n", "");
}

#[test]
fn lists() {
    check("- a\n- b\n  c\n\n  d\n", "item0 -\n  a\nitem0 -\n  b\n  c\n  d");
    check("1. a\n1. b\n7) c", "item0 1.\n  a\nitem0 2.\n  b\nitem0 7.\n  c");
    check(
        "- a\n  - b\n    1. c\n  - d\n\n  e\n- f",
        "item0 -\n  a\nitem1 -\n  b\nitem2 1.\n  c\nitem1 -\n  d\nitem0 …\n  e\nitem0 -\n  f",
    );
    check(
        "- [ ] a\n- [x] b\n- [x](http://c)",
        "item0 [ ]\n  a\nitem0 [x]\n  b\nitem0 -\n  {->http://c x}",
    );
    check(
        "1. a\n   ```sh\n   b\n\n   c\n   ```\n2. d",
        "item0 1.\n  a\n  code sh\n  | b\n  | \n  | c\nitem0 2.\n  d",
    );
    check("- > a\n  > - b", "item0 -\n  quote\n    a\n    item0 -\n      b");
    check("-\n- a\n- - b", "item0 -\nitem0 -\n  a\nitem0 -\nitem1 -\n  b");
    check("text\n2. b\n- c", "text\n2. b\nitem0 -\n  c");
    check("- a\nlazy\n\nb", "item0 -\n  a\n  lazy\nb");
    check("1. a\n\n```\nb\n```\n2. c", "item0 1.\n  a\ncode \n| b\nitem0 2.\n  c");
    check("*\ta\n\tb", "item0 -\n  a\n  b");
}

#[test]
fn tables() {
    check(
        "Text:\n| a | b\\|c |\n|:-:|--:|\n| `d` | **e** | f |\n| g\nafter",
        "Text:\ntable [Center, Right] a | b|c\nrow {code d} | {strong e} | f\nrow g\nafter",
    );
    check("a | b\n- | -\nc | d\n\ne", "table [Left, Left] a | b\nrow c | d\ne");
    check("| a |\n|---|---|", "| a |\n|---|---|");
    check("> | a |\n> |---|\n> | b |", "quote\n  table [Left] a\n  row b");
}

#[test]
fn styles() {
    check(
        "**a** *b* __c__ _d_ ~~e~~ `f` ***g***",
        "{strong a} {em b} {strong c} {em d} {struck e} {code f} {strong em g}",
    );
    check("a\\*b\\* &amp; &lt; <b>", "a*b* & < <b>");
    check("**a\nb** c  \nd\\\ne", "{strong a}\n{strong b} c\nd\ne");
    check("use **kwargs and 2 * 3 * 4", "use **kwargs and 2 * 3 * 4");
    check("`a\nb`", "{code a}\n{code b}");
    check("# a `b` #c", "h1 a b #c");
    check("1986\\. A\n# not `", "1986. A\nh1 not `");
}

#[test]
fn links() {
    check(
        "[a](https://b.c/d \"t\") <https://x.y> <m@n.o>",
        "{->https://b.c/d a} {->https://x.y https://x.y} {->mailto:m@n.o m@n.o}",
    );
    check(
        "see https://a.b/c_d_e, (http://f.g).",
        "see {->https://a.b/c_d_e https://a.b/c_d_e}, ({->http://f.g http://f.g}).",
    );
    check(
        "[a](javascript:x) [b](src/b.rs) [c.rs](c.rs)",
        "a{muted  (javascript:x)} b{muted  (src/b.rs)} c.rs",
    );
    check("[a.com](https://b.com)", "{->https://b.com a.com}{muted  (https://b.com)}");
    check("[a](file:///b) [**c**](http://d)", "{->file:///b a} {strong ->http://d c}");
    check("[](http://a)", "{->http://a http://a}");
    check("![alt](http://a/b.png)", "attachment {muted image: }{->http://a/b.png alt}");
    check("x ![alt](b.png)", "x {muted image: }alt{muted  (b.png)}");
    check("[a][b] [c] [^1]", "[a][b] [c] [^1]");
    check("`https://a.b`", "{code https://a.b}");
}

#[test]
fn text_is_sanitized() {
    check("a\u{1b}[31mb\u{7} &#27;[0m &#x202e;x &#10;y", "ab [0m \u{fffd}x  y");
    check("a\tb\r\n\tc", "a   b\nc");
    check("[a](http://x&#7;y)", "a{muted  (http://x␇y)}");
    check("```\u{1b}[0mrs\na\tb\u{7}\n```", "code rs\n| a   b");
}

#[test]
fn code_has_roles_and_unknown_languages_are_code() {
    let blocks = parse("```rs\nfn\n```\n```what\nfn\n```");
    let role = |block: &Arc<Block>| match &**block {
        Block::Code(code) => code.lines[0].spans[0].style.role,
        other => panic!("{other:?}"),
    };
    assert_eq!(blocks.iter().map(role).collect::<Vec<_>>(), [Role::Keyword, Role::Code]);
}

#[test]
fn plain_text_keeps_its_lines() {
    let blocks = plain("# a\n\n  **b**\t\u{1b}[1mc\r\n- d\n");
    assert_eq!(written(&blocks), "# a\n\n  **b** c\n- d\n");
    assert_eq!(plain("").len(), 0);
    assert_eq!(plain("\n\n").len(), 0);
    let long = "word ".repeat(10 * PIECE / 5);
    let blocks = plain(&long);
    assert!(blocks.len() >= 5 && blocks.len() < 12, "{}", blocks.len());
}

/// Returns what is shown after each character of a text.
fn streamed(text: &str) -> Vec<String> {
    let mut markdown = Markdown::default();
    let shown = text.chars().map(|character| {
        markdown.push(character.encode_utf8(&mut [0; 4]));
        written(&markdown.blocks()).trim_end().to_owned()
    });
    shown.collect()
}

#[test]
fn unfinished_constructs_are_stable() {
    let mut steps = streamed("a **b** c");
    steps.dedup();
    assert_eq!(steps, ["a", "a {strong b}", "a {strong b} c"]);
    let mut steps = streamed("| a | b |\n|---|--:|\n| c |");
    steps.dedup();
    assert_eq!(
        steps,
        [
            "",
            "table [Left] a",
            "table [Left, Left] a | b",
            "table [Left, Right] a | b",
            "table [Left, Right] a | b\nrow c",
        ]
    );
    let mut steps = streamed("x\n- [ ] y\n---\nz");
    steps.dedup();
    assert_eq!(
        steps,
        ["x", "x\nitem0 [ ]\n  y", "x\nitem0 [ ]\n  y\nrule", "x\nitem0 [ ]\n  y\nrule\nz"]
    );
    let mut steps = streamed("```rs\na\n```\nb");
    steps.dedup();
    assert_eq!(steps, ["", "code r", "code rs", "code rs\n| a", "code rs\n| a\nb"]);
    let mut steps = streamed("go [to](http://x) on");
    steps.dedup();
    assert_eq!(
        steps,
        [
            "g",
            "go",
            "go [",
            "go [t",
            "go [to",
            "go [to]",
            "go to",
            "go {->http://x to}",
            "go {->http://x to} o",
            "go {->http://x to} on"
        ]
    );
}

#[test]
fn a_finished_message_is_shown_as_written() {
    let mut markdown = Markdown::default();
    markdown.push("use **kw");
    assert_eq!(written(&markdown.blocks()), "use {strong kw}\n");
    markdown.finish();
    assert_eq!(written(&markdown.blocks()), "use **kw\n");
    markdown.push("args** x");
    assert_eq!(written(&markdown.blocks()), "use {strong kwargs} x\n");
    assert_eq!(markdown.source(), "use **kwargs** x");
}

#[test]
fn complete_blocks_keep_their_pointers() {
    let mut markdown = Markdown::default();
    markdown.push("a\n\nb\n\nc");
    let before = markdown.blocks();
    assert!(Arc::ptr_eq(&before[2], &markdown.blocks()[2]), "nothing changed");
    markdown.push("d");
    let after = markdown.blocks();
    assert_eq!(markdown.complete(), 2);
    assert!(Arc::ptr_eq(&before[0], &after[0]) && Arc::ptr_eq(&before[1], &after[1]));
}
