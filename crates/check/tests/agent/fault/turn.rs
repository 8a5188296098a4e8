//! Faults in turns.

use crate::fault::{Fault, Heard, change, fault, give, misheard, refuse, update};
use serde_json::{Value, json};

impl Heard<'_> {
    /// Whether this is a prompt with this act.
    pub(super) fn prompts_with(&self, text: &str) -> bool {
        let blocks = self.params()["prompt"].as_array().map_or(&[][..], Vec::as_slice);
        let mut texts = blocks.iter().filter_map(|block| block["text"].as_str());
        self.is("session/prompt") && texts.any(|prompt| prompt.contains(text))
    }
}

/// Whether this is the update with this text.
pub(super) fn says(line: &Value, text: &str) -> bool {
    line["params"]["update"]["content"]["text"].as_str().is_some_and(|said| said.contains(text))
}

pub(super) const FAULTS: &[Fault] = &[
    fault("PROMPT-03", &["DEC-12", "INIT-14"], |h, s| {
        if h.params()["prompt"][0]["type"] == "resource_link" {
            refuse(h, s, -32602)
        }
    }),
    fault("PROMPT-07", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "stopReason", |reason| {
                if reason == "max_tokens" {
                    *reason = json!("end_turn")
                }
            })
        }
    }),
    fault("PROMPT-08", &[], |h, s| {
        if h.prompts_with("attache-thought") {
            let late = json!({"type": "text", "text": "and one more thing"});
            let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": late});
            s.push(update(&h.params()["sessionId"], chunk))
        }
    }),
    fault("PROMPT-10", &[], |h, s| {
        if h.prompts_with("\"fail\":400") {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("PROMPT-10", &[], |h, s| {
        if h.prompts_with("\"cut\":true") {
            give(h, s, json!({"stopReason": "end_turn"}))
        }
    }),
    fault("PROMPT-11", &[], |h, s| {
        if h.prompts_with("attache-thought") {
            change(s, "sessionUpdate", |kind| {
                if kind == "agent_thought_chunk" {
                    *kind = json!("agent_message_chunk")
                }
            })
        }
    }),
    fault("PROMPT-11", &[], |h, s| {
        if h.prompts_with("\"repeat\":") {
            s.remove(s.len() / 2);
        }
    }),
    fault("PROMPT-12", &[], |h, s| {
        if h.prompts_with("attache-remembered") {
            change(s, "content", |content| {
                if content["text"] == "recalled yes" {
                    content["text"] = json!("recalled no")
                }
            })
        }
    }),
    fault("PROMPT-13", &[], |h, s| {
        if h.prompts_with("attache-second") {
            s.clear()
        }
    }),
    fault("RPC-02", &["RPC-01", "RPC-03"], |h, s| {
        if h.is("session/prompt") {
            for line in s.iter_mut().filter(|line| says(line, "\n")) {
                *line = json!(line.to_string().replace("\\n", "\n"))
            }
        }
    }),
    fault("RPC-27", &["RPC-15"], |h, s| {
        if h.prompts_with("\"fail\":401") {
            s.clear()
        }
    }),
    fault("RPC-29", &[], |h, s| {
        if h.prompts_with("attache-a, attache-b") {
            let reply = s.pop().unwrap();
            let last = s.pop().unwrap();
            s.extend([reply, last])
        }
    }),
];

/// An agent that lets its model continue up to three times after an early stop. A model without
/// further acts sends its final text.
pub(super) const CONTINUES: Fault = misheard("PROMPT-07", &[], |h, m| {
    let text = h.params()["prompt"][0]["text"].as_str().unwrap_or_default();
    if h.is("session/prompt") && (1..=3).contains(&text.matches("\"end\":\"length\"").count()) {
        let acts = text.trim_end_matches("]}");
        m["params"]["prompt"][0]["text"] =
            json!(format!("{acts},{{\"say\":\"attache check: done\"}}]}}"))
    }
});
