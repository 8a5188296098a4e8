//! Reads scenarios from Markdown.

use serde_json::Value;
use std::fmt;

/// One conversation.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The heading, which states the expected behaviour.
    pub title: String,
    /// The rules that its prose cites, such as `RPC-19`, in order.
    pub rules: Vec<String>,
    /// The steps to play.
    pub steps: Vec<(usize, Step)>,
}

/// One step, with its line number in the file.
#[derive(Debug, Clone)]
pub enum Step {
    /// Lines sent in one write.
    Send(Vec<String>),
    /// The next line matches.
    Expect(Value),
    /// Some later line matches.
    Await(Value),
    /// Each of these matches a different later line, in any order.
    Gather(Vec<Value>),
    /// No line matches from here on.
    Forbid(Value),
    /// The raw peer closes its end.
    Close,
    /// The side under test closes its end without sending another line.
    Closed,
    /// The side under test closes its end, after any number of lines.
    Ends,
}

/// An error in a scenario file.
#[derive(Debug)]
pub struct Malformed {
    /// The line number; the first line is 1.
    pub line: usize,
    /// The error.
    pub why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    fn at(line: usize, why: impl Into<String>) -> Self {
        Self { line, why: why.into() }
    }
}

impl Scenario {
    /// Reads every scenario of a document. Each begins with a heading `## …`, cites a rule and has
    /// lines to play.
    ///
    /// # Errors
    /// Returns [`Malformed`] with the first line that would otherwise be ignored or played
    /// incorrectly.
    pub fn read_all(text: &str) -> Result<Vec<Self>, Malformed> {
        let mut scenarios: Vec<Self> = Vec::new();
        let mut headings = Vec::new();
        let (mut block, mut played) = (None, false);
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if line.starts_with("```") {
                block = if block.is_some() { None } else { Some(number) };
                played = block.is_some() && line.trim_end() == "```acp";
                continue;
            }
            if let Some(title) = line.strip_prefix("## ").filter(|_| block.is_none()) {
                scenarios.push(Self {
                    title: title.trim().to_owned(),
                    rules: Vec::new(),
                    steps: Vec::new(),
                });
                headings.push(number);
                continue;
            }
            match scenarios.last_mut() {
                Some(scenario) if played => scenario.step(number, line)?,
                Some(scenario) => scenario.rules.extend(rules_in(line)),
                None if played => {
                    return Err(Malformed::at(number, "a step comes before the first heading ##"));
                }
                None => {}
            }
        }
        if let Some(number) = block {
            return Err(Malformed::at(number, "this block has no end"));
        }
        for (scenario, number) in scenarios.iter().zip(headings) {
            if scenario.steps.is_empty() {
                return Err(Malformed::at(
                    number,
                    "this scenario plays nothing: it needs a block ```acp",
                ));
            }
            if scenario.rules.is_empty() {
                return Err(Malformed::at(number, "this scenario cites no rule, such as RPC-19"));
            }
        }
        Ok(scenarios)
    }

    fn step(&mut self, number: usize, line: &str) -> Result<(), Malformed> {
        let pattern = |text: &str| {
            serde_json::from_str(text)
                .map_err(|error| Malformed::at(number, format!("the pattern is not JSON: {error}")))
        };
        let step = match line.trim_end() {
            "" => return Ok(()),
            "->|" => Step::Close,
            "<-|" => Step::Closed,
            "<~|" => Step::Ends,
            text => match text.split_at_checked(2) {
                Some(("->", sent)) if sent.is_empty() || sent.starts_with(' ') => {
                    let sent = sent.strip_prefix(' ').unwrap_or(sent).to_owned();
                    if let Some((_, Step::Send(lines))) = self.steps.last_mut() {
                        lines.push(sent);
                        return Ok(());
                    }
                    Step::Send(vec![sent])
                }
                Some(("<-", text)) => Step::Expect(pattern(text)?),
                Some(("<~", text)) => Step::Await(pattern(text)?),
                Some(("<&", text)) => {
                    let pattern = pattern(text)?;
                    if let Some((_, Step::Gather(patterns))) = self.steps.last_mut() {
                        patterns.push(pattern);
                        return Ok(());
                    }
                    Step::Gather(vec![pattern])
                }
                Some(("<!", text)) => Step::Forbid(pattern(text)?),
                _ => return Err(Malformed::at(number, "a step starts with ->, <-, <~, <& or <!")),
            },
        };
        self.steps.push((number, step));
        Ok(())
    }
}

/// Rule ids in prose: capitals, a dash, two digits.
fn rules_in(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    let is_rule = |word: &&str| {
        word.split_once('-').is_some_and(|(topic, number)| {
            topic.len() >= 2
                && topic.chars().all(|c| c.is_ascii_uppercase())
                && number.len() == 2
                && number.chars().all(|c| c.is_ascii_digit())
        })
    };
    words.filter(is_rule).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

    use super::{Scenario, Step};

    fn document(steps: &str) -> String {
        format!(
            "# A document\n\n## A scenario\n\nRPC-01 and CANCEL-24, FS-02, not A-1.\n\n```acp\n{steps}\n```\n"
        )
    }

    #[test]
    fn consecutive_lines_are_sent_in_one_write() {
        let text = document("-> a\n->\n->  b\n<- {}\n-> c\n\n->|\n<-|");
        let scenarios = Scenario::read_all(&text).unwrap();
        assert_eq!(scenarios[0].title, "A scenario");
        assert_eq!(scenarios[0].rules, ["RPC-01", "CANCEL-24", "FS-02"]);
        let steps: Vec<_> = scenarios[0].steps.iter().map(|(line, step)| (*line, step)).collect();
        assert!(
            matches!(
                &steps[..],
                [
                    (8, Step::Send(first)),
                    (11, Step::Expect(_)),
                    (12, Step::Send(second)),
                    (14, Step::Close),
                    (15, Step::Closed),
                ] if *first == ["a", "", " b"] && *second == ["c"]
            ),
            "{steps:?}"
        );
    }

    #[test]
    fn malformed_documents_are_reported_with_their_line() {
        let unended = "## A\nRPC-01\n```acp\n-> x\n";
        for (text, line) in [
            (document("<- {bad"), 8),
            (document("-> x\n<? {}"), 9),
            (document("->x"), 8),
            (document("<-"), 8),
            (document(""), 3),
            (unended.to_owned(), 3),
            ("```acp\n-> x\n```\n## A\n".to_owned(), 2),
            ("## A\n```acp\n-> x\n```\n".to_owned(), 1),
            ("## A\nRPC-01\n```json\n-> x\n```\n".to_owned(), 1),
        ] {
            let malformed = Scenario::read_all(&text).map(|scenarios| scenarios.len()).unwrap_err();
            assert_eq!(malformed.line, line, "{malformed} in {text}");
        }
    }
}
