//! The environment variables that configure a provider, for programs that store settings.

/// The environment variables of a provider that [`Models::of`](crate::Models::of) reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderVariables {
    /// The id, such as `anthropic`: the first part of the names of its models.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The variables that may contain the key; the first one that is set is used.
    pub keys: Vec<String>,
    /// The variables that may replace the base URL. A provider in the user's own list has none,
    /// because the list contains its URL.
    pub base_urls: Vec<String>,
    /// The variable that sets the wire of a server at another base URL to `chat` or `responses`, if
    /// the provider has one.
    pub wire: Option<String>,
}

impl ProviderVariables {
    pub(crate) fn new(id: &str, name: &str, key: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            keys: vec![key.to_owned()],
            base_urls: Vec::new(),
            wire: None,
        }
    }
}
