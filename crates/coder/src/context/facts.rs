//! Collects the facts of a conversation from its tool calls.
use crate::conversation::facts::Facts;
use crate::conversation::message::Message;
use crate::models::AssistantPart;
use crate::tools::Registry;
use crate::tools::fit::one_line;
use attache_policy::Touch;
use attache_protocol::v1::PlanEntryStatus;
use std::collections::HashMap;

/// The maximum number of facts of each kind. The newest are kept.
const MAX_FACTS: usize = 60;

/// The maximum length of a command or a step, in characters.
const MAX_SHOWN: usize = 160;

impl Facts {
    /// Collects the facts of these messages, including the facts in a summary, if one of the
    /// messages is a summary.
    pub(crate) fn of(messages: &[Message]) -> Self {
        let failed: HashMap<&str, bool> = messages
            .iter()
            .filter_map(|message| match message {
                Message::ToolReply(answer) => Some((answer.call_id.as_str(), answer.failed)),
                _ => None,
            })
            .collect();
        let mut facts = Self::default();
        for message in messages {
            match message {
                Message::Summary(summary) => facts = summary.facts().clone(),
                Message::OfflineCall(call, result) if !result.failed => {
                    facts.called(&call.name(), &call.arguments().to_string());
                }
                Message::Assistant(said) => {
                    for part in &said.parts {
                        let AssistantPart::Call { id, name, arguments, .. } = part else {
                            continue;
                        };
                        // A call without a result did not run.
                        if failed.get(id.as_str()) == Some(&false) {
                            facts.called(name, arguments);
                        }
                    }
                }
                _ => {}
            }
        }
        facts
    }

    /// Adds the effects of a tool call. Calls to MCP servers are not recorded.
    fn called(&mut self, name: &str, arguments: &str) {
        let Ok(tool) = Registry::built_in().call(name, arguments) else { return };
        if let Some(entries) = tool.plan() {
            let done = |status: &PlanEntryStatus| {
                if *status == PlanEntryStatus::Completed { "x" } else { " " }
            };
            let step = |entry: &attache_protocol::v1::PlanEntry| {
                format!("- [{}] {}", done(&entry.status), one_line(&entry.content, MAX_SHOWN))
            };
            self.plan = entries.iter().take(MAX_FACTS).map(step).collect();
        }
        match tool.touches() {
            Touch::Reads(paths) if tool.name() == "read" => add(&mut self.read, &paths),
            Touch::Changes(paths) => add(&mut self.changed, &paths),
            Touch::Runs { command, .. } | Touch::Unsandboxed { command } => {
                add(&mut self.ran, &[command])
            }
            _ => {}
        }
    }
}

/// Adds facts to the end of the list, removes earlier copies of them, and drops the oldest facts if
/// there are too many.
fn add(list: &mut Vec<String>, more: &[&str]) {
    for one in more {
        let one = one_line(one, MAX_SHOWN);
        list.retain(|other| *other != one);
        list.push(one);
    }
    list.drain(..list.len().saturating_sub(MAX_FACTS));
}
