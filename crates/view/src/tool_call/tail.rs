//! The end of a long text.

/// The end of a text that can be long, in lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The last lines. The first one may be the end of a longer line.
    pub(crate) text: String,
    /// Whether `text` is not the whole text.
    pub(crate) is_cut: bool,
}

impl Tail {
    /// The number of lines that a row shows.
    pub(crate) const LINES: usize = 200;
    /// The number of bytes that a row shows.
    pub(crate) const BYTES: usize = 64 * 1024;

    /// Returns the end of these texts, which begin with the last one. Each text ends its line. The
    /// cost depends on the limits and the number of texts read, not on the size of the texts.
    pub(crate) fn of<'t>(
        texts_from_the_end: impl IntoIterator<Item = &'t str>,
        lines: usize,
        bytes: usize,
    ) -> Self {
        let (mut found, mut left_lines, mut left_bytes) = (Vec::new(), lines, bytes);
        let mut is_cut = false;
        for text in texts_from_the_end {
            let text = text.strip_suffix('\n').unwrap_or(text);
            if left_lines == 0 || left_bytes == 0 {
                is_cut = true;
                break;
            }
            let end = end_of(text, left_lines, left_bytes);
            found.push(end);
            if end.len() < text.len() {
                is_cut = true;
                break;
            }
            left_lines = left_lines.saturating_sub(end.split('\n').count());
            left_bytes = left_bytes.saturating_sub(end.len() + 1);
        }
        found.reverse();
        Self { text: found.join("\n"), is_cut }
    }
}

/// Returns the last lines of a text, at most `bytes` long.
fn end_of(text: &str, lines: usize, bytes: usize) -> &str {
    let least = text.len().saturating_sub(bytes);
    let least = (least..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let end = text.get(least..).unwrap_or_default();
    let feeds = end.rmatch_indices('\n').map(|(at, _)| at);
    match feeds.take(lines).nth(lines.saturating_sub(1)) {
        Some(at) => end.get(at + 1..).unwrap_or_default(),
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(texts: &[&str], lines: usize, bytes: usize) -> (String, bool) {
        let tail = Tail::of(texts.iter().rev().copied(), lines, bytes);
        (tail.text, tail.is_cut)
    }

    #[test]
    fn the_last_lines_stay() {
        assert_eq!(tail(&["a\nb\nc\n"], 9, 99), ("a\nb\nc".into(), false));
        assert_eq!(tail(&["a\nb\nc\n"], 2, 99), ("b\nc".into(), true));
        assert_eq!(tail(&["a\n", "b", "c"], 3, 99), ("a\nb\nc".into(), false));
        assert_eq!(tail(&["a\n", "b", "c"], 2, 99), ("b\nc".into(), true));
        assert_eq!(tail(&["one\ntwo", "3"], 2, 99), ("two\n3".into(), true));
        assert_eq!(tail(&["aéb"], 9, 2), ("b".into(), true));
        assert_eq!(tail(&[], 9, 9), (String::new(), false));
    }
}
