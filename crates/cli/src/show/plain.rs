//! The output for a pipe: the answer goes to one stream, progress to another.

use super::progress::{Progress, Style};
use super::tool_call::{self, Bound};
use super::{Item, Show};
use attache_session::MessageAuthor;
use attache_view::sanitize;
use std::io::{self, Write};

/// Writes only the answer to `text`; everything else goes to the progress, if any.
pub(crate) struct Plain<T, P> {
    text: T,
    progress: Option<Progress<P>>,
    /// Whether the answer is in an unfinished line.
    inside_line: bool,
    /// Whether something else happened since the last text, so that the next text starts a new
    /// line.
    interrupted: bool,
}

impl<T: Write, P: Write> Plain<T, P> {
    /// Without a stream for progress, only the answer is written. An error is reported when the run
    /// ends.
    pub(crate) fn new(text: T, progress: Option<(P, Style)>) -> Self {
        let progress = progress.map(|(out, style)| Progress::new(out, style));
        Self { text, progress, inside_line: false, interrupted: false }
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        let text = sanitize::text(text);
        let Some(end) = text.chars().next_back() else { return Ok(()) };
        if self.inside_line && self.interrupted {
            writeln!(self.text)?;
        }
        (self.inside_line, self.interrupted) = (end != '\n', false);
        write!(self.text, "{text}")?;
        self.text.flush()
    }

    /// Writes reasoning to the progress, but only with `--verbose`.
    fn thought(&mut self, text: &str) -> io::Result<()> {
        match &mut self.progress {
            Some(progress) if progress.style().bound == Bound::Whole => {
                write!(progress.out(), "{}", sanitize::text(text))?;
                progress.out().flush()
            }
            _ => Ok(()),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.inside_line) {
            writeln!(self.text)?;
        }
        self.text.flush()
    }
}

impl<T: Write + Send, P: Write + Send> Show for Plain<T, P> {
    fn show(&mut self, item: Item<'_>) -> io::Result<()> {
        match item {
            Item::Text(text) => return self.answer(text),
            Item::Content { author: MessageAuthor::Agent, block } => {
                return self.answer(&tool_call::block(block));
            }
            Item::Thought(text) => return self.thought(text),
            Item::Stop { .. } | Item::Error { .. } => self.end_line()?,
            // A blank line separates the answers of a script.
            Item::Prompt { number, .. } if number > 1 => writeln!(self.text)?,
            Item::Message(_) | Item::ToolCall(_) | Item::Plan(_) | Item::Permission { .. } => {
                self.interrupted = true
            }
            _ => {}
        }
        match &mut self.progress {
            Some(progress) => progress.show(&item),
            None => Ok(()),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        self.text.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;
    use crate::show::paint::Paint;
    use attache_protocol::v1::StopReason;
    use attache_session::{ToolCall, UsageState};

    fn style(bound: Bound) -> Style {
        Style { paint: Paint { colours: false }, columns: || None, rewrite: false, bound }
    }

    fn run(bound: Option<Bound>) -> (String, String) {
        let (mut text, mut progress) = (Vec::new(), Vec::new());
        let mut plain = Plain::new(&mut text, bound.map(|bound| (&mut progress, style(bound))));
        let call = ToolCall::new("c", "Look\u{1b}[2J");
        let items = [
            Item::Thought("hm "),
            Item::Text("Let me "),
            Item::Text("look."),
            Item::ToolCall(&call),
            Item::Text("Do\u{9b}1mne"),
            Item::Stop {
                reason: &StopReason::EndTurn,
                usage: None,
                state: &UsageState::default(),
                refused: 0,
            },
            Item::Error { exit: Exit::AgentFailed, message: "broke\u{7}" },
        ];
        items.into_iter().for_each(|item| plain.show(item).unwrap());
        (String::from_utf8(text).unwrap(), String::from_utf8(progress).unwrap())
    }

    #[test]
    fn only_the_answer_goes_to_the_pipe() {
        let (text, progress) = run(Some(Bound::Short));
        assert_eq!(text, "Let me look.\nDone\n");
        assert_eq!(progress, "○ other   Look\n");
    }

    #[test]
    fn quiet_shows_only_the_answer_and_verbose_adds_reasoning() {
        assert_eq!(run(None), ("Let me look.\nDone\n".into(), String::new()));
        assert!(run(Some(Bound::Whole)).1.starts_with("hm "));
    }
}
