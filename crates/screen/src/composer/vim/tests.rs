//! The keys of the vim mode: text and keys in, text and cursor out.

use super::super::tests::{press, shown};
use super::super::{Composer, Piece};
use super::*;
use ratatui::crossterm::event::KeyEvent;

/// A text with `|` at the cursor, the keys, and the text with `|` at the cursor after them. All are
/// in normal mode; `<i>` at the end means that the insert mode goes on.
const TABLE: &[(&str, &str, &str)] = &[
    // Movements in a line.
    ("ab|c", "h", "a|bc"),
    ("ab|c", "9h", "|abc"),
    ("|abc", "l", "a|bc"),
    ("|abc", "9l", "ab|c"),
    ("a|bc", "<left>", "|abc"),
    ("a|bc", "<backspace>", "|abc"),
    ("a|bc", "$", "ab|c"),
    ("  ab|c", "0", "|  abc"),
    ("  ab|c", "^", "  |abc"),
    ("|漢字👩‍👩‍👧e\u{301}x", "3l", "漢字👩‍👩‍👧|e\u{301}x"),
    // Words.
    ("|one two-three", "w", "one |two-three"),
    ("one |two-three", "w", "one two|-three"),
    ("one |two-three x", "W", "one two-three |x"),
    ("|one two three", "2w", "one two |three"),
    ("|one\n\ntwo", "w", "one\n|\ntwo"),
    ("|one", "w", "on|e"),
    ("one two-thr|ee", "b", "one two-|three"),
    ("one two-thr|ee", "3b", "one |two-three"),
    ("one two-thr|ee", "B", "one |two-three"),
    ("one\n|two", "b", "|one\ntwo"),
    ("|one two", "e", "on|e two"),
    ("on|e two", "e", "one tw|o"),
    ("|a-b c", "E", "a-|b c"),
    ("|one two", "9e", "one tw|o"),
    // Lines.
    ("a|b\ncd\nef", "j", "ab\nc|d\nef"),
    ("a|b\ncd\nef", "2j", "ab\ncd\ne|f"),
    ("abc|d\nx\nabcd", "jj", "abcd\nx\nabc|d"),
    ("ab|c\nx\nabcd", "$jj", "abc\nx\nabc|d"),
    ("ab\nc|d", "k", "a|b\ncd"),
    ("a\n  b\n|c", "gg", "|a\n  b\nc"),
    ("a\n  b\n|c", "2gg", "a\n  |b\nc"),
    ("|a\nb\n  c", "G", "a\nb\n  |c"),
    ("|a\nb\nc", "2G", "a\n|b\nc"),
    ("|a\nb\n\nc\nd", "}", "a\nb\n|\nc\nd"),
    ("a\nb\n\nc\n|d", "{", "a\nb\n|\nc\nd"),
    // Characters of a line.
    ("|abcabc", "fc", "ab|cabc"),
    ("|abcabc", "2fc", "abcab|c"),
    ("|abcabc", "tc", "a|bcabc"),
    ("|abcabc", "fc;", "abcab|c"),
    ("|abcabc", "tc;", "abca|bc"),
    ("|abcabc", "2fc,", "ab|cabc"),
    ("abcab|c", "Fa", "abc|abc"),
    ("abcab|c", "Ta", "abca|bc"),
    ("abcab|c", "Fa;", "|abcabc"),
    ("abcab|c", "Fa;,", "abc|abc"),
    ("|abc", "fz", "|abc"),
    ("|a漢b漢", "2f漢", "a漢b|漢"),
    ("|a(b[c]d)e", "%", "a(b[c]d|)e"),
    ("a(b[c]d|)e", "%", "a|(b[c]d)e"),
    ("a(b|[c]d)e", "%", "a(b[c|]d)e"),
    ("|{\n  (\n}", "%", "{\n  (\n|}"),
    // Deletion.
    ("a|bc", "x", "a|c"),
    ("|abc", "2x", "|c"),
    ("ab|c", "x", "a|b"),
    ("a|bc", "X", "|bc"),
    ("|one two three", "dw", "|two three"),
    ("|one two three", "2dw", "|three"),
    ("|one two three", "d2w", "|three"),
    ("|a b c d e", "2d2w", "|e"),
    ("one |two\nthree", "dw", "one| \nthree"),
    ("|one two", "de", "| two"),
    ("one t|wo", "db", "one |wo"),
    ("one\n|two", "db", "|two"),
    ("one t|wo", "d0", "|wo"),
    ("one t|wo x", "d$", "one |t"),
    ("one t|wo x", "D", "one |t"),
    ("a|bcabc", "dfc", "a|abc"),
    ("a|bcabc", "dtc", "a|cabc"),
    ("abcab|c", "dFa", "abc|c"),
    ("x(a|(b)c)", "d%", "x(a|c)"),
    ("|a\nb\nc", "dd", "|b\nc"),
    ("a\nb\n|c", "dd", "a\n|b"),
    ("|a", "dd", "|"),
    ("|a\nb\nc", "2dd", "|c"),
    ("|a\nb\nc", "9dd", "|"),
    ("a\n|b\nc\nd", "dj", "a\n|d"),
    ("a\n|b\nc", "dk", "|c"),
    ("a\n|b\nc", "dG", "|a"),
    ("a\n|b\nc", "dgg", "|c"),
    ("|a\nb\n\nc", "d}", "|\nc"),
    ("|abc", "dz", "|abc"),
    ("|abc", "d<esc>x", "|bc"),
    ("|a\nb\n\n\nc", "jjx", "a\nb\n|\n\nc"),
    // Changes.
    ("|one two", "cwx<esc>", "|x two"),
    ("|a two", "cwx<esc>", "|x two"),
    ("|one two three", "c2wx<esc>", "|x three"),
    ("one |two", "cbx<esc>", "|xtwo"),
    ("one t|wo", "ccx<esc>", "|x"),
    ("a\n|b\nc", "ccx<esc>", "a\n|x\nc"),
    ("one t|wo", "Cx<esc>", "one t|x"),
    ("one t|wo", "Sx<esc>", "|x"),
    ("one t|wo", "sx<esc>", "one t|xo"),
    ("one t|wo x", "2sx<esc>", "one t|x x"),
    ("|", "Cab<esc>", "a|b"),
    ("a|bc", "rx", "a|xc"),
    ("|abc", "2rx", "x|xc"),
    ("a|bc", "9rx", "a|bc"),
    ("|aBc", "~", "A|Bc"),
    ("|aBc", "9~", "Ab|C"),
    ("|a\nb\nc", "J", "a| b\nc"),
    ("|a\n  b\nc", "3J", "a b| c"),
    ("f(|a\n)", "J", "f(a|)"),
    ("|a\nb", ">>", "    |a\nb"),
    ("|a\n\nb", ">G", "    |a\n\n    b"),
    ("|      a", "<<", "  |a"),
    // Insertion.
    ("a|b", "ix", "ax|b<i>"),
    ("a|b", "ix<esc>", "a|xb"),
    ("a|b", "ax<esc>", "ab|x"),
    ("  a|b", "Ix<esc>", "  |xab"),
    ("a|bc", "Ax<esc>", "abc|x"),
    ("|a\nb", "ox<esc>", "a\n|x\nb"),
    ("a\n|b", "Ox<esc>", "a\n|x\nb"),
    ("|a", "3ix<esc>", "xx|xa"),
    ("|a", "2ox<esc>", "a\nx\n|x"),
    ("|", "ia<left>b<esc>", "|ba"),
    // Copy and paste.
    ("|one two", "ywP", "one| one two"),
    ("|a\nb", "yyp", "a\n|a\nb"),
    ("|a\nb", "yyP", "|a\na\nb"),
    ("|a\nb", "yyjp", "a\nb\n|a"),
    ("|a\nb\nc", "2yyG3p", "a\nb\nc\n|a\nb\na\nb\na\nb"),
    ("|abc", "xp", "b|ac"),
    ("|abc", "x3p", "baa|ac"),
    ("a|bc", "y$0P", "b|cabc"),
    ("a\n|b\nc", "ddp", "a\nc\n|b"),
    ("|one two", "ye$p", "one twoon|e"),
    ("a|bc", "p", "a|bc"),
    // Text objects.
    ("one t|wo three", "diw", "one | three"),
    ("one t|wo three", "daw", "one |three"),
    ("one t|wo", "daw", "on|e"),
    ("|one two three", "d2aw", "|three"),
    ("one t|wo-x y", "diW", "one | y"),
    ("one t|wo three", "ciwx<esc>", "one |x three"),
    ("say \"on|e two\" x", "di\"", "say \"|\" x"),
    ("say \"on|e two\" x", "da\"", "say |x"),
    ("|say \"one\" x", "di\"", "say \"|\" x"),
    ("f('a|b')", "ci'x<esc>", "f('|x')"),
    ("f(`a|b`)", "di`", "f(`|`)"),
    ("f(a, (b|), c)", "di(", "f(a, (|), c)"),
    ("f(a, (b), |c)", "di(", "f(|)"),
    ("f(a, (b), |c)", "da(", "|f"),
    ("f(a, (|b), c)", "2di(", "f(|)"),
    ("f(a, (|b), c)", "dib", "f(a, (|), c)"),
    ("{ a|b }", "di{", "{|}"),
    ("[a|b]", "da]", "|"),
    ("<a|b>", "di>", "<|>"),
    ("a|b", "di(", "a|b"),
    ("a\n\nb\n|c\n\nd", "dip", "a\n\n|\nd"),
    ("a\n\nb\n|c\n\nd", "dap", "a\n\n|d"),
    ("a\n\nb\n|c", "dap", "|a"),
    ("|a\nb", "yipGp", "a\nb\n|a\nb"),
    // Undo and repetition.
    ("|abc", "xxu", "|bc"),
    ("|abc", "xxuu", "|abc"),
    ("|abc", "xx2u", "|abc"),
    ("|abc", "xxuu<ctrl-r>", "|bc"),
    ("|abc", "ixy z<esc>u", "|abc"),
    ("|one two three", "dw.", "|three"),
    ("|abcdef", "x3.", "|ef"),
    ("|a b", "cwxy<esc>w.", "xy x|y"),
    ("|a", "Ab<esc>..", "abb|b"),
    ("|a\nb\nc", "ddp.", "b\na\n|a\nc"),
    ("|a\nb", "ox<esc>j.", "a\nx\nb\n|x"),
    ("|abab", "rxw0l.", "x|xab"),
    ("(a|b)", "ci(x<esc>u", "(a|b)"),
    // Visual mode.
    ("|abcd", "vld", "|cd"),
    ("a|bcd", "vhd", "|cd"),
    ("|one two", "ved", "| two"),
    ("|a\nb\nc", "vjd", "|\nc"),
    ("|a\nb\nc", "Vjd", "|c"),
    ("|a\nb\nc", "Vd", "|b\nc"),
    ("one t|wo three", "viwd", "one | three"),
    ("(a|b)", "vi(cx<esc>", "(|x)"),
    ("a|bc", "v<esc>x", "a|c"),
    ("ab|cd", "vohd", "a|d"),
    ("|abc", "vly$p", "abca|b"),
    ("|one two", "yewviwp", "one on|e"),
    ("|a\nb", "yyjVp", "a\n|a"),
    ("|abCd", "vl~", "|ABCd"),
    ("|abCd", "v$U", "|ABCD"),
    ("|ABCD", "v$u", "|abcd"),
    ("|a\nb\nc", "vjJ", "a| b\nc"),
    ("|a\nb", "Vj>", "    |a\n    b"),
    ("|abcd", "vlrx", "|xxcd"),
    ("|abcdef", "vld.", "|ef"),
    ("|a\nb\nc\nd\ne", "Vjd.", "|e"),
    ("|abc", "vvx", "|bc"),
    ("|abc", "vVd", "|"),
];

/// Returns a composer in normal mode with this text, whose cursor is at `|`.
fn composer(text: &str) -> Composer {
    let mut composer = Composer::default();
    let (before, after) = text.split_once('|').unwrap();
    composer.set_text(&[before, after].concat());
    composer.set_vim(true);
    composer.height(40, 10);
    press(&mut composer, "<esc>");
    composer.editor.buffer.move_to(before.len());
    composer
}

#[test]
fn keys_do_what_they_do_in_vim() {
    let mut wrong = Vec::new();
    for (text, keys, expected) in TABLE {
        let mut composer = composer(text);
        press(&mut composer, keys);
        let mut found = shown(&composer);
        if composer.vim_mode() == Some(VimMode::Insert) {
            found += "<i>";
        }
        if found != *expected {
            wrong.push(format!("{text:?} {keys} is {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn escape_belongs_to_the_screen_only_in_normal_mode() {
    use super::super::ComposerEvent;
    let mut composer = composer("a|b");
    let mode = |composer: &Composer| composer.vim_mode().map(VimMode::name);
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Ignored);
    press(&mut composer, "2d");
    assert_eq!(composer.vim_pending(), "2d");
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Changed);
    assert_eq!(composer.vim_pending(), "");
    press(&mut composer, "i");
    assert_eq!(mode(&composer), Some("INSERT"));
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Changed);
    press(&mut composer, "V");
    assert_eq!(mode(&composer), Some("VISUAL LINE"));
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Changed);
    assert_eq!(mode(&composer), Some("NORMAL"));
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Ignored);
}

#[test]
fn keys_of_the_editor_change_nothing_in_normal_mode() {
    for keys in ["<ctrl-u>", "<ctrl-k>", "<ctrl-w>", "<alt-d>", "<delete>", "<ctrl-t>", "<ctrl-y>"]
    {
        let mut composer = composer("one t|wo");
        press(&mut composer, keys);
        assert_eq!(composer.text(), "one two", "{keys}");
    }
}

#[test]
fn the_first_and_last_line_lead_to_other_prompts() {
    let mut composer = composer("draf|t");
    composer.add_history(vec![Piece::Text("first".to_owned())]);
    composer.add_history(vec![Piece::Text("second\nline".to_owned())]);
    press(&mut composer, "k");
    assert_eq!(composer.text(), "second\nline");
    press(&mut composer, "kk");
    assert_eq!(composer.text(), "first");
    press(&mut composer, "jjj");
    assert_eq!(composer.text(), "draft");
}

/// What vim 9.0 makes of random keys in random texts, without a vimrc: the text, the keys, the new
/// text, and the byte of the cursor in it. `\n` is a line feed, `\e` Esc and `\r` Ctrl-R. Left out
/// are keys whose result depends on what ran before, and `{` in the last line, where 9.0 goes to
/// the end of the line.
const OUTCOMES: &str = include_str!("outcomes.tsv");

#[test]
fn random_keys_do_what_they_do_in_vim() {
    let read =
        |part: &str| part.replace("\\n", "\n").replace("\\e", "\u{1b}").replace("\\r", "\u{12}");
    for line in OUTCOMES.lines() {
        let parts: Vec<String> = line.split('\t').map(read).collect();
        let [text, keys, expected, at] = parts.as_slice() else { panic!("{line}") };
        let mut composer = Composer::default();
        composer.editor.buffer = Buffer::of(text);
        composer.set_vim(true);
        press(&mut composer, "<esc>gg0");
        for key in keys.chars() {
            let (code, modifiers) = match key {
                '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
                REDO => (KeyCode::Char('r'), KeyModifiers::CONTROL),
                key => (KeyCode::Char(key), KeyModifiers::NONE),
            };
            composer.handle(KeyEvent::new(code, modifiers));
        }
        let buffer = &composer.editor.buffer;
        let shown = (buffer.text(), buffer.cursor().to_string());
        assert_eq!(shown, (expected.as_str(), at.clone()), "{line}");
    }
}
