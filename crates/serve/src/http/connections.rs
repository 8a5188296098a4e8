//! The open connections, and their number.

use crate::{DeviceId, Scope};
use std::any::Any;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::watch;

/// What a client may do, which ends with `None`.
pub(super) type ScopeWatch = watch::Receiver<Option<Scope>>;

/// The open connections. Connections without a login that holds, *guests*, have a limit of their
/// own, so that they cannot keep devices out.
#[derive(Debug)]
pub(super) struct Connections {
    limits: ConnectionLimits,
    table: Mutex<Table>,
}

/// How many connections may be open.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLimits {
    pub(super) guests: usize,
    /// On which one device has logged in.
    pub(super) device: usize,
    pub(super) all: usize,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    connection: Weak<Connection>,
    /// The devices that have logged in on the connection, each once.
    logins: Vec<(DeviceId, ScopeWatch)>,
}

/// One connection. It is open until the last handle is dropped; the stream has one.
pub(super) struct Connection {
    id: u64,
    /// The address of the other side.
    pub(super) peer: SocketAddr,
    /// The address to which it connected.
    pub(super) local: SocketAddr,
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
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, table: Mutex::default() })
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
        if guests.len() >= self.limits.guests || open.len() >= self.limits.all {
            victim(&guests)?.end();
        }
        let mut table = self.table();
        table.last += 1;
        let connection = Arc::new(Connection {
            id: table.last,
            peer,
            local,
            ended: watch::Sender::new(false),
            requests: watch::Sender::new(Requests::default()),
            bound: watch::Sender::new(None),
            held: Mutex::default(),
            connections: Arc::clone(self),
        });
        let entry = Entry { connection: Arc::downgrade(&connection), logins: Vec::new() };
        table.open.insert(connection.id, entry);
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
            self.table().open.values().filter_map(|entry| entry.connection.upgrade()).collect();
        open.into_iter().filter(|connection| !connection.is_ended()).collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Whether this device has logged in, and has not been revoked.
    fn is_of(&self, device: &DeviceId) -> bool {
        self.logins.iter().any(|(each, scope)| each == device && holds(scope))
    }
}

/// Whether a login has not ended.
fn holds(scope: &ScopeWatch) -> bool {
    scope.borrow().is_some()
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
    /// Whether no login on this connection holds: nobody has logged in, or all were revoked.
    pub(super) fn is_guest(&self) -> bool {
        let table = self.connections.table();
        let entry = table.open.get(&self.id);
        !entry.is_some_and(|entry| entry.logins.iter().any(|(_, scope)| holds(scope)))
    }

    /// Counts the connection as one of a device as long as this scope does not end. Returns false
    /// if the device has too many connections already.
    pub(super) fn admit_device(&self, device: &DeviceId, scope: &ScopeWatch) -> bool {
        let mut table = self.connections.table();
        let of_device = table.open.values().filter(|entry| entry.is_of(device)).count();
        let Some(entry) = table.open.get_mut(&self.id) else { return false };
        if entry.is_of(device) {
            return true;
        }
        if of_device >= self.connections.limits.device {
            return false;
        }
        entry.logins.retain(|(_, scope)| holds(scope));
        entry.logins.push((device.clone(), scope.clone()));
        true
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

    fn connections(guests: usize, all: usize) -> Arc<Connections> {
        Connections::new(ConnectionLimits { guests, device: 2, all })
    }

    fn device(name: &str) -> (DeviceId, watch::Sender<Option<Scope>>) {
        (DeviceId(name.to_owned()), watch::Sender::new(Some(Scope::Watch)))
    }

    fn admit(connections: &Arc<Connections>, peer: &str) -> Option<Arc<Connection>> {
        let local = "127.0.0.1:80".parse().unwrap();
        connections.admit(format!("{peer}:1").parse().unwrap(), local)
    }

    #[tokio::test]
    async fn the_oldest_guest_of_the_busiest_address_makes_place() {
        let connections = connections(3, 5);
        let person = admit(&connections, "192.0.2.1").unwrap();
        let first = admit(&connections, "192.0.2.2").unwrap();
        let second = admit(&connections, "192.0.2.2").unwrap();
        let third = admit(&connections, "192.0.2.3").unwrap();
        first.ending().await;
        assert!(!person.is_ended() && !second.is_ended() && !third.is_ended());
    }

    #[tokio::test]
    async fn devices_are_never_ended_for_others() {
        let connections = connections(2, 3);
        let devices: Vec<_> = (0..3)
            .map(|number| {
                let (id, scope) = device(&format!("d{number}"));
                let connection = admit(&connections, "192.0.2.1").unwrap();
                assert!(connection.admit_device(&id, &scope.subscribe()));
                (connection, scope)
            })
            .collect();
        assert!(admit(&connections, "192.0.2.2").is_none());
        assert!(devices.iter().all(|(connection, _)| !connection.is_ended()));
        drop(devices);
        assert!(connections.table().open.is_empty());
        assert!(admit(&connections, "192.0.2.2").is_some());
    }

    #[tokio::test]
    async fn a_connection_whose_devices_are_revoked_is_a_guest_again() {
        let connections = connections(2, 2);
        let (first, second) = (device("d1"), device("d2"));
        let shared = admit(&connections, "192.0.2.1").unwrap();
        for (id, scope) in [&first, &second] {
            assert!(shared.admit_device(id, &scope.subscribe()));
        }
        let other = admit(&connections, "192.0.2.1").unwrap();
        assert!(other.admit_device(&second.0, &second.1.subscribe()));
        first.1.send_replace(None);
        assert!(!shared.is_guest(), "the other device has logged in, too");
        second.1.send_replace(None);
        assert!(shared.is_guest() && other.is_guest());
        assert!(admit(&connections, "192.0.2.2").is_some());
        assert!(shared.is_ended() && !other.is_ended(), "the oldest one makes place");
    }

    #[tokio::test]
    async fn a_device_has_a_limit_of_its_own() {
        let connections = connections(5, 5);
        let (one, another) = (device("d1"), device("d2"));
        let open: Vec<_> = (0..3).map(|_| admit(&connections, "192.0.2.1").unwrap()).collect();
        let admits = |index: usize, (id, scope): &(DeviceId, watch::Sender<_>)| {
            open[index].admit_device(id, &scope.subscribe())
        };
        assert!(admits(0, &one) && admits(1, &one) && admits(0, &one));
        assert!(!admits(2, &one) && open[2].is_guest());
        assert!(admits(2, &another));
        one.1.send_replace(None);
        let again = device("d1");
        assert!(admits(2, &again) && admits(1, &again), "revoked logins do not count");
    }

    #[tokio::test]
    async fn a_bound_connection_ends_with_its_scope() {
        let connections = connections(2, 3);
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
        let connections = connections(2, 3);
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
