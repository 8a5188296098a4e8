//! The connections that are open.

use super::http_connection::HttpConnection;
use crate::{AttachedClient, Place, SharedHub};
use attache_connection::ConnectionEnd;
use attache_connection::transport::{FrameReader, Transport, WebSocketTransport};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::{Id, JoinSet};
use tokio::time::timeout;

/// The largest number of open connections of all clients.
const CONNECTIONS: usize = 256;

/// The largest number of open connections of one device.
const OF_ONE_PLACE: usize = 32;

/// How long the hub may take to end a connection, and a client to read the last messages.
const ENDING: Duration = Duration::from_secs(5);

type Serving = Pin<Box<dyn Future<Output = ConnectionEnd> + Send>>;

/// Serves one client over a transport.
pub(super) type Serve =
    dyn Fn(Arc<SharedHub>, Arc<AttachedClient>, Box<dyn Transport>) -> Serving + Send + Sync;

/// The connections that are open. Dropping this ends them.
pub(super) struct Connections {
    serve: Arc<Serve>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    tasks: JoinSet<()>,
    /// Where the client of each task is.
    places: HashMap<Id, Place>,
    http: HashMap<String, Entry>,
}

struct Entry {
    connection: Arc<HttpConnection>,
    /// Ends the connection.
    deleted: Arc<Notify>,
}

/// Why no connection can be opened.
pub(super) enum Full {
    /// All clients together have too many.
    Hub,
    /// The device has too many.
    Place,
}

impl Connections {
    pub(super) fn new(serve: Arc<Serve>) -> Self {
        Self { serve, open: Mutex::default() }
    }

    /// Returns the connection with this id, if it belongs to this client.
    pub(super) fn find(&self, id: &str, client: &AttachedClient) -> Option<Arc<HttpConnection>> {
        let open = self.open();
        let entry = open.http.get(id).filter(|entry| entry.connection.belongs_to(client))?;
        Some(entry.connection.clone())
    }

    /// Ends the connection with this id. Returns false if this client has none with this id.
    pub(super) fn delete(&self, id: &str, client: &AttachedClient) -> bool {
        let mut open = self.open();
        let owned = open.http.get(id).is_some_and(|entry| entry.connection.belongs_to(client));
        let entry = if owned { open.http.remove(id) } else { None };
        entry.inspect(|entry| entry.deleted.notify_one()).is_some()
    }

    /// Ends a connection whose client never learned its id.
    pub(super) fn forget(&self, id: &str) {
        let entry = self.open().http.remove(id);
        entry.into_iter().for_each(|entry| entry.deleted.notify_one());
    }

    /// Opens a connection over streamable HTTP and returns its id.
    pub(super) fn open_http(
        self: &Arc<Self>,
        shared: Arc<SharedHub>,
        client: Arc<AttachedClient>,
    ) -> Result<(String, Arc<HttpConnection>), Full> {
        let id = random_id().ok_or(Full::Hub)?;
        let (connection, transport, from_hub) = HttpConnection::new(&client);
        let (connection, deleted) = (Arc::new(connection), Arc::new(Notify::new()));
        let entry = Entry { connection: connection.clone(), deleted: deleted.clone() };
        let place = client.place.clone();
        let served = (self.serve)(shared, client, Box::new(transport));
        let (this, own_id) = (Arc::downgrade(self), id.clone());
        let running = connection.clone();
        let task = async move {
            run(&running, served, from_hub, &deleted).await;
            if let Some(this) = this.upgrade() {
                this.open().http.remove(&own_id);
            }
        };
        let mut open = self.open();
        open.spawn(place, task)?;
        open.http.insert(id.clone(), entry);
        Ok((id, connection))
    }

    /// Serves a WebSocket once its stream is upgraded.
    pub(super) fn open_websocket(
        &self,
        shared: Arc<SharedHub>,
        client: Arc<AttachedClient>,
        upgraded: impl Future<Output = Option<WebSocketTransport>> + Send + 'static,
    ) -> Result<(), Full> {
        let serve = self.serve.clone();
        self.open().spawn(client.place.clone(), async move {
            if let Some(transport) = upgraded.await {
                let end = serve(shared, client, Box::new(transport)).await;
                tracing::debug!(%end, "a WebSocket ended");
            }
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn spawn(
        &mut self,
        place: Place,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Full> {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
            self.places.remove(&id);
        }
        if self.tasks.len() >= CONNECTIONS {
            return Err(Full::Hub);
        }
        if self.places.values().filter(|each| **each == place).count() >= OF_ONE_PLACE {
            return Err(Full::Place);
        }
        let id = self.tasks.spawn(task).id();
        self.places.insert(id, place);
        Ok(())
    }
}

/// Runs a connection until the hub or the client ends it, or nothing uses it any more.
async fn run(
    connection: &HttpConnection,
    served: impl Future<Output = ConnectionEnd>,
    from_hub: FrameReader,
    deleted: &Notify,
) {
    let mut served = std::pin::pin!(served);
    let mut end = None;
    {
        let mut distributing = std::pin::pin!(connection.distribute(from_hub));
        tokio::select! {
            served = &mut served => {
                end = Some(served);
                // The last messages still reach the client.
                let _ = timeout(ENDING, &mut distributing).await;
            }
            _ = &mut distributing => {}
            () = connection.unused() => tracing::debug!("nothing uses a connection any more"),
            () = deleted.notified() => {}
        }
    }
    // The hub then sees that the client is gone.
    connection.close(ENDING).await;
    if end.is_none() {
        end = timeout(ENDING, served).await.ok();
    }
    tracing::debug!(end = end.map(tracing::field::display), "a connection over HTTP ended");
}

/// An id that nothing can guess, although it authorises nothing.
fn random_id() -> Option<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    let mut id = String::new();
    bytes.iter().try_for_each(|byte| write!(id, "{byte:02x}")).ok()?;
    Some(id)
}
