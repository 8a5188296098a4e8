//! The text of one paragraph, heading or cell.

use super::{link, open_text, work};
use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role, Span, Style};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// The character that takes the place of a line feed while pulldown-cmark parses. It counts as
/// white space, and sanitized text does not contain it.
const BREAK: char = '\u{2028}';

/// Returns the block of a paragraph. A paragraph that contains only images is an attachment.
/// `open` means that the paragraph may get more text.
pub(super) fn paragraph(text: &str, open: bool) -> Block {
    let collector = collect(text, Role::Text, open);
    if collector.images > 0 && !collector.has_text {
        return Block::Attachment { line: joined(collector.lines) };
    }
    Block::Paragraph { lines: collector.lines }
}

/// Returns a text on one line.
pub(super) fn line(text: &str, role: Role, open: bool) -> Line {
    joined(collect(text, role, open).lines)
}

/// Returns the text before the first code between single backticks, the code, and the text after
/// it. `None` if there is none, or if there are doubled backticks before it.
pub(super) fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, marked) = text.split_once('`')?;
    let (code, after) = marked.split_once('`')?;
    (!code.trim().is_empty() && !after.starts_with('`')).then_some((before, code, after))
}

fn joined(lines: Vec<Line>) -> Line {
    let mut spans: Vec<Span> = Vec::new();
    for line in lines {
        if !spans.is_empty() {
            push(&mut spans, " ", &Style::default());
        }
        spans.extend(line.spans);
    }
    Line { spans }
}

fn collect(text: &str, role: Role, open: bool) -> Collector {
    if open && let Some(closed) = open_text::close(text) {
        let collector = parse(&closed.text, role);
        // Marks that closed nothing would be shown.
        let shown = collector.lines.last().and_then(|line| line.text().chars().next_back());
        if shown.is_none() || shown != closed.last_mark {
            return collector;
        }
    }
    parse(text, role)
}

/// Parses a text. As a heading, it has no structure of blocks, whatever its lines begin with.
fn parse(text: &str, role: Role) -> Collector {
    work::count(text.len());
    let mut heading = String::with_capacity(text.len() + 8);
    heading.push_str("# ");
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            // A backslash at the end of a line is a line break, as the end of the line itself is.
            let slashes = heading.len() - heading.trim_end_matches('\\').len();
            if slashes % 2 == 1 {
                heading.pop();
            }
            heading.push(BREAK);
        }
        heading.push_str(line.trim());
    }
    heading.push(BREAK);
    let mut collector = Collector::new(role);
    for event in Parser::new_ext(&heading, Options::ENABLE_STRIKETHROUGH) {
        collector.event(event);
    }
    collector.end();
    collector
}

/// Makes lines of events.
#[derive(Debug)]
struct Collector {
    lines: Vec<Line>,
    role: Role,
    strong: usize,
    emphasis: usize,
    struck: usize,
    /// The address of the link around the next text, and the text of the link so far.
    link: Option<(String, String)>,
    /// The number of images around the next text.
    inside_images: usize,
    images: usize,
    /// Whether there is text outside of images.
    has_text: bool,
}

impl Collector {
    fn new(role: Role) -> Self {
        Self {
            lines: vec![Line::default()],
            role,
            strong: 0,
            emphasis: 0,
            struck: 0,
            link: None,
            inside_images: 0,
            images: 0,
            has_text: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => {
                self.text(&text, self.role);
            }
            Event::Code(text) => self.text(&text, Role::Code),
            Event::SoftBreak | Event::HardBreak => self.text(" ", self.role),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.strong += 1,
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { link_type, dest_url, .. } => {
                let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
                self.link = Some((format!("{scheme}{dest_url}"), String::new()));
            }
            Tag::Image { dest_url, .. } => {
                self.images += 1;
                self.inside_images += 1;
                self.text("image: ", Role::Muted);
                if self.link.is_none() {
                    self.link = Some((dest_url.to_string(), String::new()));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link => self.end_link(),
            TagEnd::Image => {
                if self.inside_images == 1 {
                    self.end_link();
                }
                self.inside_images = self.inside_images.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Ends a link. The address follows the text if no front end may open it, and if the text looks
    /// like another address.
    fn end_link(&mut self) {
        let Some((address, text)) = self.link.take() else { return };
        let shown = link::shown(&address);
        if text.trim().is_empty() {
            self.link = Some((address, shown.clone()));
            self.text(&shown, Role::Text);
            self.link = None;
        } else if link::target(&address).is_none() && text != address && !shown.is_empty()
            || link::misleads(&text, &address)
        {
            self.text(&format!(" ({shown})"), Role::Muted);
        }
    }

    fn text(&mut self, text: &str, role: Role) {
        if self.inside_images == 0 && text.contains(|c: char| !c.is_whitespace()) {
            self.has_text = true;
        }
        let target = self.link.as_ref().and_then(|(address, _)| link::target(address));
        if let Some((_, inside)) = &mut self.link {
            inside.push_str(text);
        }
        let style = Style {
            strong: self.strong > 0,
            emphasis: self.emphasis > 0,
            struck: self.struck > 0,
            link: target,
            ..Style::of(role)
        };
        for (index, piece) in text.split(BREAK).enumerate() {
            if index > 0 {
                self.lines.push(Line::default());
            }
            if let Some(line) = self.lines.last_mut() {
                push(&mut line.spans, &clean(piece), &style);
            }
        }
    }

    /// Removes the line that follows the last break, and finds the addresses in the text.
    fn end(&mut self) {
        while self.lines.len() > 1 && self.lines.last().is_some_and(Line::is_empty) {
            self.lines.pop();
        }
        for line in &mut self.lines {
            let has_address = |span: &Span| span.text.contains("://");
            if line.spans.iter().any(has_address) {
                line.spans = std::mem::take(&mut line.spans).into_iter().flat_map(linked).collect();
            }
        }
    }
}

/// Sanitizes a piece of a line. The text is sanitized already, but a character reference such as
/// `&#27;` can name any character.
fn clean(text: &str) -> String {
    let text = text.replace(['\n', '\t'], " ");
    match sanitize::text(&text) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(clean) => clean,
    }
}

fn push(spans: &mut Vec<Span>, text: &str, style: &Style) {
    if text.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if last.style == *style => last.text.push_str(text),
        _ => spans.push(Span { text: text.to_owned(), style: style.clone() }),
    }
}

/// Divides a span so that each address in it is a link.
fn linked(span: Span) -> Vec<Span> {
    if span.style.link.is_some() || matches!(span.style.role, Role::Code | Role::Muted) {
        return vec![span];
    }
    let mut spans = Vec::new();
    let mut rest = span.text.as_str();
    while let Some((begin, end)) = link::find(rest) {
        let (before, address) = (rest.get(..begin), rest.get(begin..end));
        push(&mut spans, before.unwrap_or_default(), &span.style);
        let address = address.unwrap_or_default();
        let style = Style { link: link::target(address), ..span.style.clone() };
        push(&mut spans, address, &style);
        rest = rest.get(end..).unwrap_or_default();
    }
    push(&mut spans, rest, &span.style);
    spans
}
