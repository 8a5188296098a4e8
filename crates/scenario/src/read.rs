//! Reading a scenario out of its Markdown.

use serde_json::Value;
use std::fmt;

/// One conversation.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The heading: what holds.
    pub title: String,
    /// The rules its prose cites, such as `RPC-19`, in order.
    pub rules: Vec<String>,
    /// What is said.
    pub steps: Vec<(usize, Step)>,
}

/// One step, with the line of the file it stands on.
#[derive(Debug, Clone)]
pub enum Step {
    /// Lines sent in one write.
    Send(Vec<String>),
    /// The next line matches.
    Expect(Value),
    /// Some later line matches.
    Await(Value),
    /// The raw peer closes its end.
    Close,
    /// The side under test closes its end.
    Closed,
}

/// What is wrong with a scenario file.
#[derive(Debug)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Malformed {}

impl Scenario {
    /// Every scenario of a document: each begins with a heading `## …`.
    pub fn read_all(text: &str) -> Result<Vec<Self>, Malformed> {
        let mut scenarios: Vec<Self> = Vec::new();
        let mut played = false;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(title) = line.strip_prefix("## ") {
                scenarios.push(Self { title: title.trim().to_owned(), rules: Vec::new(), steps: Vec::new() });
                continue;
            }
            if line.starts_with("```") {
                played = line.trim_end() == "```acp";
                continue;
            }
            let Some(scenario) = scenarios.last_mut() else { continue };
            if played {
                scenario.step(number, line)?;
            } else {
                scenario.rules.extend(rules_in(line));
            }
        }
        Ok(scenarios)
    }

    fn step(&mut self, number: usize, line: &str) -> Result<(), Malformed> {
        let pattern = |text: &str| {
            serde_json::from_str(text)
                .map_err(|error| Malformed { line: number, why: format!("the pattern is no JSON: {error}") })
        };
        let step = match line.trim_end() {
            "" => return Ok(()),
            "->|" => Step::Close,
            "<-|" => Step::Closed,
            text => match (
                text.strip_prefix("-> ").or((text == "->").then_some("")),
                text.strip_prefix("<- "),
                text.strip_prefix("<~ "),
            ) {
                (Some(sent), _, _) => {
                    if let Some((_, Step::Send(lines))) = self.steps.last_mut() {
                        lines.push(sent.to_owned());
                        return Ok(());
                    }
                    Step::Send(vec![sent.to_owned()])
                }
                (_, Some(text), _) => Step::Expect(pattern(text)?),
                (_, _, Some(text)) => Step::Await(pattern(text)?),
                _ => {
                    return Err(Malformed {
                        line: number,
                        why: "a step starts with ->, <- or <~".to_owned(),
                    });
                }
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
            topic.len() >= 3
                && topic.chars().all(|c| c.is_ascii_uppercase())
                && number.len() == 2
                && number.chars().all(|c| c.is_ascii_digit())
        })
    };
    words.filter(is_rule).map(str::to_owned).collect()
}
