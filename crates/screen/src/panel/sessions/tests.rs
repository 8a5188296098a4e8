//! What the session picker lists.

use super::*;
use attache_client::{Hub, HubOptions};

#[tokio::test]
async fn sessions_are_listed_only_when_something_changed() {
    let hub = Hub::new(HubOptions::default());
    let facts = Facts { hub: &hub, session: None, screen: &[], now: 0 };
    let mut panel = SessionsPanel::new("/p".to_owned(), "");
    panel.refresh(&facts);
    // The hub does not know this session, so each listing removes it.
    let listed = |panel: &mut SessionsPanel| {
        panel.sessions = vec![ListedSession::new("a", "s")];
        panel.refresh(&facts);
        panel.sessions.is_empty()
    };
    assert!(!listed(&mut panel));
    panel.list.filter.insert("words");
    assert!(listed(&mut panel) && !listed(&mut panel));
    panel.archived = true;
    assert!(listed(&mut panel) && !listed(&mut panel));
    panel.found("earlier words".to_owned(), Vec::new());
    assert!(!listed(&mut panel), "the search was for another text");
    panel.found("words".to_owned(), Vec::new());
    assert!(listed(&mut panel) && !listed(&mut panel));
}
