//! The agents, sessions and questions of a hub, made once for all clients that list the same
//! sessions.

use super::agent_questions::AgentQuestions;
use super::listing::Listing;
use super::lock::locked;
use super::part::json;
use crate::extension::messages::{AgentItem, AgentQuestion, WatchHub};
use crate::{AgentChoice, HubServices};
use attache_client::{Change, Hub, ListedSession, WatchUpdate};
use attache_view::{OpenSession, QuestionView, SessionList, SessionListView, sanitize};
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// The shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(300);

/// How often the agents are looked up. They are installed and added outside of this program, which
/// learns nothing of it.
const AGENTS_INTERVAL: Duration = Duration::from_secs(3);

/// What clients see of a hub, apart from what concerns one client alone.
#[derive(Debug)]
pub(crate) struct HubState {
    pub(crate) agents: Vec<AgentItem>,
    /// The list of sessions as JSON: most of the state.
    pub(crate) list: Arc<RawValue>,
    /// Whether the list leaves out sessions.
    pub(crate) has_more: bool,
    /// The questions that belong to no session.
    pub(crate) questions: Vec<AgentQuestion>,
}

/// What a state is made from.
#[derive(Clone)]
pub(super) struct HubSource {
    pub(super) hub: Arc<Hub>,
    pub(super) services: Arc<dyn HubServices>,
    /// What the person has seen.
    pub(super) list: Arc<Mutex<SessionList>>,
    pub(super) questions: Arc<AgentQuestions>,
}

/// The views of a hub that clients use, one for each choice of sessions.
#[derive(Default)]
pub(super) struct HubViews(Mutex<Vec<(Choice, Weak<HubView>)>>);

/// Which sessions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    words: String,
    archived: bool,
    limit: Option<usize>,
}

/// A view of a hub. It is kept up to date until it is dropped.
pub(crate) struct HubView {
    state: watch::Receiver<Option<Arc<HubState>>>,
    _task: JoinSet<()>,
}

impl HubViews {
    /// Returns the view with these sessions.
    pub(super) fn view(&self, params: &WatchHub, source: HubSource) -> Arc<HubView> {
        let WatchHub { words, archived, limit } = params.clone();
        let choice = Choice { words, archived, limit };
        let mut views = locked(&self.0);
        views.retain(|(_, view)| view.strong_count() > 0);
        let known = views.iter().find(|(each, _)| *each == choice);
        if let Some(view) = known.and_then(|(_, view)| view.upgrade()) {
            return view;
        }
        let (sender, state) = watch::channel(None);
        let mut task = JoinSet::new();
        task.spawn(keep_up(Listing::new(params), source, sender));
        let view = Arc::new(HubView { state, _task: task });
        views.push((choice, Arc::downgrade(&view)));
        view
    }
}

impl HubView {
    /// Returns the state, which is `None` until it was made, and when it changes. The sender is
    /// dropped when the hub ends.
    pub(crate) fn state(&self) -> watch::Receiver<Option<Arc<HubState>>> {
        self.state.clone()
    }
}

/// Makes the state whenever the hub changed.
async fn keep_up(
    mut listing: Listing,
    source: HubSource,
    state: watch::Sender<Option<Arc<HubState>>>,
) {
    let mut watch = source.hub.watch();
    let mut agents: Option<Vec<AgentChoice>> = None;
    let (mut update, mut looked_up) = (WatchUpdate::default(), Instant::now());
    loop {
        let is_agent = |change: &Change| matches!(change, Change::Agent { .. });
        let known = agents.take();
        let is_due = looked_up.elapsed() >= AGENTS_INTERVAL || update.changes.iter().any(is_agent);
        if is_due {
            looked_up = Instant::now();
        }
        let (is_quiet, has_list) =
            (update.is_empty(), update.changes.contains(&Change::SessionList));
        let source = source.clone();
        // What may need the disk or some time.
        let making = tokio::task::spawn_blocking(move || {
            let found = match &known {
                Some(known) if !is_due => known.clone(),
                _ => source.services.agents(),
            };
            // It was only time to look the agents up.
            if is_quiet && known.as_ref() == Some(&found) {
                return (None, listing, found);
            }
            listing.update(&source.hub, has_list);
            (Some(made(&source, &listing, agent_items(&found))), listing, found)
        });
        // An error means that this program ends.
        let Ok((new, same_listing, same_agents)) = making.await else { return };
        (listing, agents) = (same_listing, Some(same_agents));
        if let Some(new) = new {
            state.send_replace(new.map(Arc::new));
        }
        tokio::time::sleep(INTERVAL).await;
        update = match timeout_at(looked_up + AGENTS_INTERVAL, watch.next()).await {
            Ok(Some(update)) => update,
            Ok(None) => return,
            Err(_) => WatchUpdate::default(),
        };
    }
}

/// Returns the state. Blocks.
fn made(source: &HubSource, listing: &Listing, agents: Vec<AgentItem>) -> Option<HubState> {
    let hub = &source.hub;
    let questions = source.questions.read(hub).into_iter().map(|(agent, question)| AgentQuestion {
        agent: sanitize::line(&agent),
        question: QuestionView::clone(&question),
    });
    let list = list_view(&source.list, hub, listing.sessions());
    Some(HubState {
        agents,
        list: json(&list)?,
        has_more: listing.has_more(),
        questions: questions.collect(),
    })
}

/// Returns the list of these sessions, and what needs the person in any open session.
pub(super) fn list_view(
    list: &Mutex<SessionList>,
    hub: &Hub,
    listed: &[ListedSession],
) -> SessionListView {
    let open: Vec<OpenSession> = hub.sessions().iter().map(OpenSession::from).collect();
    let asked = hub.agents().into_iter().map(|it| (it.name().to_owned(), it.questions()));
    locked(list).view(listed, &open, &asked.collect::<Vec<_>>())
}

/// Returns the agents to choose from.
fn agent_items(agents: &[AgentChoice]) -> Vec<AgentItem> {
    let item = |agent: &AgentChoice| AgentItem {
        name: sanitize::line(&agent.name),
        title: sanitize::line(&agent.title),
        installed: agent.installed,
        needs: sanitize::line(&agent.needs),
    };
    agents.iter().map(item).collect()
}
