//! Colours and attributes of characters.

use super::cell::CellStyle;
use crate::span::Color;

/// Applies the parameters of a sequence that selects colours and attributes. Hidden text stays
/// visible.
pub(super) fn apply(style: &mut CellStyle, parameters: &[u16]) {
    let mut rest = parameters.iter().copied();
    while let Some(parameter) = rest.next() {
        match parameter {
            0 => *style = CellStyle::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underlined = true,
            7 => style.inverse = true,
            9 => style.struck = true,
            21 | 22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underlined = false,
            27 => style.inverse = false,
            29 => style.struck = false,
            30..=37 => style.foreground = indexed(parameter - 30),
            38 => style.foreground = extended(&mut rest).or(style.foreground),
            39 => style.foreground = None,
            40..=47 => style.background = indexed(parameter - 40),
            48 => style.background = extended(&mut rest).or(style.background),
            49 => style.background = None,
            90..=97 => style.foreground = indexed(parameter - 90 + 8),
            100..=107 => style.background = indexed(parameter - 100 + 8),
            _ => {}
        }
    }
}

fn indexed(number: u16) -> Option<Color> {
    u8::try_from(number).ok().map(Color::Indexed)
}

/// Reads a colour of 256, or red, green and blue.
fn extended(rest: &mut impl Iterator<Item = u16>) -> Option<Color> {
    match rest.next()? {
        5 => indexed(rest.next()?),
        2 => {
            let mut part = || u8::try_from(rest.next()?).ok();
            Some(Color::Rgb(part()?, part()?, part()?))
        }
        _ => None,
    }
}
