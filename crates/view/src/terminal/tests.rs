use super::*;
use crate::span::{Color, Colors, Role};

fn lines(output: &str) -> Vec<String> {
    lines_of_text(output).iter().map(Line::text).collect()
}

#[test]
fn movements_of_the_cursor_are_applied() {
    for (output, expected) in [
        ("one\r\ntwo\r\n", &["one", "two"][..]),
        ("one\ntwo", &["one", "two"]),
        ("10%\r20%\rdone", &["done"]),
        ("long line\rx\u{1b}[K", &["x"]),
        ("abc\u{8}\u{8}X", &["aXc"]),
        ("a\tb", &["a       b"]),
        ("a\nb\nc\u{1b}[2A\rX", &["X", "b", "c"]),
        ("a\nb\u{1b}[1A\u{1b}[2K\rnew\n", &["new", "b"]),
        ("one\u{1b}[2J\u{1b}[Htwo", &["two"]),
        ("\u{1b}[2;3Hx", &["", "  x"]),
        ("a\u{1b}[5Cb", &["a     b"]),
        ("abcdef\r\u{1b}[2P", &["cdef"]),
        ("abcdef\r\u{1b}[2X", &["  cdef"]),
        ("a\u{1b}7bc\u{1b}8X", &["aXc"]),
        ("漢字\rx", &["x 字"]),
        ("漢字\u{1b}[2Dx", &["漢x"]),
        ("e\u{301}x\r\u{1b}[1Cy", &["e\u{301}y"]),
        ("", &[]),
        ("\n\n", &[]),
    ] {
        assert_eq!(lines(output), expected, "{output:?}");
    }
}

#[test]
fn other_sequences_are_removed() {
    for output in [
        "\u{1b}]0;title\u{7}text",
        "\u{1b}]8;;https://x\u{1b}\\text\u{1b}]8;;\u{1b}\\",
        "\u{1b}Pq#0\u{1b}\\text",
        "\u{1b}[?25ltext\u{1b}[?2004h",
        "\u{1b}(Btext",
        "\u{1b}[5 qtext",
        "\u{7}te\0xt\u{7f}",
        "\u{1b}[999999999999mtext",
    ] {
        assert_eq!(lines(output), ["text"], "{output:?}");
    }
    assert_eq!(lines("a\u{202e}b"), ["a\u{fffd}b"]);
    assert_eq!(lines("\u{1b}]0;never ended\nnext"), ["next"]);
}

#[test]
fn colours_and_attributes_stay() {
    let line = &lines_of_text(
        "\u{1b}[1;31mred\u{1b}[0m \u{1b}[38;5;208mo\u{1b}[48;2;1;2;3mrgb\u{1b}[m\u{1b}[2md",
    )[0];
    let shown: Vec<_> = line
        .spans
        .iter()
        .map(|span| (span.text.as_str(), span.style.strong, span.style.role, span.style.colors))
        .collect();
    let colors = |foreground, background| Some(Colors { foreground, background });
    let orange = Some(Color::Indexed(208));
    assert_eq!(
        shown,
        [
            ("red", true, Role::Text, colors(Some(Color::Indexed(1)), None)),
            (" ", false, Role::Text, None),
            ("o", false, Role::Text, colors(orange, None)),
            ("rgb", false, Role::Text, colors(orange, Some(Color::Rgb(1, 2, 3)))),
            ("d", false, Role::Muted, None),
        ]
    );
    let line = &lines_of_text("\u{1b}[7minverse\u{1b}[27;8mhidden")[0];
    assert_eq!(line.text(), "inversehidden");
    let inverse = colors(Some(Color::Indexed(0)), Some(Color::Indexed(7)));
    assert_eq!(line.spans[0].style.colors, inverse);
}

#[test]
fn a_full_screen_program_leaves_the_lines_before_it() {
    assert_eq!(lines("before\n\u{1b}[?1049h\u{1b}[Hinside"), ["inside"]);
    assert_eq!(lines("before\n\u{1b}[?1049hinside\u{1b}[?1049lafter"), ["before", "after"]);
}

#[test]
fn only_the_last_lines_are_kept() {
    let mut screen = TerminalScreen::new(100, 24);
    for number in 0..100_000 {
        screen.push(format!("line {number}\n").as_bytes());
    }
    let lines = screen.lines();
    assert_eq!(lines.len() + screen.omitted(), 100_000);
    assert!(lines.len() <= 100);
    assert_eq!(lines.last().map(Line::text).as_deref(), Some("line 99999"));
    screen.push("x".repeat(3_000_000).as_bytes());
    assert!(screen.lines().len() <= 100);
}

#[test]
fn output_in_pieces_gives_the_same_lines() {
    let output = "é漢\u{1b}[38;2;255;0;0mred\u{1b}[0m\r\n\u{1b}]0;t\u{7}10%\r100%\n\u{1b}[1Aup 😀";
    let mut screen = TerminalScreen::new(100, 24);
    for byte in output.as_bytes() {
        screen.push(&[*byte]);
    }
    assert_eq!(screen.lines(), lines_of_text(output));
    assert_eq!(lines(output), ["é漢red", "up 😀"]);
}

#[test]
fn bytes_that_are_not_text_become_replacement_characters() {
    let mut screen = TerminalScreen::new(100, 24);
    screen.push(b"a\xffb\xc3\nc\xe6\xbcd");
    let lines: Vec<String> = screen.lines().iter().map(Line::text).collect();
    assert_eq!(lines, ["a\u{fffd}b", "cd"]);
}

proptest::proptest! {
    #[test]
    fn no_output_panics_or_leaves_a_control_character(
        bytes in proptest::collection::vec(proptest::prop_oneof![
            proptest::strategy::Just(0x1b_u8),
            proptest::strategy::Just(b'['),
            proptest::strategy::Just(b';'),
            proptest::sample::select(b"0123456789ABCDEFGHJKPXdfmsu\n\r\t\x08 x".to_vec()),
            proptest::prelude::any::<u8>(),
        ], 0..300),
    ) {
        let mut screen = TerminalScreen::new(30, 10);
        screen.push(&bytes);
        for line in screen.lines() {
            proptest::prop_assert!(!line.text().chars().any(char::is_control), "{:?}", line.text());
        }
    }
}
