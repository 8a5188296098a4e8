//! A field with three states on the wire: absent, null, value.

/// What an update says about one field of something that already exists (decode marks `?3`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The key was absent, or its value malformed where the schema is lenient: nothing changes
    /// (DEC-11).
    #[default]
    Keep,
    /// The key was `null`: the field is cleared.
    Clear,
    /// The field has this value from now on.
    Set(T),
}

impl<T> Patch<T> {
    /// Whether the update is silent about this field.
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    /// Applies the patch to the field it is about.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Patch::Keep => {}
            Patch::Clear => *field = None,
            Patch::Set(value) => *field = Some(value),
        }
    }

    /// The new value, if there is one.
    pub fn set(&self) -> Option<&T> {
        match self {
            Patch::Set(value) => Some(value),
            Patch::Keep | Patch::Clear => None,
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// `None` clears: use [`Patch::Keep`] to stay silent.
    fn from(value: Option<T>) -> Self {
        value.map_or(Patch::Clear, Patch::Set)
    }
}
