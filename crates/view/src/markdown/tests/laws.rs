//! Properties of every text, and the work that long texts cost.

use super::*;

/// Pieces that make Markdown if they are put together.
const WORDS: &[&str] = &[
    "word",
    "a b",
    " ",
    "  ",
    "    ",
    "\n",
    "\n",
    "\n\n",
    "# ",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "> ",
    "```",
    "```rs\n",
    "~~~",
    "`",
    "**",
    "*",
    "_",
    "~~",
    "[",
    "](",
    "](http://x.y",
    ")",
    "![",
    "|",
    "| a | b |\n",
    "|---|---|\n",
    "---\n",
    "===\n",
    "[ ] ",
    "[x] ",
    "\\",
    "&amp;",
    "<b>",
    "https://a.b/c",
    "é",
    "漢字",
    "\t",
    "\u{1b}[31m",
    "\u{7}",
    "\u{202e}",
    "&#27;",
    "\r\n",
    "fn x() {}",
    "\"text\"",
    "//",
    "/*",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(WORDS), 0..40)
        .prop_map(|words| words.concat())
}

/// Calls a function with each line of the blocks.
fn each_line(blocks: &[Arc<Block>], see: &mut dyn FnMut(&Line)) {
    for block in blocks {
        match &**block {
            Block::Paragraph { lines } => lines.iter().for_each(&mut *see),
            Block::Heading { line, .. } | Block::Attachment { line } => see(line),
            Block::Code(code) => code.lines.iter().for_each(&mut *see),
            Block::Table(table) => {
                table.header.iter().chain(table.rows.iter().flatten()).for_each(&mut *see);
            }
            Block::Quote { blocks } => each_line(blocks, see),
            Block::Item(item) => each_line(&item.blocks, see),
            Block::Rule => {}
        }
    }
}

/// Returns the letters and digits that are shown.
fn letters(blocks: &[Arc<Block>]) -> Vec<char> {
    let mut letters = Vec::new();
    each_line(blocks, &mut |line| {
        letters.extend(line.text().chars().filter(|c| c.is_alphanumeric()));
    });
    letters
}

fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_division_into_chunks_gives_the_same_blocks(
        text in text(),
        lengths in proptest::collection::vec(1_usize..9, 1..20),
    ) {
        let mut markdown = Markdown::default();
        let (mut rest, mut lengths) = (text.as_str(), lengths.iter().cycle());
        let mut complete: Vec<(Arc<Block>, Block)> = Vec::new();
        while !rest.is_empty() {
            let length = rest.ceil_char_boundary(*lengths.next().unwrap());
            let (chunk, after) = rest.split_at(length);
            markdown.push(chunk);
            rest = after;
            // A complete block never changes.
            let blocks = markdown.blocks();
            prop_assert!(complete.len() <= markdown.complete());
            for (index, (pointer, value)) in complete.iter().enumerate() {
                prop_assert!(Arc::ptr_eq(pointer, &blocks[index]));
                prop_assert_eq!(value, &*blocks[index]);
            }
            for block in blocks.iter().take(markdown.complete()).skip(complete.len()) {
                complete.push((Arc::clone(block), (**block).clone()));
            }
        }
        markdown.finish();
        prop_assert_eq!(markdown.source(), &text);
        prop_assert_eq!(written(&markdown.blocks()), written(&parse(&text)));
        prop_assert_eq!(markdown.blocks(), parse(&text));
    }

    #[test]
    fn no_control_character_is_left(
        text in text(),
        other in "\\PC{0,9}[\\x00-\\x1f\\x7f-\\x9f*`\u{2028}\u{2066}]{0,9}",
    ) {
        let text = format!("{text}{other}");
        let mut bad = Vec::new();
        for blocks in [parse(&text), plain(&text)] {
            each_line(&blocks, &mut |line| {
                let links = line.spans.iter().filter_map(|span| span.style.link.as_deref());
                let mut texts = links.chain(line.spans.iter().map(|span| span.text.as_str()));
                if texts.any(|text| text.contains(is_control)) {
                    bad.push(line.clone());
                }
            });
        }
        prop_assert_eq!(bad, []);
    }

    /// While a text comes, its shown letters only grow, except for the last few: those of a mark or
    /// an address that turns out to be something else. A character reference is text while it may
    /// be a part of code, and a word before the text of an image appears when its address comes.
    #[test]
    fn shown_text_stays(text in text()) {
        let text = text.replace(['&', '!'], "");
        let mut markdown = Markdown::default();
        let last = letters(&parse(&text));
        for character in text.chars() {
            markdown.push(character.encode_utf8(&mut [0; 4]));
            let shown = letters(&markdown.blocks());
            let certain = shown.len().saturating_sub(24);
            prop_assert!(last.starts_with(&shown[..certain]), "{:?} {:?}", shown, last);
        }
    }
}

/// Streams a text in chunks, and returns the number of bytes that were read to make spans, per byte
/// of the text, and the blocks. A front end asks for the blocks after every `frame` bytes.
fn work_of(text: &str, frame: usize) -> (f64, Vec<Arc<Block>>) {
    work::take();
    let mut markdown = Markdown::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(frame));
        markdown.push(chunk);
        rest = after;
        std::hint::black_box(markdown.open_blocks());
    }
    markdown.finish();
    let blocks = markdown.blocks();
    (work::take() as f64 / text.len() as f64, blocks)
}

/// Returns a text of about this number of bytes.
type MakeText = fn(usize) -> String;

#[test]
fn long_texts_cost_work_in_proportion() {
    let texts: [(&str, MakeText); 11] = [
        ("a paragraph without a line feed", |n| "word ".repeat(n / 5)),
        ("a paragraph without a space", |n| "x".repeat(n)),
        ("a paragraph of many lines", |n| "some words and `code` in a line\n".repeat(n / 32)),
        ("code", |n| format!("```rs\n{}", "let x = 1; // y\n".repeat(n / 16))),
        ("code in one line", |n| format!("```json\n{}", "[1],".repeat(n / 4))),
        ("items", |n| "- an item\n".repeat(n / 10)),
        ("nested items", |n| "- a\n  - b\n    - c\n".repeat(n / 18)),
        ("a quote", |n| "> quoted\n>\n".repeat(n / 11)),
        ("deep quotes", |n| ">".repeat(n)),
        ("stars", |n| "*".repeat(n)),
        ("a table", |n| format!("|a|b|\n|-|-|\n{}", "|c|d|\n".repeat(n / 6))),
    ];
    for (name, text) in &texts {
        let (small, _) = work_of(&text(50_000), 4096);
        let (large, blocks) = work_of(&text(150_000), 4096);
        assert!(large < 8.0 && large < small * 1.3 + 0.1, "{name}: {small} and {large} per byte");
        // No block is so long that a front end must draw much text again.
        for block in &blocks {
            let mut bytes = 0;
            each_line(std::slice::from_ref(block), &mut |line| bytes += line.text().len());
            assert!(bytes <= 2 * PIECE * 128, "{name}: {bytes}");
        }
    }
}

#[test]
fn long_texts_keep_all_words() {
    let text = "word ".repeat(PIECE);
    let blocks = parse(&text);
    assert_eq!(letters(&blocks).len(), 4 * PIECE);
    let code = parse(&format!("```\n{}", "a\n".repeat(1000)));
    let parts = code.iter().map(|block| match &**block {
        Block::Code(code) => (code.lines.len(), code.continued),
        other => panic!("{other:?}"),
    });
    let parts: Vec<_> = parts.collect();
    assert_eq!(parts.iter().map(|(lines, _)| lines).sum::<usize>(), 1000);
    assert!(parts.iter().skip(1).all(|(_, continued)| *continued) && !parts[0].1);
}

#[test]
fn nested_containers_have_a_limit() {
    for text in ["> ".repeat(10_000), "- ".repeat(10_000), "1. > ".repeat(5_000)] {
        let blocks = parse(&format!("{text}end\nmore"));
        assert!(!format!("{blocks:?}").is_empty());
        assert!(written(&blocks).contains("end"), "{}", written(&blocks));
    }
}
