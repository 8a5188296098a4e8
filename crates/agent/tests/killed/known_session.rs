//! The client's knowledge of one session, and its unanswered calls.

use crate::process::{Process, result};
use crate::script::{Entry, Expected, Shown, script};
use serde_json::{Value, json};

pub(crate) struct KnownSession {
    pub(crate) id: String,
    /// The conversation up to the last turn that was answered, or that a load showed to have been
    /// cut off.
    entries: Vec<Entry>,
    title: Option<String>,
    /// Whether the person set the title. If so, the author's titles do not count.
    titled_by_person: bool,
    style: String,
    /// What the author remembers; after a cut turn, every possibility.
    memories: Vec<Vec<String>>,
    /// The number of cut turns of which at least a part is stored.
    pub(crate) cut: usize,
    /// The number of these turns that were surely cut before their end.
    pub(crate) failed: usize,
    prompts: u64,
    /// The turn without an answer.
    turn: Option<OpenTurn>,
    asked_title: Option<(i64, String)>,
    asked_style: Option<(i64, String)>,
}

struct OpenTurn {
    call: i64,
    prompt: String,
    shown: Shown,
}

impl KnownSession {
    /// Opens a new session; `None` if the agent was killed before its reply.
    pub(crate) fn begin(process: &mut Process, titled_by_person: bool) -> Option<Self> {
        let new = process.result("session/new", json!({"cwd": "/", "mcpServers": []}))?;
        let mut session = Self {
            id: new["sessionId"].as_str().unwrap().to_owned(),
            entries: Vec::new(),
            title: None,
            titled_by_person,
            style: "v0".to_owned(),
            memories: vec![Vec::new()],
            cut: 0,
            failed: 0,
            prompts: 0,
            turn: None,
            asked_title: None,
            asked_style: None,
        };
        if titled_by_person {
            session.ask_title(process, "Mine");
            while session.asked_title.is_some()
                && let Some(message) = process.next()
            {
                session.take(process, message);
            }
        }
        Some(session)
    }

    fn named(&self) -> Value {
        json!({"sessionId": self.id, "cwd": "/", "mcpServers": []})
    }

    /// Whether a turn has no answer yet.
    pub(crate) fn is_prompted(&self) -> bool {
        self.turn.is_some()
    }

    /// Loads the session in another process: everything that was confirmed is there, and a prefix
    /// of the cut turn.
    pub(crate) fn load(&mut self, process: &mut Process) {
        let Some((reply, shown)) = process.shown("session/load", self.named()) else { return };
        let style = reply["configOptions"][0]["currentValue"].as_str().unwrap().to_owned();
        let asked = self.asked_style.take().map(|(_, asked)| asked);
        assert!(
            style == self.style || Some(&style) == asked.as_ref(),
            "{}: {style}, not {}",
            self.id,
            self.style
        );
        self.style = style;
        let asked = self.asked_title.take().map(|(_, asked)| asked);
        if self.titled_by_person && asked.is_some() && shown.title == asked {
            self.title = asked;
        }
        let Some(rest) = shown.entries.strip_prefix(self.entries.as_slice()) else {
            let same = self
                .entries
                .iter()
                .zip(&shown.entries)
                .take_while(|(session, loaded)| session == loaded);
            let same = same.count();
            panic!(
                "{}: of {} entries {same} are there; then {:?}, not {:?}",
                self.id,
                self.entries.len(),
                shown.entries.get(same),
                self.entries[same]
            )
        };
        match self.turn.take() {
            Some(turn) if !rest.is_empty() => {
                let title = self.take_cut(&turn.prompt, rest, shown.title.as_ref());
                self.cut += 1;
                self.title = title;
            }
            _ => {
                assert_eq!(rest, [], "{}", self.id);
                assert_eq!(shown.title, self.title, "{}", self.id);
            }
        }
        self.entries = shown.entries;
    }

    /// Checks that the cut turn is a prefix of its script and that its tool calls are settled.
    /// Returns the title that the session now has.
    fn take_cut(&mut self, prompt: &str, rest: &[Entry], title: Option<&String>) -> Option<String> {
        let steps = script(prompt);
        let (mut memories, mut whole) = (Vec::new(), false);
        for count in 0..=steps.len() {
            let expected = Expected::of(prompt, &steps[..count]);
            let expected_title = match self.titled_by_person {
                true => self.title.clone(),
                false => expected.title.or_else(|| self.title.clone()),
            };
            if expected.entries == rest && expected_title.as_ref() == title {
                whole = count == steps.len();
                memories.extend(
                    self.memories
                        .iter()
                        .map(|before| [before.as_slice(), &expected.remembered].concat()),
                );
            }
        }
        assert!(!memories.is_empty(), "{}: no prefix of {prompt:?}: {rest:?}, {title:?}", self.id);
        self.failed += usize::from(!whole);
        self.memories = memories;
        title.cloned()
    }

    /// Checks that the session takes a prompt and that the author still remembers everything.
    pub(crate) fn recall(&mut self, process: &mut Process) {
        let prompt = json!([{"type": "text", "text": "recall"}]);
        let call = process.call("session/prompt", json!({"sessionId": self.id, "prompt": prompt}));
        self.turn = Some(OpenTurn { call, prompt: "recall".to_owned(), shown: Shown::default() });
        while self.turn.is_some() {
            let message = process.next().unwrap();
            if self.is_about(&message) {
                self.take(process, message);
            }
        }
    }

    /// Begins the next turn.
    pub(crate) fn prompt(&mut self, process: &mut Process) {
        self.prompts += 1;
        let text = format!("{}.{}", self.id.get(..8).unwrap_or(&self.id), self.prompts);
        let prompt = json!([{"type": "text", "text": text}]);
        let call = process.call("session/prompt", json!({"sessionId": self.id, "prompt": prompt}));
        self.turn = Some(OpenTurn { call, prompt: text, shown: Shown::default() });
    }

    pub(crate) fn ask_style(&mut self, process: &mut Process, value: String) {
        if self.asked_style.is_none() {
            let params = json!({"sessionId": self.id, "configId": "style", "value": value});
            self.asked_style = Some((process.call("session/set_config_option", params), value));
        }
    }

    pub(crate) fn ask_title(&mut self, process: &mut Process, title: &str) {
        if self.titled_by_person && self.asked_title.is_none() {
            let params = json!({"sessionId": self.id, "title": title});
            self.asked_title = Some((process.call("session/set_title", params), title.to_owned()));
        }
    }

    /// Whether a message is about this session.
    pub(crate) fn is_about(&self, message: &Value) -> bool {
        if message.get("method").is_some() {
            return message["params"]["sessionId"] == self.id;
        }
        let calls = [
            self.turn.as_ref().map(|turn| turn.call),
            self.asked_title.as_ref().map(|(call, _)| *call),
            self.asked_style.as_ref().map(|(call, _)| *call),
        ];
        calls.into_iter().flatten().any(|call| message["id"] == call)
    }

    /// Processes a message about this session.
    pub(crate) fn take(&mut self, process: &mut Process, mut message: Value) {
        match message["method"].as_str() {
            Some("session/update") => {
                if let Some(turn) = &mut self.turn {
                    turn.shown.update(&message["params"]["update"]);
                }
            }
            Some("session/request_permission") => process.allow(&message),
            Some(other) => panic!("{other}"),
            None => self.confirm(&mut message),
        }
    }

    fn confirm(&mut self, reply: &mut Value) {
        let is_it = |call: i64| reply["id"] == call;
        if let Some((_, title)) = self.asked_title.take_if(|(call, _)| is_it(*call)) {
            self.title = Some(title);
        } else if let Some((_, style)) = self.asked_style.take_if(|(call, _)| is_it(*call)) {
            self.style = style;
        } else if let Some(turn) = self.turn.take_if(|turn| is_it(turn.call)) {
            let result = result(reply);
            assert_eq!(result["stopReason"], "end_turn");
            self.answered(turn);
            return;
        }
        result(reply);
    }

    /// Notes that the turn is confirmed: from now on its entries must be stored.
    fn answered(&mut self, turn: OpenTurn) {
        let OpenTurn { prompt, shown, .. } = turn;
        let own = Expected::of(&prompt, &[]).entries;
        if prompt == "recall" {
            let [Entry::Message { text, .. }] = shown.entries.as_slice() else {
                panic!("{shown:?}")
            };
            self.memories.retain(|memory| format!("{memory:?}") == *text);
            assert_ne!(self.memories, [] as [Vec<String>; 0], "{}: {text}", self.id);
        } else {
            let expected = Expected::of(&prompt, &script(&prompt));
            assert_eq!(shown.entries, expected.entries[1..], "{}: the streamed entries", self.id);
            self.memories.iter_mut().for_each(|memory| memory.extend(expected.remembered.clone()));
            if !self.titled_by_person {
                self.title = expected.title.or_else(|| self.title.take());
            }
        }
        self.entries.extend(own);
        self.entries.extend(shown.entries);
    }
}
