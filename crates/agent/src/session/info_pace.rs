//! The pace of title and metadata updates: at most ten lines a second in a session, however often
//! they change.
//!
//! A change applies to the session at once. The client receives it, together with later changes, as
//! soon as the pace allows or at the end of the turn, whichever comes first.

use crate::session::client_update::ClientUpdate;
use attache_protocol::v1::{ProtocolVersion, SessionInfoUpdate};
use attache_protocol::v2;
use attache_protocol::{Map, Meta, Patch, Raw, decode, encode};
use attache_session::Info;
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two lines.
const PACE: Duration = Duration::from_millis(100);

/// The changes of title and metadata that the client does not know yet.
#[derive(Default)]
pub(crate) struct InfoPace {
    /// When the last line went out.
    sent: Option<Instant>,
    /// The title at the time of the last line, if it changed since.
    title: Option<Option<String>>,
    /// The metadata at the time of the last line, if it changed since.
    meta: Option<Option<Meta>>,
}

impl InfoPace {
    /// Returns whether the client does not know everything yet.
    pub(crate) fn is_pending(&self) -> bool {
        self.title.is_some() || self.meta.is_some()
    }

    /// Returns whether something is pending and a line may go out.
    pub(crate) fn is_due(&self) -> bool {
        self.is_pending() && self.next() <= Instant::now()
    }

    /// Returns the earliest time at which the next line may go out.
    pub(crate) fn next(&self) -> Instant {
        let now = Instant::now();
        self.sent.and_then(|sent| sent.checked_add(PACE)).map_or(now, |next| next.max(now))
    }

    /// Notes the title that the client knows, before the title changes.
    pub(crate) fn title_changes(&mut self, info: &Info) {
        if self.title.is_none() {
            self.title = Some(info.title().map(str::to_owned));
        }
    }

    /// Notes the metadata that the client knows, before the metadata changes.
    pub(crate) fn meta_changes(&mut self, info: &Info) {
        if self.meta.is_none() {
            self.meta = Some(info.meta().cloned());
        }
    }

    /// Returns the update from what the client knows to `info`; `None` if nothing differs. Nothing
    /// is pending afterwards.
    pub(crate) fn take_update(
        &mut self,
        info: &Info,
        version: ProtocolVersion,
    ) -> Option<ClientUpdate> {
        let known = std::mem::replace(self, Self { sent: Some(Instant::now()), ..Self::default() });
        let title = match known.title {
            Some(before) if before.as_deref() != info.title() => {
                Patch::from(info.title().map(str::to_owned))
            }
            _ => Patch::Keep,
        };
        let meta = match known.meta {
            Some(before) => meta_patch(before.as_ref(), info.meta(), version),
            None => Patch::Keep,
        };
        (!title.is_keep() || !meta.is_keep()).then(|| match version {
            ProtocolVersion::V2 => {
                let update = v2::SessionInfoUpdate { title, meta, ..v2::SessionInfoUpdate::new() };
                ClientUpdate::V2(update.into())
            }
            _ => {
                let update = SessionInfoUpdate { title, meta, ..SessionInfoUpdate::new() };
                ClientUpdate::V1(update.into())
            }
        })
    }
}

/// Returns the smallest patch that turns `known` into `now`: version 1 merges nested objects
/// (INFO-09), version 2 replaces the value of each top-level key.
fn meta_patch(known: Option<&Meta>, now: Option<&Meta>, version: ProtocolVersion) -> Patch<Meta> {
    match (known, now) {
        (known, now) if known == now => Patch::Keep,
        (_, None) => Patch::Clear,
        (None, Some(now)) => Patch::Set(now.clone()),
        (Some(known), Some(now)) => {
            let nested = match version {
                ProtocolVersion::V2 => |_: &Raw, now: &Raw| Some(now.clone()),
                _ => difference,
            };
            match changed_members(known.raw(), now.raw(), nested).and_then(Meta::new) {
                Some(patch) => Patch::Set(patch),
                None => Patch::Keep,
            }
        }
    }
}

/// Returns what must be merged into `known` to get `now`; `None` if they are equal.
fn difference(known: &Raw, now: &Raw) -> Option<Raw> {
    changed_members(known, now, difference)
}

/// Returns the members of `now` that differ from those of `known`, and null for those that are
/// gone; `None` if there are none. `nested` returns what to send of a member that both have. If
/// either is no object, returns `now`.
fn changed_members(known: &Raw, now: &Raw, nested: fn(&Raw, &Raw) -> Option<Raw>) -> Option<Raw> {
    if known == now {
        return None;
    }
    let (Some(before), Some(after)) = (members(known), members(now)) else {
        return Some(now.clone());
    };
    let mut patch: Map<Raw> = Map::default();
    for (key, _) in before.0.iter().filter(|(key, _)| after.get(key).is_none()) {
        patch.0.extend(Raw::from_text("null").ok().map(|null| (key.clone(), null)));
    }
    for (key, value) in &after.0 {
        let changed = match before.get(key) {
            Some(known) if known == value => None,
            Some(known) => nested(known, value),
            None => Some(value.clone()),
        };
        patch.0.extend(changed.map(|value| (key.clone(), value)));
    }
    // `encode` writes JSON.
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
    fn patch_turns_one_state_into_the_other() {
        let states = [
            "{}",
            r#"{"a":{"x":1,"y":{"z":[1,2]}},"b":"t"}"#,
            r#"{"a":{"y":{"z":[2]}},"c":{"d":{}}}"#,
            r#"{"a":5,"b":{"deep":{"er":true}}}"#,
            r#"{"b":{"deep":{"er":false,"more":0}},"a":{"x":1}}"#,
        ];
        for known in states.map(meta) {
            for now in states.map(meta) {
                let made = match meta_patch(Some(&known), Some(&now), ProtocolVersion::V1) {
                    Patch::Set(patch) => merged_meta(Some(&known), &patch),
                    Patch::Keep => known.clone(),
                    Patch::Clear => panic!("metadata is not cleared here"),
                };
                let value = |meta: &Meta| meta.raw().parse::<serde_json::Value>().unwrap();
                assert_eq!(value(&made), value(&now), "from {known:?}");
            }
        }
    }
}
