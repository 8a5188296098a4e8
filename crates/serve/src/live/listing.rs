//! The sessions that a client lists.

use crate::extension::messages::WatchHub;
use attache_client::{Hub, ListedSession, SessionFilter};
use attache_protocol::v1::SessionId;
use attache_session::ArchivedFilter;

/// The number of sessions that are listed if the client does not say it, and the largest one.
const USUAL: usize = 100;
const MOST: usize = 1000;

/// The sessions that a client lists. They are listed again only if something changed on which the
/// list depends, because that takes some time if there are thousands.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    filter: SessionFilter,
    words: Vec<String>,
    limit: usize,
    listed: Vec<ListedSession>,
    has_more: bool,
    /// The open sessions for which the list was made.
    open: Option<Vec<(String, SessionId, Option<String>)>>,
}

impl Listing {
    pub(super) fn new(params: &WatchHub) -> Self {
        let archived = match params.archived {
            true => ArchivedFilter::Include,
            false => ArchivedFilter::default(),
        };
        // The hub looks for one text, so that the other words are looked for in what it lists.
        let mut words = params.words.split_whitespace().map(str::to_lowercase);
        let text = words.next();
        Self {
            filter: SessionFilter { text, archived, ..SessionFilter::default() },
            words: words.collect(),
            limit: params.limit.unwrap_or(USUAL).min(MOST),
            listed: Vec::new(),
            has_more: false,
            open: None,
        }
    }

    /// Lists the sessions again if that is needed, or if `is_changed`.
    pub(super) fn update(&mut self, hub: &Hub, is_changed: bool) {
        let open = hub.sessions().into_iter().map(|session| {
            let title = session.snapshot().info().title().map(str::to_owned);
            (session.agent().name().to_owned(), session.id().clone(), title)
        });
        let open = Some(open.collect());
        if !is_changed && self.open == open {
            return;
        }
        self.open = open;
        self.listed = hub.list(&self.filter);
        let words = &self.words;
        self.listed.retain(|listed| words.iter().all(|word| has_word(listed, word)));
        self.has_more = self.listed.len() > self.limit;
        self.listed.truncate(self.limit);
    }

    pub(super) fn sessions(&self) -> &[ListedSession] {
        &self.listed
    }

    pub(super) fn has_more(&self) -> bool {
        self.has_more
    }
}

/// Whether a session has a word, in lower case, where the hub looks for text.
fn has_word(listed: &ListedSession, word: &str) -> bool {
    let labels = &listed.labels;
    let places = [Some(listed.cwd.as_str()), Some(listed.id.as_str())];
    let more = [listed.title.as_deref(), labels.status.as_deref()];
    let places = places.into_iter().chain(more).flatten();
    let mut places = places.chain(labels.tags.iter().map(String::as_str));
    places.any(|place| place.to_lowercase().contains(word))
}
