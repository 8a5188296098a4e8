//! The lists of background work (V2-38 to V2-41).

use super::super::finding::Report;
use super::super::seen::{Seen, quoted, text};
use super::{entity, session};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The background work of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The last list of each session that reports background work, and its line.
    sessions: HashMap<String, (Vec<Item>, usize)>,
    /// The sessions of subagents.
    subagents: HashSet<String>,
}

/// An entity in a list.
type Item = (Work, String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Entity(entity::Kind),
    Subagent,
}

impl Judge {
    pub(super) fn judge(
        &mut self,
        seen: &Seen<'_>,
        sessions: &session::Judge,
        entities: &entity::Judge,
        report: &mut Report,
    ) {
        if let Some((_, update)) = seen.update_of("subagent_update") {
            self.subagents.extend(text(update, "sessionId").map(str::to_owned));
        }
        let Some((session, update)) = seen.update_of("state_update") else { return };
        let Some(list) = update.get("background").and_then(Value::as_array) else {
            if let Some((_, line)) = self.sessions.remove(session) {
                report.contradicts("V2-40", line, "the state has no background list");
            }
            return;
        };
        let earlier = self.sessions.get(session);
        let items: Vec<Item> = list.iter().filter_map(item).collect();
        if earlier.is_some() {
            report.tests(&["V2-40"]);
        }
        if !sessions.is_resuming(session) {
            self.announced(session, &items, sessions, entities, report);
        }
        if let Some((before, line)) = earlier {
            removed(session, (before, *line), &items, entities, report);
        }
        self.sessions.insert(session.to_owned(), (items, report.line()));
    }

    /// Judges whether each item was announced before, and is listed once.
    fn announced(
        &self,
        session: &str,
        items: &[Item],
        sessions: &session::Judge,
        entities: &entity::Judge,
        report: &mut Report,
    ) {
        let mut listed = HashSet::new();
        for item in items {
            let is_repeated = !listed.insert(item);
            let (work, id) = item;
            report.keeps("V2-41", !is_repeated, || format!("{} is listed twice", quoted(id)));
            let is_known = match work {
                Work::Entity(kind) => entities.is_final(*kind, session, id).is_some(),
                Work::Subagent => self.subagents.contains(id),
            };
            if sessions.is_whole(session) {
                report.keeps("V2-38", is_known, || {
                    format!("no earlier update announced {}", quoted(id))
                });
            }
        }
    }
}

/// Judges whether the work that a list no longer contains has ended.
fn removed(
    session: &str,
    (before, line): (&[Item], usize),
    now: &[Item],
    entities: &entity::Judge,
    report: &mut Report,
) {
    let now: HashSet<&Item> = now.iter().collect();
    for (work, id) in before.iter().filter(|item| !now.contains(item)) {
        if let Work::Entity(kind) = work {
            let runs = entities.is_final(*kind, session, id) == Some(false);
            report.agrees("V2-39", runs.then_some(line), || {
                format!("{} is no longer listed, but no update reported its end", quoted(id))
            });
        }
    }
}

fn item(work: &Value) -> Option<Item> {
    let (work, id) = match text(work, "type")? {
        "terminal" => (Work::Entity(entity::Kind::Terminal), text(work, "terminalId")?),
        "tool_call" => (Work::Entity(entity::Kind::ToolCall), text(work, "toolCallId")?),
        "subagent" => (Work::Subagent, text(work, "sessionId")?),
        _ => return None,
    };
    Some((work, id.to_owned()))
}
