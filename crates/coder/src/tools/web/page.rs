//! Converts a fetched page to text for a model.

use encoding_rs::{Encoding, UTF_8};
use htmd::HtmlToMarkdown;

/// The maximum depth of elements in a page that is converted to Markdown, because the converter is
/// recursive.
const MAX_DEPTH: usize = 128;

/// The maximum number of elements in such a page, including unclosed formatting elements, which are
/// repeated in every block.
const MAX_ELEMENTS: usize = 400_000;

/// Elements whose content is not for readers.
const SKIPPED: [&str; 7] = ["script", "style", "noscript", "template", "svg", "iframe", "object"];

/// Elements whose end tag is optional or forbidden. They do not add to the depth.
const UNNESTED: [&str; 24] = [
    "p", "li", "td", "th", "tr", "dt", "dd", "option", "thead", "tbody", "tfoot", "colgroup", "br",
    "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed",
];

/// Formatting elements, which continue in the next block unless they are closed.
const FORM: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// The kind of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    Text,
    /// Neither HTML nor text.
    Other,
}

/// Returns the kind of a body by its `content-type` or, if it has none, by its bytes.
pub(crate) fn kind(content_type: &str, body: &[u8]) -> Kind {
    let mime = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let begins = |start: &str| {
        let body = body.trim_ascii_start();
        body.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    match mime.as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "application/json"
        | "application/xml"
        | "application/javascript"
        | "application/x-ndjson"
        | "application/toml"
        | "application/yaml"
        | "application/x-yaml"
        | "application/x-sh" => Kind::Text,
        mime if mime.starts_with("text/") || mime.ends_with("+json") || mime.ends_with("+xml") => {
            Kind::Text
        }
        "" | "application/octet-stream" if body.contains(&0) => Kind::Other,
        "" if begins("<!doctype html") || begins("<html") => Kind::Html,
        "" | "application/octet-stream" if std::str::from_utf8(body).is_ok() => Kind::Text,
        _ => Kind::Other,
    }
}

/// The body as text. Its encoding is given by the byte order mark, else by the `content-type`, else
/// by the declaration in the page. If none of these names an encoding, it is UTF-8.
pub(crate) fn decoded(content_type: &str, body: &[u8], kind: Kind) -> String {
    let label = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"').to_owned())
    });
    let named = label.or_else(|| named(body).filter(|_| kind == Kind::Html));
    let encoding = named.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
    encoding.decode(body).0.into_owned()
}

/// The encoding that an HTML page declares in its first bytes.
fn named(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(body.get(..1024).unwrap_or(body)).to_ascii_lowercase();
    let (_, rest) = head.split_once("charset=")?;
    let name = rest.trim_start_matches(['"', '\'']);
    let end = name.find(|each: char| !(each.is_ascii_alphanumeric() || "-_:.".contains(each)))?;
    name.get(..end).map(str::to_owned)
}

/// The page as Markdown. A page that has too many elements, or nests them too deeply, yields only
/// its plain text.
pub(crate) fn markdown(html: &str) -> String {
    if is_within_limits(html) {
        let converter =
            HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).scripting_enabled(false).build();
        if let Ok(markdown) = converter.convert(html) {
            return markdown;
        }
    }
    plain_text(html)
}

/// Whether a page stays within the limits on the depth and the number of its elements.
fn is_within_limits(html: &str) -> bool {
    let (mut depth, mut deepest, mut form, mut most_form, mut blocks) =
        (0_usize, 0, 0_usize, 0, 0_usize);
    for tag in tags(html) {
        let (name, closes) = match tag.strip_prefix('/') {
            Some(name) => (name, true),
            None => (tag, false),
        };
        let end = name.find(|each: char| !each.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default().to_ascii_lowercase();
        blocks += usize::from(!closes);
        if FORM.contains(&name.as_str()) {
            form = if closes { form.saturating_sub(1) } else { form + 1 };
        }
        if !UNNESTED.contains(&name.as_str()) {
            depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        }
        (deepest, most_form) = (deepest.max(depth), most_form.max(form));
    }
    deepest <= MAX_DEPTH && blocks.saturating_mul(most_form + 1) <= MAX_ELEMENTS
}

/// The text of a tag, between `<` and `>`.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()).filter(|tag| {
        let name = tag.strip_prefix('/').unwrap_or(tag);
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && !tag.ends_with('/')
    })
}

/// The text between the tags.
fn plain_text(html: &str) -> String {
    let mut pieces = html.split('<');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        if let Some((_, after)) = piece.split_once('>') {
            text.push(' ');
            text.push_str(after);
        }
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Kind, decoded, kind, markdown};

    #[test]
    fn page_becomes_markdown_without_scripts_and_styles() {
        let html = "<html><head><title>T</title><script>alert(1)</script><style>b{}</style></head><body><h1>One &amp; two</h1>\
                    <p>A <a href=\"https://example.org/x\">link</a>, <code>code</code></p><ul><li>a<li>b</ul><table><tr><th>h<tr><td>c</table></body>";
        let text = markdown(html);
        for part in ["# One & two", "[link](https://example.org/x)", "`code`", "a", "b"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("alert") && !text.contains("b{}"), "{text}");
    }

    #[test]
    fn deep_or_growing_pages_become_plain_text() {
        let deep = format!("{}x{}", "<div>".repeat(200_000), "</div>".repeat(200_000));
        assert_eq!(markdown(&deep), "x");
        let fonts: String = (0..100).map(|number| format!("<font size={number}>")).collect();
        let bomb = format!("{fonts}{}", "<p>y".repeat(200_000));
        assert!(markdown(&bomb).len() < 2_000_000);
        let list = format!("<ul>{}</ul>", "<li>item <b>b</b>".repeat(20_000));
        assert!(markdown(&list).contains("**b**"), "a long page is converted");
        for odd in ["", "<", "<<<", "</", "<a", "a<b>c</d>e", "<!-- x", "\u{0}"] {
            markdown(odd);
        }
    }

    #[test]
    fn media_type_and_encoding_come_from_the_page() {
        for (content_type, body, expected) in [
            ("text/html; charset=utf-8", &b"x"[..], Kind::Html),
            ("application/vnd.api+json", b"{}", Kind::Text),
            ("", b" <!DOCTYPE HTML>", Kind::Html),
            ("", b"plain", Kind::Text),
            ("application/octet-stream", b"a\0b", Kind::Other),
            ("image/png", b"x", Kind::Other),
        ] {
            assert_eq!(kind(content_type, body), expected, "{content_type}");
        }
        for (content_type, body) in [
            ("text/plain; charset=ISO-8859-1", &b"\xe4"[..]),
            ("text/plain; Charset=\"latin1\"", b"\xe4"),
            ("text/plain", "ä".as_bytes()),
            ("text/plain; charset=nonsense", "ä".as_bytes()),
            ("text/plain; charset=latin1", "\u{feff}ä".as_bytes()),
        ] {
            assert_eq!(decoded(content_type, body, Kind::Text), "ä", "{content_type}");
        }
        let page = b"<meta charset=\"windows-1252\"><p>\x80";
        assert!(decoded("text/html", page, Kind::Html).ends_with('€'));
    }
}
