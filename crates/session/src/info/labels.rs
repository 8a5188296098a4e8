//! Tags, status and progress of a session, under a documented key of its metadata.

use crate::Info;
use crate::info::meta::members;
use crate::info::title::one_line;
use attache_protocol::{Map, Meta, Raw, Wire, decode, encode};

/// The key of [`Labels`] in the metadata of a session.
const KEY: &str = "attache/labels";

/// The labels of a session, stored in its metadata under the key `attache/labels`:
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
    /// Tags by which to find the session, in order and without duplicates.
    pub tags: Vec<String>,
    /// The status in a few words.
    pub status: Option<String>,
    /// The progress: done and total. The total is at least one, and done is at most the total.
    pub progress: Option<(u64, u64)>,
}

impl Labels {
    /// The largest number of tags. Later ones are ignored.
    pub const TAGS: usize = 32;
    /// The longest tag, in characters. A longer one is cut and ends with `…`.
    pub const TAG_LIMIT: usize = 64;
    /// The longest status, in characters. A longer one is cut and ends with `…`.
    pub const STATUS_LIMIT: usize = 200;

    /// Returns the labels in the metadata of `info`, [normalised](Labels::normalised). Values of
    /// another type count as absent.
    pub fn of(info: &Info) -> Self {
        info.meta().map(Self::of_meta).unwrap_or_default()
    }

    /// Returns the labels in the metadata of a listed session.
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

    /// Returns the labels within their limits: tags and status on one line without control and
    /// bidirectional characters, each tag once, and only valid progress.
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

    /// Returns the smallest metadata patch that changes the labels `before` to `after`, or `None`
    /// if they are equal. Tags are a list, so they are replaced as a whole. Removed labels become
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

/// Returns a member of an object if it exists and has this type.
fn read<T: Wire>(object: &Map<Raw>, key: &str) -> Option<T> {
    decode(object.get(key)?.get()).ok()
}

/// Adds a member; `None` is null.
fn set<T: Wire>(object: &mut Map<Raw>, key: &str, value: Option<&T>) {
    let value = value.map_or_else(|| Raw::from_text("null").ok(), raw);
    object.0.extend(value.map(|value| (key.to_owned(), value)));
}

/// `encode` writes a JSON object, so this is never `None`.
fn raw<T: Wire>(value: &T) -> Option<Raw> {
    Raw::from_text(&encode(value)).ok()
}
