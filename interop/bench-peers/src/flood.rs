//! The prompt `N SIZE MODE`: send N chunks of SIZE bytes. With the MODE `yield` the agent yields to
//! the runtime after each chunk; with `burst` it does not.

/// A parsed prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flood {
    pub count: usize,
    pub size: usize,
    pub yielding: bool,
}

impl Flood {
    /// Parses the prompt; `None` for any other text.
    pub fn parse(prompt: &str) -> Option<Self> {
        let mut words = prompt.split(' ');
        let (count, size) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { count, size, yielding: words.next() == Some("yield") })
    }

    /// Returns the text of one chunk, without characters that JSON escapes.
    pub fn text(&self) -> String {
        "the quick brown fox jumps over a lazy dog, ".chars().cycle().take(self.size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Flood;

    #[test]
    fn a_prompt_names_count_size_and_mode() {
        let flood = Flood::parse("1000 32 burst");
        assert_eq!(flood, Some(Flood { count: 1000, size: 32, yielding: false }));
        assert_eq!(flood.map(|flood| flood.text().len()), Some(32));
        assert_eq!(Flood::parse("hello"), None);
    }
}
