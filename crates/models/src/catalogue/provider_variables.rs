//! Which variables a provider's key and address stand in: for a program that keeps settings.

/// The variables of one provider, as [`Models::of`](crate::Models::of) asks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderVariables {
    /// Its id, such as `anthropic`: what the names of its models begin with.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Where its key may stand; the first that does counts.
    pub keys: Vec<String>,
    /// Where another address of it may stand; none for a provider of the person's own list, which
    /// says its address itself.
    pub base_urls: Vec<String>,
}

impl ProviderVariables {
    pub(crate) fn new(id: &str, name: &str, key: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            keys: vec![key.to_owned()],
            base_urls: Vec::new(),
        }
    }
}
