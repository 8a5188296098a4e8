//! How many colours a terminal draws.

use ratatui::style::Color;

/// How many colours a terminal draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorDepth {
    /// No colours, as with `NO_COLOR`: only bold, underlined, reversed and the like.
    None,
    /// The 16 colours of the person's terminal.
    Ansi16,
    /// The 256 colours of xterm.
    Indexed256,
    /// Red, green and blue.
    Rgb,
}

impl ColorDepth {
    /// Finds the colours by the environment variables `NO_COLOR`, `COLORTERM` and `TERM`.
    /// `variable` returns the value of a variable.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        if set("NO_COLOR").is_some() || term == "dumb" {
            return Self::None;
        }
        let direct = set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit");
        if direct || term.ends_with("-direct") {
            Self::Rgb
        } else if term.contains("256") {
            Self::Indexed256
        } else {
            Self::Ansi16
        }
    }

    /// Returns the nearest colour that the terminal draws; `None` if it draws no colours.
    pub fn nearest(self, color: Color) -> Option<Color> {
        match (self, color) {
            (Self::None, _) => None,
            (Self::Indexed256, Color::Rgb(red, green, blue)) => {
                Some(Color::Indexed(nearest_of_256(red, green, blue)))
            }
            (Self::Ansi16, Color::Rgb(red, green, blue)) => {
                Some(ansi(nearest_of_16(red, green, blue)))
            }
            (Self::Ansi16, Color::Indexed(index)) => Some(match index {
                0..16 => ansi(index),
                _ => {
                    let (red, green, blue) = rgb_of_index(index);
                    ansi(nearest_of_16(red, green, blue))
                }
            }),
            _ => Some(color),
        }
    }
}

/// The colours of xterm for the first 16 numbers.
const SIXTEEN: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// The levels of one colour in the 6x6x6 cube of xterm.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn ansi(index: u8) -> Color {
    match index {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        8 => Color::DarkGray,
        9 => Color::LightRed,
        10 => Color::LightGreen,
        11 => Color::LightYellow,
        12 => Color::LightBlue,
        13 => Color::LightMagenta,
        14 => Color::LightCyan,
        _ => Color::White,
    }
}

fn distance(one: (u8, u8, u8), other: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

fn nearest_of_16(red: u8, green: u8, blue: u8) -> u8 {
    let near =
        SIXTEEN.iter().zip(0u8..).min_by_key(|(color, _)| distance(**color, (red, green, blue)));
    near.map_or(7, |(_, index)| index)
}

fn nearest_of_256(red: u8, green: u8, blue: u8) -> u8 {
    let near = (16..=255u8).min_by_key(|index| distance(rgb_of_index(*index), (red, green, blue)));
    near.unwrap_or(7)
}

/// Returns the colour of a number from 16: the cube, then the greys.
fn rgb_of_index(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let cube = index.saturating_sub(16);
    let level = |position: u8| LEVELS.get(usize::from(position)).copied().unwrap_or(255);
    (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
}
