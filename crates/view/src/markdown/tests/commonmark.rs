//! The block parser against the one of pulldown-cmark, which reads whole texts.

use super::*;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

/// Pieces of quotes, lists, code, headings and rules. The library reads some tabs in another way
/// than the specification.
const WORDS: &[&str] = &[
    "word", "a b", " ", "  ", "    ", "\n", "\n", "\n\n", "\n\n", "# ", "- ", "- ", "* ", "1. ",
    "1. ", "2) ", "> ", "> ", "```\n", "```rs\n", "~~~\n", "***\n",
];

/// Writes each paragraph, heading, code and rule with the containers around it: `>` for a quote,
/// and the depth of an item. White space is left out.
fn ours(blocks: &[Arc<Block>], around: &str, out: &mut Vec<String>) {
    for block in blocks {
        let text = |lines: &[Line]| {
            let text: String = lines.iter().map(Line::text).collect();
            text.split_whitespace().collect::<String>()
        };
        match &**block {
            Block::Paragraph { lines } => out.push(format!("{around}p {}", text(lines))),
            Block::Heading { level, line } => {
                out.push(format!("{around}h{level} {}", text(std::slice::from_ref(line))));
            }
            Block::Code(code) => out.push(format!("{around}code {}", text(&code.lines))),
            Block::Rule => out.push(format!("{around}rule")),
            Block::Quote { blocks } => ours(blocks, &format!("{around}>"), out),
            Block::Item(item) => ours(&item.blocks, &format!("{around}{}", item.depth), out),
            other => out.push(format!("{around}{other:?}")),
        }
    }
}

/// Writes the same of the events of the library.
fn theirs(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut around: Vec<Option<usize>> = Vec::new();
    let mut leaf: Option<(&str, String)> = None;
    let path = |around: &[Option<usize>]| -> String {
        let mut path: Vec<Option<usize>> = Vec::new();
        for container in around {
            if container.is_some() && path.last().is_some_and(Option::is_some) {
                path.pop();
            }
            path.push(*container);
        }
        path.iter().map(|c| c.map_or_else(|| ">".to_owned(), |depth| depth.to_string())).collect()
    };
    let end =
        |leaf: &mut Option<(&str, String)>, around: &[Option<usize>], out: &mut Vec<String>| {
            if let Some((kind, text)) = leaf.take() {
                let text: String = text.split_whitespace().collect();
                out.push(format!("{}{kind} {text}", path(around)));
            }
        };
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => {
                end(&mut leaf, &around, &mut out);
                around.push(None);
            }
            Event::Start(Tag::Item) => {
                end(&mut leaf, &around, &mut out);
                let items = around.iter().rev().take_while(|container| container.is_some());
                around.push(Some(items.count()));
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => {
                end(&mut leaf, &around, &mut out);
                around.pop();
            }
            Event::Start(Tag::Paragraph) => leaf = Some(("p", String::new())),
            Event::Start(Tag::Heading { level, .. }) => {
                end(&mut leaf, &around, &mut out);
                let kind = if level == HeadingLevel::H1 { "h1" } else { "h2" };
                leaf = Some((kind, String::new()));
            }
            Event::Start(Tag::CodeBlock(_)) => {
                end(&mut leaf, &around, &mut out);
                leaf = Some(("code", String::new()));
            }
            Event::Start(Tag::List(_))
            | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock) => {
                end(&mut leaf, &around, &mut out);
            }
            Event::Rule => {
                end(&mut leaf, &around, &mut out);
                out.push(format!("{}rule", path(&around)));
            }
            // The text of an item of a tight list has no paragraph.
            Event::Text(text) | Event::Code(text) => {
                leaf.get_or_insert(("p", String::new())).1.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => {
                leaf.get_or_insert(("p", String::new())).1.push(' ');
            }
            _ => {}
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn containers_are_those_of_the_library(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..25),
    ) {
        let text = words.concat();
        let expected = theirs(&text);
        // A line below a longer paragraph is a rule here.
        prop_assume!(!expected.iter().any(|leaf| leaf.contains("h2 ")));
        let mut found = Vec::new();
        ours(&parse(&text), "", &mut found);
        let empty = |leaf: &String| leaf.ends_with("p ");
        found.retain(|leaf| !empty(leaf));
        prop_assert_eq!(found, expected, "{}", text);
    }
}
