//! Patterns of names: whether one matches a name, and whether two could match the same name.
//!
//! A bracket expression counts as `*`, because shells read unusual ones in different ways, and the
//! wider reading is the safe one.

/// One step of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// This character, in lower case.
    Is(char),
    /// Any one character.
    One,
    /// Any characters.
    Any,
}

/// The largest product of the lengths of two patterns, in steps. Longer patterns are assumed to
/// match the same name.
const MOST_PAIRS: usize = 1 << 18;

/// Whether the text contains a character that makes a shell expand it to names of files.
pub(crate) fn is_wild(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn steps(pattern: &str) -> Vec<Step> {
    let bracket = pattern.find('[');
    let (before, behind) = match bracket {
        Some(at) => (
            pattern.get(..at).unwrap_or_default(),
            pattern
                .rfind(']')
                .filter(|end| *end > at)
                .and_then(|end| pattern.get(end + 1..))
                .unwrap_or_default(),
        ),
        None => (pattern, ""),
    };
    let step = |each: char| match each {
        '*' => Step::Any,
        '?' => Step::One,
        each => Step::Is(each.to_lowercase().next().unwrap_or(each)),
    };
    let bracket = bracket.map(|_| Step::Any);
    before.chars().map(step).chain(bracket).chain(behind.chars().map(step)).collect()
}

/// Whether the pattern can match the name in some shell, in upper or lower case. A dot at the
/// beginning of a name is matched only by a dot or a bracket at the beginning of the pattern.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    (!name.starts_with('.') || pattern.starts_with(['.', '['])) && meet(pattern, name)
}

/// Whether both patterns can match the same name, ignoring case.
pub(crate) fn meet(one: &str, other: &str) -> bool {
    let (one, other) = (steps(one), steps(other));
    if one.len().saturating_mul(other.len()) > MOST_PAIRS {
        return true;
    }
    // For each beginning of `other`, whether it can match the same name as the steps of `one` so
    // far.
    let mut row = vec![true];
    for step in &other {
        let last = row.last().is_some_and(|before| *before && *step == Step::Any);
        row.push(last);
    }
    for step in &one {
        let mut next = vec![row.first().is_some_and(|above| *above && *step == Step::Any)];
        for ((across, above), with) in row.iter().zip(row.iter().skip(1)).zip(&other) {
            let left = next.last().is_some_and(|left| *left);
            let same = match (step, with) {
                (Step::Is(one), Step::Is(other)) => one == other,
                _ => true,
            };
            let any = (*step == Step::Any && *above) || (*with == Step::Any && left);
            next.push(
                any || (*across && same)
                    || (*step == Step::Any && left)
                    || (*with == Step::Any && *above),
            );
        }
        row = next;
    }
    row.last().is_some_and(|whole| *whole)
}

/// Whether both patterns can match the same path. `**` matches any number of folders.
pub(crate) fn paths_meet(one: &str, other: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        // The alternatives in braces may contain slashes, so the rest may match anything.
        let (plain, open) = text.split_once('{').map_or((text, false), |(plain, _)| (plain, true));
        let mut parts: Vec<String> = plain.split('/').map(|part| part.replace('\\', "")).collect();
        if open {
            parts.pop();
            parts.push("**".to_owned());
        }
        parts.retain(|part| !part.is_empty() && part != ".");
        parts
    };
    let (one, other) = (parts(one), parts(other));
    if one.len().saturating_mul(other.len()) > MOST_PAIRS {
        return true;
    }
    let mut row = vec![true];
    for part in &other {
        let last = row.last().is_some_and(|before| *before && part == "**");
        row.push(last);
    }
    for part in &one {
        let mut next = vec![row.first().is_some_and(|above| *above && part == "**")];
        for ((across, above), with) in row.iter().zip(row.iter().skip(1)).zip(&other) {
            let left = next.last().is_some_and(|left| *left);
            let anything = part == "**" || with == "**";
            next.push(if anything {
                *across || *above || left
            } else {
                *across && meet(part, with)
            });
        }
        row = next;
    }
    row.last().is_some_and(|whole| *whole)
}

/// Returns the texts to which shells with brace expansion expand a text, including the text itself.
/// `None` if shells could read the braces in different ways, or if there are too many texts.
pub(crate) fn braces(text: &str) -> Option<Vec<String>> {
    const MOST: usize = 256;
    let mut texts = vec![String::new()];
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let (inside, after) = behind.split_once('}')?;
        let plain = |each: char| each.is_ascii_alphanumeric() || "_-./*?,".contains(each);
        if !inside.contains(',')
            || !inside.chars().all(plain)
            || inside.contains("..")
            || before.contains(['}', ','])
        {
            return None;
        }
        texts = texts
            .iter()
            .flat_map(|text| inside.split(',').map(move |each| format!("{text}{before}{each}")))
            .take(MOST + 1)
            .collect();
        if texts.len() > MOST {
            return None;
        }
        rest = after;
    }
    if rest.contains(['}', ',']) && texts.len() > 1 {
        return None;
    }
    texts.iter_mut().for_each(|text| text.push_str(rest));
    texts.push(text.to_owned());
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::{braces, fits, meet, paths_meet};

    #[test]
    fn a_pattern_matches_at_least_what_shells_match() {
        for (pattern, name, wanted) in [
            ("*.json", "secrets.json", true),
            ("*.json", "x.jso", false),
            ("*", ".env", false),
            (".*", ".env", true),
            (".e?v", ".env", true),
            ("[.]env", ".env", true),
            (".[e]nv", ".env", true),
            ("id_*", "id_rsa", true),
            ("ID_*", "id_rsa", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*", "", true),
            ("??", "a", false),
        ] {
            assert_eq!(fits(pattern, name), wanted, "{pattern} {name}");
        }
    }

    #[test]
    fn two_patterns_meet_if_one_name_matches_both() {
        for (one, other, wanted) in [
            ("*.pem", "server*", true),
            ("*.pem", "*.rs", false),
            ("a*", "*b", true),
            ("a*", "b*", false),
            ("?", "*", true),
            ("?", "ab", false),
            ("", "*", true),
        ] {
            assert_eq!((meet(one, other), meet(other, one)), (wanted, wanted), "{one} {other}");
        }
        for (one, other, wanted) in [
            ("private/**", "private/*.txt", true),
            ("private/**", "*.txt", false),
            ("private/**", "*/x", true),
            ("**/*.pem", "a/b/*", true),
            ("src/*.rs", "src/a/*.rs", false),
            ("a/{b,c}/d", "a/x/y/*", true),
            ("/etc/*", "/etc/pass*", true),
        ] {
            assert_eq!(
                (paths_meet(one, other), paths_meet(other, one)),
                (wanted, wanted),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn only_braces_that_all_shells_read_the_same_way_are_expanded() {
        let all = |text: &str| braces(text).map(|texts| texts.join(" "));
        assert_eq!(all("a.{b,c}").as_deref(), Some("a.b a.c a.{b,c}"));
        assert_eq!(all("{a,b}/{c,d}").as_deref(), Some("a/c a/d b/c b/d {a,b}/{c,d}"));
        for odd in [".{},env}", "{a..z}", "{a", "a{b}", "{a,{b,c}}", "x,{a,b}", "{a,b}}", "{a,b},c"]
        {
            assert_eq!(all(odd), None, "{odd}");
        }
        assert!(braces(&"{a,b}".repeat(40)).is_none());
    }
}
