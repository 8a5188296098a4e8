//! The output of a run: JSON, plain text, or a terminal.

use crate::args;
use crate::show::Show;
use crate::show::json::Json;
use crate::show::paint::Paint;
use crate::show::plain::Plain;
use crate::show::progress::Style;
use crate::show::terminal::Terminal;
use crate::show::tool_call::Bound;
use crate::{terminal, theme};
use std::io::{self, IsTerminal};

/// Returns the output for stdout and the flags.
pub(super) fn output(arguments: &args::Run) -> Box<dyn Show> {
    if arguments.json {
        return Box::new(Json::new(io::stdout()));
    }
    let bound = if arguments.verbose { Bound::Whole } else { Bound::Short };
    if io::stdout().is_terminal() && !arguments.quiet {
        return Box::new(on_terminal(bound));
    }
    let paint = Paint::of(&io::stderr());
    let style = Style { paint, columns: terminal::columns, rewrite: false, bound };
    // The width of the terminal does not apply to a log.
    let style =
        if io::stderr().is_terminal() { style } else { Style { columns: || None, ..style } };
    Box::new(Plain::new(io::stdout(), (!arguments.quiet).then(|| (io::stderr(), style))))
}

/// Returns the output for a terminal.
pub(crate) fn on_terminal(bound: Bound) -> Terminal<io::Stdout> {
    let (paint, rewrite) = (Paint::of(&io::stdout()), terminal::can_rewrite());
    let style = Style { paint, columns: terminal::columns, rewrite, bound };
    // The screen reports mistakes in the theme.
    Terminal::new(io::stdout(), style, theme::of_terminal(&mut Vec::new()))
}
