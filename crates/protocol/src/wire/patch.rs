//! A field with three states on the wire: absent, null, value.

/// The change of one field of an existing value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Nothing changes: the key was absent, or its value was malformed and ACP ignores that.
    #[default]
    Keep,
    /// The key was `null`: the field is cleared.
    Clear,
    /// The field gets this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Returns whether the update leaves the field as it is.
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    /// Applies the patch to a field.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Patch::Keep => {}
            Patch::Clear => *field = None,
            Patch::Set(value) => *field = Some(value),
        }
    }

    /// Returns the new value, if there is one.
    pub fn set(&self) -> Option<&T> {
        match self {
            Patch::Set(value) => Some(value),
            Patch::Keep | Patch::Clear => None,
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// `None` clears. Use [`Patch::Keep`] for no change.
    fn from(value: Option<T>) -> Self {
        value.map_or(Patch::Clear, Patch::Set)
    }
}
