//! The order in which a session's replies leave. A reply that promises something waits until that
//! is stored; what happened later must not overtake it, or a client would take an older state for
//! the newer one (CONF-24, PROMPT-08, SESS-26).

use crate::open_session::OpenSession;
use crate::state::State;
use crate::{Error, Result};
use attache_connection::Responder;
use attache_protocol::method::Call;
use attache_protocol::v1::SessionUpdate;
use attache_session::Commit;
use std::collections::VecDeque;
use std::sync::Arc;

/// Queues a reply; called under the session's lock.
type Reply = Box<dyn FnOnce(&OpenSession, &mut State) + Send>;

/// What leaves a session, in order. Only what must not overtake a reply stands in it; all else is
/// sent at once.
#[derive(Default)]
pub(crate) struct LineUp {
    /// The number of the first that waits.
    first: u64,
    waiting: VecDeque<Departure>,
}

enum Departure {
    /// A reply that is not ready.
    Awaited,
    /// A reply that is ready, behind others that are not.
    Ready(Reply),
    Update(Box<SessionUpdate>),
    /// A reply that never came.
    Nothing,
}

impl LineUp {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether the client knows the session: the reply that tells of it is the first to leave.
    pub(crate) fn announced(&self) -> bool {
        self.first > 0
    }

    /// The client knows the session already.
    pub(crate) fn announce(&mut self) {
        self.first = 1;
    }

    pub(crate) fn push(&mut self, update: SessionUpdate) {
        self.waiting.push_back(Departure::Update(Box::new(update)));
    }

    /// Forgets the updates that wait and are not `kept`.
    pub(crate) fn retain(&mut self, kept: impl Fn(&SessionUpdate) -> bool) {
        for departure in &mut self.waiting {
            if matches!(departure, Departure::Update(update) if !kept(update)) {
                *departure = Departure::Nothing;
            }
        }
    }

    /// Nothing leaves any more.
    pub(crate) fn clear(&mut self) {
        self.first += self.waiting.len() as u64;
        self.waiting.clear();
    }

    fn reserve(&mut self) -> u64 {
        self.waiting.push_back(Departure::Awaited);
        self.first + self.waiting.len() as u64 - 1
    }

    fn fill(&mut self, number: u64, departure: Departure) {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(place) = index.and_then(|index| self.waiting.get_mut(index)) {
            *place = departure;
        }
    }

    fn next(&mut self) -> Option<Departure> {
        self.waiting.front().filter(|departure| !matches!(departure, Departure::Awaited))?;
        self.first += 1;
        self.waiting.pop_front()
    }
}

/// A reply's place in the order. Dropped, it lets those behind it pass.
pub(crate) struct Place {
    session: Arc<OpenSession>,
    number: Option<u64>,
}

impl Place {
    /// Called under the session's lock, in the step in which that happened which the reply tells.
    pub(crate) fn new(session: &Arc<OpenSession>, state: &mut State) -> Self {
        Self { session: Arc::clone(session), number: Some(state.line_up.reserve()) }
    }

    /// The reply is ready: it leaves with all behind it that are, or waits for those before it.
    pub(crate) fn leave(mut self, send: impl FnOnce(&OpenSession, &mut State) + Send + 'static) {
        self.fill(Departure::Ready(Box::new(send)));
    }

    fn fill(&mut self, departure: Departure) {
        if let Some(number) = self.number.take() {
            self.session.settle_on_drop(move |session, state| {
                state.line_up.fill(number, departure);
                session.depart(state);
            });
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.fill(Departure::Nothing);
    }
}

/// A reply that waits for the disk and keeps its place meanwhile.
pub(crate) struct Promise {
    place: Place,
    commit: Commit,
}

impl Promise {
    /// Promises everything that has happened in the session so far; called under its lock.
    pub(crate) fn new(session: &Arc<OpenSession>, state: &mut State) -> Self {
        Self { place: Place::new(session, state), commit: state.commit() }
    }

    /// Waits until it is stored, and queues the reply in its place. `send` learns whether it could
    /// be stored.
    pub(crate) async fn keep(
        self,
        send: impl FnOnce(&OpenSession, &mut State, Result<()>) + Send + 'static,
    ) {
        let stored = self.commit.await.map_err(Error::Store);
        self.place.leave(|session, state| send(session, state, stored));
    }

    /// The same for an answer that needs nothing of the session any more.
    pub(crate) async fn answer<M: Call>(
        self,
        answer: Responder<M>,
        reply: impl FnOnce(Result<()>) -> Result<M::Result> + Send + 'static,
    ) {
        let send = move |_: &OpenSession, _: &mut State, stored| {
            let _ = answer.send(reply(stored).map_err(|error| error.to_reply()));
        };
        self.keep(send).await;
    }
}

impl OpenSession {
    /// Lets all leave that need not wait any more.
    pub(crate) fn depart(&self, state: &mut State) {
        while let Some(departure) = state.line_up.next() {
            match departure {
                Departure::Ready(send) => send(self, state),
                Departure::Update(update) => {
                    // If the connection is over, so is the session.
                    let _ = self.notify(*update);
                }
                Departure::Awaited | Departure::Nothing => {}
            }
        }
    }
}
