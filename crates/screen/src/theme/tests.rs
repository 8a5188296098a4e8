use super::palette::Palette;
use super::*;
use attache_view::Colors;

fn rgb() -> Theme {
    Theme::dark(ColorDepth::Rgb, Glyphs::UNICODE)
}

#[test]
fn built_in_themes_have_every_entry_and_no_mistakes() {
    for source in [DARK, DARK_16, LIGHT, LIGHT_16] {
        let file = ThemeFile::parse(source);
        assert_eq!(file.errors, []);
        for name in Palette::names() {
            let entry = Palette::entry(name).unwrap();
            assert!(file.entries.iter().any(|(known, _)| *known == entry), "{name} is missing");
        }
    }
}

#[test]
fn sixteen_color_themes_use_only_the_colors_of_the_terminal() {
    for theme in [Theme::dark, Theme::light] {
        let theme = theme(ColorDepth::Ansi16, Glyphs::ASCII);
        for name in Palette::names() {
            let style = match Palette::entry(name).unwrap() {
                palette::Entry::Role(role) => theme.role(role),
                palette::Entry::Element(element) => theme.element(element),
            };
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(_)), "{name}: {color}");
            }
        }
    }
}

#[test]
fn without_colors_only_attributes_remain() {
    let theme = Theme::dark(ColorDepth::None, Glyphs::UNICODE);
    for name in Palette::names() {
        let style = match Palette::entry(name).unwrap() {
            palette::Entry::Role(role) => theme.role(role),
            palette::Entry::Element(element) => theme.element(element),
        };
        assert_eq!((style.fg, style.bg), (None, None), "{name}");
    }
    assert!(theme.element(Element::Selection).add_modifier.contains(Modifier::REVERSED));
    let red = Colors { foreground: Some(ViewColor::Indexed(1)), background: None };
    assert_eq!(theme.style(&ViewStyle { colors: Some(red), ..Default::default() }).fg, None);
}

#[test]
fn a_theme_file_changes_the_entries_that_it_names() {
    let text = "base = \"light\"\nheading = \"bold underlined #102030 on black\"\n";
    let (theme, errors) = Theme::parse(text, ColorDepth::Rgb, Glyphs::UNICODE);
    assert_eq!(errors, []);
    assert!(theme.is_light());
    let heading = theme.role(Role::Heading);
    assert_eq!((heading.fg, heading.bg), (Some(Color::Rgb(16, 32, 48)), Some(Color::Black)));
    assert!(heading.add_modifier.contains(Modifier::BOLD | Modifier::UNDERLINED));
    let light = Theme::light(ColorDepth::Rgb, Glyphs::UNICODE);
    assert_eq!(theme.role(Role::Code), light.role(Role::Code));
}

#[test]
fn mistakes_in_a_theme_file_have_a_line_and_a_column_and_the_rest_is_used() {
    let text = "base = \"blue\"\nheading = \"bold chartreuse\"\nheadin = \"red\"\ncode = 3\n\
                path = \"red on\"\nkeyword = \"green\"\n";
    let (theme, errors) = Theme::parse(text, ColorDepth::Rgb, Glyphs::UNICODE);
    let places: Vec<_> = errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(1, 8), (2, 17), (3, 1), (4, 8), (5, 15)]);
    assert_eq!(theme.role(Role::Keyword).fg, Some(Color::Green));
    assert_eq!(theme.role(Role::Heading), rgb().role(Role::Heading));
    assert!(errors[1].to_string().starts_with("line 2, column 17: unknown word or colour"));
}

#[test]
fn a_theme_file_with_broken_toml_still_gives_a_theme() {
    let text = "heading = \"bold\nkeyword = \"green\"\n= 3\n";
    let (theme, errors) = Theme::parse(text, ColorDepth::Rgb, Glyphs::UNICODE);
    assert!(errors.iter().any(|error| error.line == 1), "{errors:?}");
    assert_eq!(theme.role(Role::Code), rgb().role(Role::Code));
}

#[test]
fn colors_that_the_terminal_lacks_become_the_nearest() {
    let (theme, _) = Theme::parse("code = \"#ff0505\"", ColorDepth::Ansi16, Glyphs::ASCII);
    assert_eq!(theme.role(Role::Code).fg, Some(Color::LightRed));
    assert_eq!(ColorDepth::Indexed256.nearest(Color::Rgb(95, 0, 0)), Some(Color::Indexed(52)));
    assert_eq!(ColorDepth::Ansi16.nearest(Color::Indexed(4)), Some(Color::Blue));
}

#[test]
fn the_environment_chooses_colors_and_glyphs() {
    let environment = |pairs: &'static [(&str, &str)]| {
        move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, v)| (*v).to_owned())
    };
    let depth = |pairs| ColorDepth::detect(environment(pairs));
    assert_eq!(depth(&[("TERM", "xterm-256color")]), ColorDepth::Indexed256);
    assert_eq!(depth(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), ColorDepth::Rgb);
    assert_eq!(depth(&[("TERM", "linux")]), ColorDepth::Ansi16);
    assert_eq!(depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), ColorDepth::None);
    assert_eq!(depth(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]), ColorDepth::Rgb);
    let unicode = |pairs| Glyphs::detect(environment(pairs)).unicode;
    assert!(unicode(&[("LANG", "de_DE.UTF-8")]));
    assert!(!unicode(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]));
    assert!(!unicode(&[("LANG", "de_DE.UTF-8"), ("TERM", "linux")]));
}

#[test]
fn every_glyph_is_one_column_wide() {
    use unicode_width::UnicodeWidthStr;
    for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
        let all = [glyphs.prompt, glyphs.selected, glyphs.folded, glyphs.unfolded, glyphs.open];
        let more = [glyphs.done, glyphs.failed, glyphs.cancelled, glyphs.running, glyphs.paused];
        let rest = [glyphs.info, glyphs.warning, glyphs.ellipsis, glyphs.down, glyphs.minus];
        for glyph in all.into_iter().chain(more).chain(rest).chain(glyphs.bullets) {
            assert_eq!(glyph.width(), 1, "{glyph}");
            assert!(glyphs.unicode || glyph.is_ascii());
        }
    }
}

#[test]
fn states_have_different_marks_without_colors_and_without_unicode() {
    use attache_view::{CallStatus, NoticeLevel, StepState};
    let calls = [
        CallStatus::Pending,
        CallStatus::Asking,
        CallStatus::Running,
        CallStatus::Paused,
        CallStatus::Completed,
        CallStatus::Failed,
        CallStatus::Cancelled,
    ];
    let steps = [StepState::Pending, StepState::Running, StepState::Done, StepState::Cancelled];
    let levels = [NoticeLevel::Info, NoticeLevel::Warning, NoticeLevel::Error];
    for glyphs in [Glyphs::ASCII, Glyphs::UNICODE] {
        let different = |marks: Vec<&str>| {
            let set: std::collections::HashSet<_> = marks.iter().collect();
            assert_eq!(set.len(), marks.len(), "{marks:?}");
        };
        different(calls.map(|call| glyphs.call(call)).to_vec());
        different(steps.map(|step| glyphs.step(step)).to_vec());
        different(levels.map(|level| glyphs.notice(level)).to_vec());
    }
    for theme in [Theme::dark, Theme::light] {
        let theme = theme(ColorDepth::None, Glyphs::ASCII);
        for element in [Element::AddedWords, Element::RemovedWords, Element::Match] {
            assert!(!theme.element(element).add_modifier.is_empty(), "{element:?}");
        }
    }
}
