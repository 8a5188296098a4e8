//! The open connections, and their number.

use crate::Scope;
use std::any::Any;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::watch;

/// What a client may do, which ends with `None`.
pub(super) type ScopeWatch = watch::Receiver<Option<Scope>>;

/// The open connections. Connections that have not logged in, *guests*, have a limit of their own,
/// so that they cannot keep devices out.
#[derive(Debug)]
pub(super) struct Connections {
    guests: usize,
    all: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: BTreeMap<u64, Weak<Connection>>,
}

/// One connection. It is open until the last handle is dropped; the stream has one.
pub(super) struct Connection {
    id: u64,
    /// The address of the other side.
    pub(super) peer: SocketAddr,
    /// The address to which it connected.
    pub(super) local: SocketAddr,
    is_guest: AtomicBool,
    ended: watch::Sender<bool>,
    requests: watch::Sender<Requests>,
    /// The login that the connection belongs to, if it is one WebSocket.
    bound: watch::Sender<Option<ScopeWatch>>,
    /// What must live as long as the connection.
    held: Mutex<Vec<Box<dyn Any + Send>>>,
    connections: Arc<Connections>,
}

/// The requests of a connection.
#[derive(Debug, Clone, Copy, Default)]
struct Requests {
    /// How many there were.
    begun: u64,
    /// How many have responses that are not sent yet.
    open: usize,
}

impl Connections {
    pub(super) fn new(guests: usize, all: usize) -> Arc<Self> {
        Arc::new(Self { guests, all, table: Mutex::default() })
    }

    /// Adds a connection. A guest beyond the limit takes the place of another one. Returns `None`
    /// if there are too many connections.
    pub(super) fn admit(
        self: &Arc<Self>,
        peer: SocketAddr,
        local: SocketAddr,
    ) -> Option<Arc<Connection>> {
        let open = self.open();
        let guests: Vec<&Arc<Connection>> =
            open.iter().filter(|connection| connection.is_guest()).collect();
        if guests.len() >= self.guests || open.len() >= self.all {
            victim(&guests)?.end();
        }
        let mut table = self.table();
        table.last += 1;
        let connection = Arc::new(Connection {
            id: table.last,
            peer,
            local,
            is_guest: AtomicBool::new(true),
            ended: watch::Sender::new(false),
            requests: watch::Sender::new(Requests::default()),
            bound: watch::Sender::new(None),
            held: Mutex::default(),
            connections: Arc::clone(self),
        });
        table.open.insert(connection.id, Arc::downgrade(&connection));
        Some(connection)
    }

    /// Ends all connections.
    pub(super) fn end_all(&self) {
        for connection in self.open() {
            connection.end();
        }
    }

    /// The connections that were not told to end, the oldest first.
    fn open(&self) -> Vec<Arc<Connection>> {
        // The upgrade happens under the lock, but the handles are dropped without it: the last one
        // removes its connection from the table.
        let open: Vec<Arc<Connection>> =
            self.table().open.values().filter_map(Weak::upgrade).collect();
        open.into_iter().filter(|connection| !connection.is_ended()).collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the oldest guest of the address that has most of them.
fn victim<'a>(guests: &[&'a Arc<Connection>]) -> Option<&'a Arc<Connection>> {
    let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
    for guest in guests {
        *counts.entry(guest.peer.ip()).or_default() += 1;
    }
    let (address, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    guests.iter().find(|guest| guest.peer.ip() == address).copied()
}

impl Connection {
    /// Whether nobody has logged in on this connection.
    pub(super) fn is_guest(&self) -> bool {
        self.is_guest.load(Ordering::Relaxed)
    }

    /// Counts the connection as one of a device.
    pub(super) fn admit_device(&self) {
        self.is_guest.store(false, Ordering::Relaxed);
    }

    /// Ends the connection at once.
    pub(super) fn end(&self) {
        self.ended.send_replace(true);
    }

    pub(super) fn is_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Ends the connection when this scope ends, and keeps `held` until then.
    pub(super) fn bind(&self, scope: ScopeWatch, held: impl Any + Send) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(held));
        self.bound.send_replace(Some(scope));
    }

    /// Waits until the connection must end. Does not keep it open.
    pub(super) fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.ended.subscribe();
        let mut bound = self.bound.subscribe();
        async move {
            loop {
                let scope = bound.borrow_and_update().clone();
                tokio::select! {
                    _ = ended.wait_for(|ended| *ended) => return,
                    () = revoked(scope) => return,
                    // If this fails, the connection is dropped; then `ended` fails, too.
                    Ok(()) = bound.changed() => {}
                }
            }
        }
    }

    /// Waits until there was no request for `first` at the beginning, or for `idle` later.
    pub(super) fn idle(
        &self,
        first: std::time::Duration,
        idle: std::time::Duration,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut requests = self.requests.subscribe();
        async move {
            let (mut limit, mut seen) = (first, 0);
            loop {
                // A request may begin and end between two looks, so the number alone says nothing.
                let begun = requests.wait_for(|requests| requests.begun > seen);
                if !matches!(tokio::time::timeout(limit, begun).await, Ok(Ok(_))) {
                    return;
                }
                match requests.wait_for(|requests| requests.open == 0).await {
                    Ok(requests) => seen = requests.begun,
                    Err(_) => return,
                }
                limit = idle;
            }
        }
    }

    /// Counts a request until the returned value is dropped.
    pub(super) fn request(self: &Arc<Self>) -> OpenRequest {
        self.requests.send_modify(|requests| {
            requests.begun += 1;
            requests.open += 1;
        });
        OpenRequest(Arc::clone(self))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.table().open.remove(&self.id);
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A request whose response is not sent yet.
#[derive(Debug)]
pub(super) struct OpenRequest(Arc<Connection>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.requests.send_modify(|requests| requests.open = requests.open.saturating_sub(1));
    }
}

/// Waits until a scope ends; for ever if there is none.
pub(super) async fn revoked(scope: Option<ScopeWatch>) {
    match scope {
        // A failure means that its device is gone.
        Some(mut scope) => drop(scope.wait_for(Option::is_none).await),
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(connections: &Arc<Connections>, peer: &str) -> Option<Arc<Connection>> {
        let local = "127.0.0.1:80".parse().unwrap();
        connections.admit(format!("{peer}:1").parse().unwrap(), local)
    }

    #[tokio::test]
    async fn the_oldest_guest_of_the_busiest_address_makes_place() {
        let connections = Connections::new(3, 5);
        let person = admit(&connections, "192.0.2.1").unwrap();
        let first = admit(&connections, "192.0.2.2").unwrap();
        let second = admit(&connections, "192.0.2.2").unwrap();
        let third = admit(&connections, "192.0.2.3").unwrap();
        first.ending().await;
        assert!(!person.is_ended() && !second.is_ended() && !third.is_ended());
    }

    #[tokio::test]
    async fn devices_are_never_ended_for_others() {
        let connections = Connections::new(2, 3);
        let devices: Vec<_> = (0..3)
            .map(|_| {
                let device = admit(&connections, "192.0.2.1").unwrap();
                device.admit_device();
                device
            })
            .collect();
        assert!(admit(&connections, "192.0.2.2").is_none());
        assert!(devices.iter().all(|device| !device.is_ended()));
        drop(devices);
        assert!(connections.table().open.is_empty());
        assert!(admit(&connections, "192.0.2.2").is_some());
    }

    #[tokio::test]
    async fn a_bound_connection_ends_with_its_scope() {
        let connections = Connections::new(2, 3);
        let connection = admit(&connections, "192.0.2.1").unwrap();
        let scope = watch::Sender::new(Some(Scope::Watch));
        let ending = connection.ending();
        tokio::pin!(ending);
        tokio::select! {
            biased;
            () = &mut ending => panic!("nothing has ended"),
            () = async {} => {}
        }
        connection.bind(scope.subscribe(), ());
        scope.send_replace(Some(Scope::Control));
        scope.send_replace(None);
        ending.await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_requests_is_idle() {
        let connections = Connections::new(2, 3);
        let connection = admit(&connections, "192.0.2.1").unwrap();
        let seconds = std::time::Duration::from_secs;
        let begun = tokio::time::Instant::now();
        let idle = connection.idle(seconds(10), seconds(60));
        let request = connection.request();
        let end = async {
            tokio::time::sleep(seconds(1000)).await;
            drop(request);
        };
        tokio::join!(idle, end);
        assert_eq!(begun.elapsed(), seconds(1060));
        let idle = connection.idle(seconds(10), seconds(60));
        drop(connection.request());
        idle.await;
        assert_eq!(begun.elapsed(), seconds(1120), "a short request counts, too");
    }
}
