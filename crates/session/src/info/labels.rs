//! Tags, status and progress of a session: documented keys of its metadata.

use crate::Info;
use crate::info::meta::members;
use crate::info::title::one_line;
use attache_protocol::{Map, Meta, Raw, Wire, decode, encode};

/// The key of [`Labels`] in the metadata of a session (META-07).
const KEY: &str = "attache/labels";

/// What the metadata of a session says about it under the key `attache/labels` (META-07):
/// `{"attache/labels": {"tags": ["bug"], "status": "waiting for review", "progress": {"done": 3,
/// "total": 10}}}`.
///
/// ```
/// use attache_session::Labels;
///
/// let bug = Labels { tags: vec!["bug".to_owned()], ..Labels::default() };
/// let patch = Labels::change(&Labels::default(), &bug).unwrap();
/// assert_eq!(patch.raw().get(), r#"{"attache/labels":{"tags":["bug"]}}"#);
/// assert_eq!(Labels::change(&bug, &Labels::default()).unwrap().raw().get(), r#"{"attache/labels":{"tags":null}}"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Words to find the session by, each once, in their order.
    pub tags: Vec<String>,
    /// What it is at, in a few words.
    pub status: Option<String>,
    /// How far it is: so many of so many, of at least one and never more than all.
    pub progress: Option<(u64, u64)>,
}

impl Labels {
    /// How many tags there may be; later ones are left out.
    pub const TAGS: usize = 32;
    /// How long a tag may be, in characters; a longer one is cut and ended with `…`.
    pub const TAG_LIMIT: usize = 64;
    /// How long a status may be, in characters; a longer one is cut and ended with `…`.
    pub const STATUS_LIMIT: usize = 200;

    /// The labels in the metadata of `info`, as [`Labels::normalised`]; what has another shape
    /// counts as absent.
    pub fn of(info: &Info) -> Self {
        info.meta().map(Self::of_meta).unwrap_or_default()
    }

    /// The labels in the metadata of a listed session, likewise.
    pub fn of_meta(meta: &Meta) -> Self {
        let labels = members(meta.raw()).and_then(|all| members(all.get(KEY)?)).unwrap_or_default();
        let tags: Vec<Raw> = read(&labels, "tags").unwrap_or_default();
        let progress = labels.get("progress").and_then(members);
        Self {
            tags: tags.iter().filter_map(|tag| decode(tag.get()).ok()).collect(),
            status: read(&labels, "status"),
            progress: progress.and_then(|both| Some((read(&both, "done")?, read(&both, "total")?))),
        }
        .normalised()
    }

    /// The same labels within their limits: tags and status on one line without control and
    /// bidirectional characters, each tag once, no progress beyond the total and none of nothing.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let mut tags = Vec::new();
        for tag in self.tags.iter().filter_map(|tag| one_line(tag, Self::TAG_LIMIT)) {
            if tags.len() < Self::TAGS && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Self {
            tags,
            status: self.status.as_deref().and_then(|status| one_line(status, Self::STATUS_LIMIT)),
            progress: self
                .progress
                .filter(|(_, total)| *total > 0)
                .map(|(done, total)| (done.min(total), total)),
        }
    }

    /// The smallest metadata that, merged as INFO-09 says, makes the labels `before` those of
    /// `after`; `None` if they are the same. Tags are a list and so replaced whole, what is gone is
    /// null.
    pub fn change(before: &Self, after: &Self) -> Option<Meta> {
        let (before, after) = (before.normalised(), after.normalised());
        let mut labels = Map::default();
        if before.tags != after.tags {
            let tags = (!after.tags.is_empty()).then_some(&after.tags);
            set(&mut labels, "tags", tags);
        }
        if before.status != after.status {
            set(&mut labels, "status", after.status.as_ref());
        }
        if before.progress != after.progress {
            let both = after.progress.map(|(done, total)| {
                let members = [("done", done), ("total", total)];
                Map(members.map(|(key, number)| (key.to_owned(), number)).into())
            });
            set(&mut labels, "progress", both.as_ref());
        }
        if labels.0.is_empty() {
            return None;
        }
        let mut patch = Map::default();
        set(&mut patch, KEY, Some(&labels));
        Meta::new(raw(&patch)?)
    }
}

/// A member of an object, if it is there and of this type.
fn read<T: Wire>(object: &Map<Raw>, key: &str) -> Option<T> {
    decode(object.get(key)?.get()).ok()
}

/// Adds a member; `None` is null.
fn set<T: Wire>(object: &mut Map<Raw>, key: &str, value: Option<&T>) {
    let value = value.map_or_else(|| Raw::from_text("null").ok(), raw);
    object.0.extend(value.map(|value| (key.to_owned(), value)));
}

/// What `encode` writes is JSON, so this is never `None`.
fn raw<T: Wire>(value: &T) -> Option<Raw> {
    Raw::from_text(&encode(value)).ok()
}
