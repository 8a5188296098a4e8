//! The author's steps for a prompt. The prompt's text determines the steps, so the test knows them
//! too.

use serde_json::Value;

/// One step of the author.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say(String),
    Think(String),
    /// A tool call is announced; the next three kinds of steps belong to it.
    Tool(String),
    Ask,
    Output(String),
    Done,
    Title(String),
    Remember(String),
}

/// Pseudo-random numbers from a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(seed.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

pub(crate) fn script(prompt: &str) -> Vec<Step> {
    let mut random = Random::new(prompt);
    let mut steps = Vec::new();
    for number in 0..4 + random.below(24) {
        let text = format!("{prompt} {number}; ");
        match random.below(16) {
            0 => {
                steps.push(Step::Say(text.repeat(1 + usize::try_from(random.below(800)).unwrap())))
            }
            1..=8 => steps.push(Step::Say(text)),
            9..=11 => steps.push(Step::Think(text)),
            12 => steps.push(Step::Title(text.trim_end().to_owned())),
            13 => steps.push(Step::Remember(text)),
            _ => {
                steps.push(Step::Tool(text.clone()));
                if random.below(3) > 0 {
                    steps.push(Step::Ask);
                }
                for piece in 0..random.below(4) {
                    match random.below(2) {
                        0 => steps.push(Step::Output(format!("{text}{piece}"))),
                        _ => steps.push(Step::Say(format!("{text}{piece}"))),
                    }
                }
                steps.push(Step::Done);
            }
        }
    }
    steps
}

/// One entry of a conversation in a client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Message { kind: String, text: String },
    Tool { title: String, status: String, output: Vec<String> },
}

/// The state of a session in a client.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shown {
    pub(crate) entries: Vec<Entry>,
    /// The ids of the entries.
    ids: Vec<String>,
    pub(crate) title: Option<String>,
}

impl Shown {
    /// Applies one `session/update`.
    pub(crate) fn update(&mut self, update: &Value) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match update["sessionUpdate"].as_str().unwrap() {
            kind @ ("user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk") => {
                let piece = text(&update["content"]["text"]);
                self.entry(kind, &text(&update["messageId"]), piece);
            }
            "tool_call" => {
                self.ids.push(text(&update["toolCallId"]));
                let (title, status) = (text(&update["title"]), "pending".to_owned());
                self.entries.push(Entry::Tool { title, status, output: Vec::new() });
                self.patch(update);
            }
            "tool_call_update" => self.patch(update),
            "session_info_update" => {
                if let Some(title) = update["title"].as_str() {
                    self.title = Some(title.to_owned());
                }
            }
            _ => {}
        }
    }

    fn entry(&mut self, kind: &str, id: &str, piece: String) {
        if let Some(index) = self.ids.iter().rposition(|own| own == id)
            && let Entry::Message { kind: own, text } = &mut self.entries[index]
        {
            assert_eq!(own, kind);
            text.push_str(&piece);
            return;
        }
        self.ids.push(id.to_owned());
        self.entries.push(Entry::Message { kind: kind.to_owned(), text: piece });
    }

    fn patch(&mut self, update: &Value) {
        let id = update["toolCallId"].as_str().unwrap();
        let index = self.ids.iter().rposition(|own| own == id).unwrap();
        let Entry::Tool { status, output, .. } = &mut self.entries[index] else {
            panic!("{id} is no tool call")
        };
        if let Some(new) = update["status"].as_str() {
            new.clone_into(status);
        }
        if let Some(content) = update["content"].as_array() {
            *output = content
                .iter()
                .map(|block| block["content"]["text"].as_str().unwrap().to_owned())
                .collect();
        }
    }
}

/// The result of a turn that ended after these steps of its script.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) entries: Vec<Entry>,
    pub(crate) title: Option<String>,
    pub(crate) remembered: Vec<String>,
}

impl Expected {
    pub(crate) fn of(prompt: &str, steps: &[Step]) -> Self {
        let mut expected = Self::default();
        let message = |kind: &str, text: &str| Entry::Message {
            kind: kind.to_owned(),
            text: text.to_owned(),
        };
        expected.entries.push(message("user_message_chunk", prompt));
        // Where the next piece of a message goes, and the tool call that runs.
        let (mut open, mut call) = (None, 0);
        for step in steps {
            match step {
                Step::Say(text) | Step::Think(text) => {
                    let kind = match step {
                        Step::Say(_) => "agent_message_chunk",
                        _ => "agent_thought_chunk",
                    };
                    match open {
                        Some((own, index)) if own == kind => {
                            let Entry::Message { text: said, .. } = &mut expected.entries[index]
                            else {
                                panic!("no message")
                            };
                            said.push_str(text);
                        }
                        _ => {
                            open = Some((kind, expected.entries.len()));
                            expected.entries.push(message(kind, text));
                        }
                    }
                }
                Step::Tool(title) => {
                    (open, call) = (None, expected.entries.len());
                    let (title, status) = (title.clone(), "failed".to_owned());
                    expected.entries.push(Entry::Tool { title, status, output: Vec::new() });
                }
                Step::Ask => {}
                Step::Output(text) => {
                    if let Entry::Tool { output, .. } = &mut expected.entries[call] {
                        output.push(text.clone());
                    }
                }
                Step::Done => {
                    if let Entry::Tool { status, .. } = &mut expected.entries[call] {
                        "completed".clone_into(status);
                    }
                }
                Step::Title(title) => expected.title = Some(title.clone()),
                Step::Remember(text) => expected.remembered.push(text.clone()),
            }
        }
        expected
    }
}
