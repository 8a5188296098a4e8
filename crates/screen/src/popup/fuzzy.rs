//! Fuzzy matching: the characters of a pattern occur in a text in their order, with gaps.

/// The maximum number of characters of a pattern; the others are ignored.
const PATTERN: usize = 64;

/// The maximum number of characters of a text that are compared: the last ones.
const TEXT: usize = 512;

const MATCH: i32 = 16;
/// For a match at the start of a name, after a separator, or at an upper-case letter.
const AFTER_SLASH: i32 = 12;
const AFTER_SEPARATOR: i32 = 8;
const UPPER: i32 = 6;
/// For a match right after another one.
const CONSECUTIVE: i32 = 10;
/// For each match in the last part of a path.
const BASENAME: i32 = 6;
const GAP_START: i32 = -3;
const GAP: i32 = -1;

const NEVER: i32 = i32::MIN / 2;

/// A pattern. Lower-case letters match upper-case ones too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pattern {
    letters: Vec<char>,
}

/// The memory of a matcher, kept for speed.
#[derive(Debug, Default)]
pub struct Matcher {
    /// The characters of the text, folded, with their byte positions and bonus.
    text: Vec<Letter>,
    /// The best score of each pattern letter that matches at each text letter.
    scores: Vec<i32>,
    /// Whether the match before is right before this one.
    adjacent: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Letter {
    exact: char,
    folded: char,
    at: usize,
    bonus: i32,
}

impl Pattern {
    /// Returns the pattern of what a person typed. Spaces do not count.
    pub fn new(typed: &str) -> Self {
        let letters = typed.chars().filter(|letter| !letter.is_whitespace());
        Self { letters: letters.take(PATTERN).collect() }
    }

    /// Returns whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        is_subsequence(&self.letters, text)
    }

    /// Returns whether the pattern is empty, and so matches every text.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}

fn fold(letter: char) -> char {
    match letter.is_ascii() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_lowercase().next().unwrap_or(letter),
    }
}

fn matches(pattern: char, letter: Letter) -> bool {
    // An upper-case letter of the pattern matches only itself.
    pattern == letter.folded || pattern == letter.exact
}

/// Returns whether the text has all letters of the pattern in their order. Quick, and without
/// memory.
fn is_subsequence(pattern: &[char], text: &str) -> bool {
    let mut wanted = pattern.iter();
    let Some(mut next) = wanted.next() else { return true };
    for letter in text.chars() {
        if *next == letter || *next == fold(letter) {
            match wanted.next() {
                Some(letter) => next = letter,
                None => return true,
            }
        }
    }
    false
}

impl Matcher {
    /// Returns how well the text matches; `None` if it does not. Larger is better. Matches at
    /// the start of names and words, side by side, and in the last part of a path are better, and
    /// so are shorter texts.
    pub fn score(&mut self, pattern: &Pattern, text: &str) -> Option<i32> {
        if pattern.is_empty() {
            return Some(0);
        }
        if !is_subsequence(&pattern.letters, text) {
            return None;
        }
        self.read(text);
        let best = self.fill(pattern)?;
        let length = i32::try_from(self.text.len()).unwrap_or(i32::MAX);
        Some(best.1 * 8 - length)
    }

    /// Returns the byte positions of the best match, ascending; empty without a match.
    pub fn positions(&mut self, pattern: &Pattern, text: &str) -> Vec<usize> {
        if pattern.is_empty() || !is_subsequence(&pattern.letters, text) {
            return Vec::new();
        }
        self.read(text);
        let Some((mut at, _)) = self.fill(pattern) else { return Vec::new() };
        let width = self.text.len();
        let mut positions = Vec::new();
        for row in (0..pattern.letters.len()).rev() {
            positions.extend(self.text.get(at).map(|letter| letter.at));
            if row == 0 {
                break;
            }
            let adjacent = self.adjacent.get(row * width + at).copied().unwrap_or_default();
            at = match adjacent {
                true => at.saturating_sub(1),
                false => self.best_before(row - 1, at),
            };
        }
        positions.reverse();
        positions
    }

    /// Returns where the best match of a pattern letter before `end` is, with its gap.
    fn best_before(&self, row: usize, end: usize) -> usize {
        let scores = self.scores.get(row * self.text.len()..).unwrap_or_default();
        let of = |at: usize| {
            let gap = i32::try_from(end - at - 1).unwrap_or(i32::MAX);
            scores.get(at).copied().unwrap_or(NEVER).saturating_add(penalty(gap))
        };
        (0..end).max_by_key(|at| of(*at)).unwrap_or(0)
    }

    fn read(&mut self, text: &str) {
        self.text.clear();
        let skipped = text.chars().count().saturating_sub(TEXT);
        let base = text.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
        let mut before = '/';
        for (at, exact) in text.char_indices().skip(skipped) {
            let start = match before {
                '/' => AFTER_SLASH,
                '_' | '-' | '.' | ' ' | ':' => AFTER_SEPARATOR,
                before if before.is_lowercase() && exact.is_uppercase() => UPPER,
                _ => 0,
            };
            let bonus = start + if at >= base { BASENAME } else { 0 };
            self.text.push(Letter { exact, folded: fold(exact), at, bonus });
            before = exact;
        }
    }

    /// Computes the scores of all matches; returns the best place of the last letter, and its
    /// score.
    fn fill(&mut self, pattern: &Pattern) -> Option<(usize, i32)> {
        let width = self.text.len();
        self.scores.clear();
        self.scores.resize(width * pattern.letters.len(), NEVER);
        self.adjacent.clear();
        self.adjacent.resize(width * pattern.letters.len(), false);
        for (row, wanted) in pattern.letters.iter().enumerate() {
            let (above, here) = self.scores.split_at_mut(row * width);
            let above = above.get(row.saturating_sub(1) * width..).unwrap_or_default();
            // The best earlier match of the letter before, with the gap up to here.
            let mut with_gap = NEVER;
            for (at, letter) in self.text.iter().enumerate() {
                let diagonal = match at.checked_sub(1) {
                    _ if row == 0 => 0,
                    None => NEVER,
                    Some(left) => above.get(left).copied().unwrap_or(NEVER),
                };
                if matches(*wanted, *letter) {
                    let joined = diagonal + if row == 0 { 0 } else { CONSECUTIVE };
                    let best = if row == 0 { 0 } else { joined.max(with_gap) };
                    if best > NEVER / 2 {
                        if let Some(score) = here.get_mut(at) {
                            *score = best + MATCH + letter.bonus;
                        }
                        if let Some(adjacent) = self.adjacent.get_mut(row * width + at) {
                            *adjacent = row > 0 && joined >= with_gap;
                        }
                    }
                }
                with_gap = (with_gap + GAP).max(diagonal + GAP_START);
            }
        }
        let last = self.scores.get(width * (pattern.letters.len() - 1)..)?;
        let best = last.iter().copied().enumerate().max_by_key(|(at, score)| (*score, *at))?;
        (best.1 > NEVER / 2).then_some(best)
    }
}

fn penalty(gap: i32) -> i32 {
    match gap {
        0 => CONSECUTIVE,
        gap => GAP_START + GAP * (gap - 1),
    }
}
