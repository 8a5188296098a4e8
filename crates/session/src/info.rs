//! The title, time and metadata of a session, and rules for them.

pub(crate) mod labels;
pub(crate) mod meta;
pub(crate) mod title;

use self::meta::merged_meta;
use self::title::title;
use crate::change::{Change, Parts};
use attache_protocol::{Meta, Patch};

/// The title, time and metadata of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Info {
    pub(crate) title: Option<String>,
    pub(crate) titled_by_person: bool,
    pub(crate) updated_at: Option<String>,
    pub(crate) meta: Option<Meta>,
}

impl Info {
    /// The title: one line of at most [`crate::TITLE_LIMIT`] characters without control characters.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Whether a user chose the title, so that no generated title replaces it.
    pub fn titled_by_person(&self) -> bool {
        self.titled_by_person
    }

    /// When the session last changed (ISO 8601), according to the agent.
    pub fn updated_at(&self) -> Option<&str> {
        self.updated_at.as_deref()
    }

    /// The metadata with all updates merged.
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// Applies an update of version 2, whose metadata replaces the known values by top-level key.
    pub(crate) fn patch_by_key(
        &mut self,
        title: &Patch<String>,
        updated_at: &Patch<String>,
        meta: &Patch<Meta>,
    ) -> Change {
        meta::patch_by_key(&mut self.meta, meta);
        let parts = if meta.is_keep() { Parts::NONE } else { Parts::INFO };
        Change::of(parts | self.patch(title, updated_at, &Patch::Keep).parts)
    }

    /// Applies an update of version 1, whose metadata is merged.
    pub(crate) fn patch(
        &mut self,
        title_patch: &Patch<String>,
        updated_at: &Patch<String>,
        meta: &Patch<Meta>,
    ) -> Change {
        let mut parts = Parts::NONE;
        if !self.titled_by_person && !title_patch.is_keep() {
            self.title = title_patch.set().and_then(|text| title(text));
            parts = Parts::INFO;
        }
        if !updated_at.is_keep() {
            updated_at.clone().apply(&mut self.updated_at);
            parts = Parts::INFO;
        }
        match meta {
            Patch::Keep => {}
            Patch::Clear => self.meta = None,
            Patch::Set(meta) => self.meta = Some(merged_meta(self.meta.as_ref(), meta)),
        }
        if !meta.is_keep() {
            parts = Parts::INFO;
        }
        Change::of(parts)
    }

    pub(crate) fn store_title(&mut self, text: &str, by_person: bool) -> Change {
        self.title = title(text);
        self.titled_by_person = by_person && self.title.is_some();
        Change::of(Parts::INFO)
    }
}
