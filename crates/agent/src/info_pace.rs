//! Title and metadata on their way to the client: at most ten lines a second in a session, however
//! often they change.
//!
//! A change is part of the session at once. Its line goes out with those of the changes that came
//! meanwhile: when the next line may go, with the next thing said after that, and at the latest
//! with the end of the turn.

use crate::open_session::OpenSession;
use crate::state::State;
use crate::{Error, Result};
use attache_protocol::v1::SessionInfoUpdate;
use attache_protocol::{Map, Meta, Patch, Raw, decode, encode};
use attache_session::EventBody;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two lines.
const PACE: Duration = Duration::from_millis(100);

/// What of title and metadata the client was not told yet.
#[derive(Default)]
pub(crate) struct InfoPace {
    /// When the last line went out.
    sent: Option<Instant>,
    /// The title as it was when the last line went out, if it was set since.
    title: Option<Option<String>>,
    /// The metadata as it was when the last line went out, if it changed since.
    meta: Option<Option<Meta>>,
}

impl InfoPace {
    /// Whether the client was not told everything.
    pub(crate) fn is_pending(&self) -> bool {
        self.title.is_some() || self.meta.is_some()
    }

    /// When the next line may go.
    fn next(&self) -> Instant {
        let now = Instant::now();
        self.sent.and_then(|sent| sent.checked_add(PACE)).map_or(now, |next| next.max(now))
    }
}

impl OpenSession {
    /// Title or metadata change: at once in the session, at its time on the wire.
    pub(crate) fn change_info(
        &self,
        state: &mut State,
        title: Patch<String>,
        meta: Patch<Meta>,
    ) -> Result<()> {
        attache_session::check_meta(state.session.info().meta(), &meta)
            .map_err(|error| Error::invalid(error.to_string()))?;
        if !title.is_keep() {
            remember_title(state);
        }
        if !meta.is_keep() && state.info.meta.is_none() {
            state.info.meta = Some(state.session.info().meta().cloned());
        }
        state.record(EventBody::Info { title, updated_at: Patch::Keep, meta });
        self.send_info_when_due(state)?;
        if state.info.is_pending() {
            self.info_pending.notify_one();
        }
        Ok(())
    }

    /// A person gave the title: no generated one replaces it (TITLE-03).
    pub(crate) fn store_title(&self, state: &mut State, title: String) -> Result<()> {
        remember_title(state);
        state.record(EventBody::StoredTitle { title, by_person: true });
        self.send_info_when_due(state)?;
        self.info_pending.notify_one();
        Ok(())
    }

    /// Tells the client what it was not told yet, if a line may go.
    pub(crate) fn send_info_when_due(&self, state: &mut State) -> Result<()> {
        match state.info.is_pending() && state.info.next() <= Instant::now() {
            true => self.send_info(state),
            false => Ok(()),
        }
    }

    /// Tells the client what it was not told yet. Only what changed is in the line (INFO-02).
    pub(crate) fn send_info(&self, state: &mut State) -> Result<()> {
        if !state.info.is_pending() || state.is_closed() {
            return Ok(());
        }
        let told = std::mem::replace(
            &mut state.info,
            InfoPace { sent: Some(Instant::now()), ..InfoPace::default() },
        );
        let info = state.session.info();
        let mut update = SessionInfoUpdate::new();
        if let Some(before) = told.title
            && before.as_deref() != info.title()
        {
            update.title = Patch::from(info.title().map(str::to_owned));
        }
        if let Some(told) = told.meta {
            update.meta = meta_patch(told.as_ref(), info.meta());
        }
        match update.title.is_keep() && update.meta.is_keep() {
            true => Ok(()),
            false => self.send(state, update.into()),
        }
    }

    /// Sends what is pending as it falls due, for ever: polled beside the turn that runs.
    pub(crate) async fn pace_info(&self) -> Infallible {
        loop {
            let pending = {
                let state = self.state();
                state.info.is_pending().then(|| state.info.next())
            };
            match pending {
                Some(next) => {
                    tokio::time::sleep_until(next).await;
                    // If the connection is over, nobody needs to know.
                    let _ = self.send_info_when_due(&mut self.state());
                }
                None => self.info_pending.notified().await,
            }
        }
    }

    /// Waits until nothing is pending. In a turn it does not wait: the turn sees to it.
    pub(crate) async fn info_is_sent(&self) -> Result<()> {
        loop {
            let next = {
                let mut state = self.state();
                if state.is_closed() {
                    return Err(Error::Closed);
                }
                if state.turn().is_some() {
                    return Ok(());
                }
                self.send_info_when_due(&mut state)?;
                if !state.info.is_pending() {
                    return Ok(());
                }
                state.info.next()
            };
            tokio::time::sleep_until(next).await;
        }
    }
}

/// Keeps the title that the client knows, before another one is set.
fn remember_title(state: &mut State) {
    if state.info.title.is_none() {
        state.info.title = Some(state.session.info().title().map(str::to_owned));
    }
}

/// The smallest patch that makes `now` of `told` by the merge of v1 (INFO-09).
fn meta_patch(told: Option<&Meta>, now: Option<&Meta>) -> Patch<Meta> {
    match (told, now) {
        (told, now) if told == now => Patch::Keep,
        (_, None) => Patch::Clear,
        (None, Some(now)) => Patch::Set(now.clone()),
        (Some(told), Some(now)) => match difference(told.raw(), now.raw()).and_then(Meta::new) {
            Some(patch) => Patch::Set(patch),
            None => Patch::Keep,
        },
    }
}

/// What must be merged into `told` for it to become `now`; `None` if nothing.
fn difference(told: &Raw, now: &Raw) -> Option<Raw> {
    if told == now {
        return None;
    }
    let (Some(before), Some(after)) = (members(told), members(now)) else {
        return Some(now.clone());
    };
    let mut patch: Map<Raw> = Map::default();
    for (key, _) in before.0.iter().filter(|(key, _)| after.get(key).is_none()) {
        patch.0.extend(Raw::from_text("null").ok().map(|null| (key.clone(), null)));
    }
    for (key, value) in &after.0 {
        let changed = match before.get(key) {
            Some(told) => difference(told, value),
            None => Some(value.clone()),
        };
        patch.0.extend(changed.map(|value| (key.clone(), value)));
    }
    // What `encode` writes is JSON.
    (!patch.0.is_empty()).then(|| Raw::from_text(&encode(&patch)).unwrap_or_else(|_| now.clone()))
}

fn members(raw: &Raw) -> Option<Map<Raw>> {
    raw.is_object().then(|| decode(raw.get()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_session::merged_meta;

    fn meta(text: &str) -> Meta {
        Meta::new(Raw::from_text(text).unwrap()).unwrap()
    }

    /// INFO-09.
    #[test]
    fn the_patch_of_two_states_makes_the_one_of_the_other() {
        let states = [
            "{}",
            r#"{"a":{"x":1,"y":{"z":[1,2]}},"b":"t"}"#,
            r#"{"a":{"y":{"z":[2]}},"c":{"d":{}}}"#,
            r#"{"a":5,"b":{"deep":{"er":true}}}"#,
            r#"{"b":{"deep":{"er":false,"more":0}},"a":{"x":1}}"#,
        ];
        for told in states.map(meta) {
            for now in states.map(meta) {
                let made = match meta_patch(Some(&told), Some(&now)) {
                    Patch::Set(patch) => merged_meta(Some(&told), &patch),
                    Patch::Keep => told.clone(),
                    Patch::Clear => panic!("not asked for"),
                };
                let value = |meta: &Meta| meta.raw().parse::<serde_json::Value>().unwrap();
                assert_eq!(value(&made), value(&now), "from {told:?}");
            }
        }
    }
}
