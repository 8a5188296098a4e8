//! Everything outside of the transcript: options, commands, info, usage, terminals and turns.

use super::turn_shown::TurnShown;
use super::{Follower, index_of, patches, shown};
use crate::terminal::BASE64;
use crate::{
    AgentTerminal, EntryChange, EntryContent, EventBody, MessageAuthor, Parts, Session,
    ToolCallContent, TurnState,
};
use attache_protocol::Patch;
use attache_protocol::v1::SessionConfigOption;
use attache_protocol::v2::{
    IdleStateUpdate, RequiresActionStateUpdate, StateUpdate, TerminalOutput, TerminalUpdate,
};
use base64::Engine as _;
use std::borrow::Cow;
use std::sync::Arc;

/// The updates about turns, by where they belong among the others.
#[derive(Default)]
pub(super) struct Turns {
    /// Before all entries.
    pub(super) first: Vec<EventBody>,
    /// Before the entry with this index.
    pub(super) before: Option<(usize, Vec<EventBody>)>,
    /// After everything.
    pub(super) last: Vec<EventBody>,
}

impl Follower {
    /// Returns the updates about turns. Only version 2 has them.
    pub(super) fn turns(&mut self, now: &Session, entries: &[EntryChange]) -> Turns {
        let mut turns = Turns::default();
        if self.client.is_some() {
            return turns;
        }
        let was = std::mem::replace(&mut self.state, shown_turn(now));
        let has_changed = now.changed_at(Parts::TURN) > self.seen.changed_at(Parts::TURN);
        match (was != TurnShown::Idle, self.state != TurnShown::Idle) {
            (false, true) => turns.first.push(EventBody::TurnBegan),
            (true, false) => turns.last.push(ended(now)),
            (false, false) if has_changed && self.seen.sequence() > 0 => {
                turns.first.push(EventBody::TurnBegan);
                turns.last.push(ended(now));
            }
            // One turn ended and another one began, with the last prompt.
            (true, true) if has_changed => {
                let states = vec![ended(now), EventBody::TurnBegan];
                match entries.iter().rev().find(|change| is_prompt(change)) {
                    Some(prompt) => turns.before = Some((index_of(prompt), states)),
                    None => turns.first = states,
                }
            }
            _ => {}
        }
        match (was, self.state) {
            (TurnShown::WaitsForPerson, TurnShown::Running) => {
                turns.last.push(EventBody::TurnBegan);
            }
            (was, TurnShown::WaitsForPerson) if was != TurnShown::WaitsForPerson => {
                let waits = StateUpdate::from(RequiresActionStateUpdate::new());
                turns.last.push(EventBody::State(Box::new(waits)));
            }
            _ => {}
        }
        turns
    }

    /// Adds the updates of the parts that changed, with their new values.
    pub(super) fn parts(&self, now: &Session, parts: Parts, bodies: &mut Vec<EventBody>) {
        for body in self.state_of(now) {
            let part = match body {
                EventBody::CurrentMode(_)
                    if now.config().current_mode() == self.seen.config().current_mode() =>
                {
                    continue;
                }
                EventBody::CurrentMode(_) | EventBody::ConfigOptions(_) => Parts::CONFIG,
                EventBody::Commands(_) | EventBody::CommandsOfKinds(_) => Parts::COMMANDS,
                EventBody::Usage { .. } => Parts::USAGE,
                // Info is compared field by field below.
                _ => continue,
            };
            if parts.contains(part) {
                bodies.push(body);
            }
        }
        if parts.contains(Parts::CONFIG) && self.options(now).is_empty() {
            let had_options = !self.options(&self.seen).is_empty();
            bodies.extend(had_options.then(|| EventBody::ConfigOptions(Vec::new())));
        }
        if parts.contains(Parts::COMMANDS) && now.commands().is_empty() {
            let had_commands = !self.seen.commands().is_empty();
            bodies.extend(had_commands.then(|| EventBody::Commands(Vec::new())));
        }
        if parts.contains(Parts::INFO) {
            self.info(now, bodies);
        }
    }

    /// The session without its history.
    pub(super) fn state_of(&self, now: &Session) -> Vec<EventBody> {
        let mut bodies = now.state();
        if self.client.is_none() && now.config().options().is_empty() {
            let options = self.options(now);
            bodies.extend((!options.is_empty()).then_some(EventBody::ConfigOptions(options)));
        }
        bodies
    }

    /// The options that the client gets. Version 2 has no modes, so there they are an option.
    fn options(&self, session: &Session) -> Vec<SessionConfigOption> {
        match &self.client {
            Some(_) => session.config().options().to_vec(),
            None => session.config().options_without_modes(),
        }
    }

    fn info(&self, now: &Session, bodies: &mut Vec<EventBody>) {
        let text = |old: Option<&str>, new: Option<&str>| match (old, new) {
            (old, new) if old == new => Patch::Keep,
            (_, Some(new)) => Patch::Set(new.to_owned()),
            (_, None) => Patch::Clear,
        };
        let (old, new) = (self.seen.info(), now.info());
        let title = text(old.title(), new.title());
        let updated_at = text(old.updated_at(), new.updated_at());
        let [first, meta] = match (&self.client, old.meta(), new.meta()) {
            // Version 1 merges metadata, which removes nothing.
            (Some(_), Some(old), Some(new)) if old != new => {
                match crate::merged_meta(Some(old), new) == *new {
                    true => [Patch::Keep, Patch::Set(new.clone())],
                    false => [Patch::Clear, Patch::Set(new.clone())],
                }
            }
            (_, old, new) => patches::key_patches(old, new),
        };
        if !first.is_keep() {
            let (title, updated_at) = (Patch::Keep, Patch::Keep);
            bodies.push(EventBody::Info { title, updated_at, meta: first });
        }
        if !(title.is_keep() && updated_at.is_keep() && meta.is_keep()) {
            bodies.push(EventBody::Info { title, updated_at, meta });
        }
    }

    /// Adds the updates of the agent's terminals. In version 1, tool calls show them as text.
    pub(super) fn agent_terminals(
        &mut self,
        now: &Session,
        changes: &[EntryChange],
        bodies: &mut Vec<EventBody>,
    ) {
        if self.client.is_none() {
            for terminal in now.terminals() {
                let id = &terminal.terminal_id;
                let old = self.seen.terminals().iter().find(|old| old.terminal_id == *id);
                terminal_updates(old, terminal, bodies);
            }
            return;
        }
        let is_sent = |index: usize| changes.iter().any(|change| index_of(change) == index);
        for (index, entry) in now.entries().iter().enumerate() {
            let EntryContent::ToolCall(call) = &entry.content else { continue };
            let has_changed = |part: &ToolCallContent| match (shown(now, part), part) {
                (Cow::Owned(text), _) => shown(&self.seen, part).into_owned() != text,
                _ => false,
            };
            if !is_sent(index) && call.content.iter().any(has_changed) {
                self.tool_call(now, index, Some(call), call, bodies);
            }
        }
    }
}

impl Follower {
    /// Adds the updates of terminals that the agent's client runs.
    pub(super) fn client_terminals(&mut self, now: &Session, bodies: &mut Vec<EventBody>) {
        if self.client.is_none() {
            return self.terminals.updates(bodies);
        }
        for index in self.terminals.changed() {
            let entry = now.entries().get(index).map(|entry| &entry.content);
            if let Some(EntryContent::ToolCall(call)) = entry {
                self.tool_call(now, index, Some(call), call, bodies);
            }
        }
    }
}

fn shown_turn(session: &Session) -> TurnShown {
    match session.turn() {
        TurnState::Idle => TurnShown::Idle,
        TurnState::Running { .. } if session.open_permissions().next().is_some() => {
            TurnShown::WaitsForPerson
        }
        TurnState::Running { .. } => TurnShown::Running,
    }
}

/// The end of the last turn.
fn ended(session: &Session) -> EventBody {
    match session.last_outcome() {
        Some(outcome) => EventBody::TurnEnded {
            outcome: outcome.clone(),
            usage: session.usage().last_turn().cloned(),
        },
        // An agent of version 2 may give no reason.
        None => EventBody::State(Box::new(IdleStateUpdate::new().into())),
    }
}

fn is_prompt(change: &EntryChange) -> bool {
    let EntryChange::Began { content, .. } = change else { return false };
    matches!(content.content, EntryContent::Message { author: MessageAuthor::User, .. })
}

/// Adds the updates of one terminal. Output that was only appended is sent alone.
fn terminal_updates(
    old: Option<&Arc<AgentTerminal>>,
    new: &Arc<AgentTerminal>,
    bodies: &mut Vec<EventBody>,
) {
    if old.is_some_and(|old| old == new) {
        return;
    }
    let mut update = TerminalUpdate::new(new.terminal_id.clone());
    let set = |bytes: &[u8]| Patch::Set(TerminalOutput::new(BASE64.encode(bytes)));
    let mut grown = None;
    match old {
        None => {
            update.command = keep_or_set(new.command.as_ref());
            update.cwd = keep_or_set(new.cwd.as_ref());
            update.exit_status = keep_or_set(new.exit_status.as_ref());
            update.size = keep_or_set(new.size.as_ref());
            update.capabilities = keep_or_set(new.capabilities.as_ref());
            update.meta = keep_or_set(new.meta.as_ref());
            if new.output_len() > 0 {
                update.output = set(&new.output());
            }
        }
        Some(old) => {
            update.command = changed(old.command.as_ref(), new.command.as_ref());
            update.cwd = changed(old.cwd.as_ref(), new.cwd.as_ref());
            update.exit_status = changed(old.exit_status.as_ref(), new.exit_status.as_ref());
            update.size = changed(old.size.as_ref(), new.size.as_ref());
            update.capabilities = changed(old.capabilities.as_ref(), new.capabilities.as_ref());
            let [first, meta] = patches::key_patches(old.meta.as_ref(), new.meta.as_ref());
            if !first.is_keep() {
                let mut clear = TerminalUpdate::new(new.terminal_id.clone());
                clear.meta = first;
                bodies.push(EventBody::Terminal(Box::new(clear)));
            }
            update.meta = meta;
            let known = old.output_len().checked_sub(new.dropped());
            match known.filter(|_| old.replaced() == new.replaced()) {
                Some(known) => grown = new.output().get(known..).map(<[u8]>::to_vec),
                None => update.output = set(&new.output()),
            }
        }
    }
    bodies.push(EventBody::Terminal(Box::new(update)));
    bodies.extend(grown.filter(|bytes| !bytes.is_empty()).map(|bytes| {
        let data = BASE64.encode(bytes);
        EventBody::TerminalOutput { terminal_id: new.terminal_id.clone(), data }
    }));
}

fn keep_or_set<T: Clone>(value: Option<&T>) -> Patch<T> {
    value.cloned().map_or(Patch::Keep, Patch::Set)
}

fn changed<T: PartialEq + Clone>(old: Option<&T>, new: Option<&T>) -> Patch<T> {
    match (old, new) {
        (old, new) if old == new => Patch::Keep,
        (_, Some(new)) => Patch::Set(new.clone()),
        (_, None) => Patch::Clear,
    }
}
