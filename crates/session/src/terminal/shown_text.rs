//! The output of a terminal for clients that show no terminals.

use attache_protocol::v1::ContentBlock;

/// How many bytes at the end of the output are shown. Each change sends them all.
const SHOWN: usize = 64 * 1024;

/// The end of an output as a code block, so that nothing in it becomes markup. `is_cut` says that
/// the start is missing already.
pub(crate) fn shown_text(output: &str, is_cut: bool) -> ContentBlock {
    let shown = end(output, SHOWN);
    let is_cut = is_cut || shown.len() < output.len();
    let cut = if is_cut { "The start of the output is left out.\n\n" } else { "" };
    let fence = "`".repeat(longest_ticks(shown).max(2) + 1);
    let line_end = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
    ContentBlock::text(format!("{cut}{fence}\n{shown}{line_end}{fence}"))
}

/// At most this many bytes at the end of a text, from the beginning of a character on.
pub(crate) fn end(text: &str, limit: usize) -> &str {
    text.split_at(text.ceil_char_boundary(text.len().saturating_sub(limit))).1
}

/// The length of the longest run of backticks.
fn longest_ticks(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(output: &str, is_cut: bool) -> String {
        let ContentBlock::Text(text) = shown_text(output, is_cut) else { panic!("no text") };
        text.text
    }

    #[test]
    fn an_output_cannot_end_its_code_block() {
        assert_eq!(text("a\n", false), "```\na\n```");
        assert_eq!(text("# a", false), "```\n# a\n```");
        assert_eq!(text("```\n<b>````", false), "`````\n```\n<b>````\n`````");
        assert_eq!(text("", true), "The start of the output is left out.\n\n```\n```");
    }

    #[test]
    fn the_end_of_a_long_output_begins_with_a_whole_character() {
        let long = "\u{1f600}".repeat(SHOWN);
        let text = text(&format!("a{long}b"), false);
        let shown = text.strip_prefix("The start of the output is left out.\n\n```\n").unwrap();
        assert!(shown.starts_with('\u{1f600}') && shown.ends_with("b\n```"));
        assert!(shown.len() <= SHOWN + 5, "{}", shown.len());
        assert_eq!(end("a\u{1f600}", 3), "");
    }
}
