//! A network that can stop: a relay between client and server.

use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A relay to one server. Dropping it ends its connections.
pub(crate) struct StallingRelay {
    pub(crate) address: SocketAddr,
    stalled: watch::Sender<bool>,
    _running: JoinSet<()>,
}

impl StallingRelay {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stalled, is_stalled) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                connections.spawn(relay(client, server, is_stalled.clone()));
            }
        });
        Self { address, stalled, _running: running }
    }

    /// Stops forwarding, in both directions and for new connections, or goes on with it. Nothing
    /// that was sent is lost.
    pub(crate) fn stall(&self, stalled: bool) {
        self.stalled.send_replace(stalled);
    }
}

async fn relay(client: TcpStream, server: SocketAddr, stalled: watch::Receiver<bool>) {
    let server = TcpStream::connect(server).await.unwrap();
    let (client_input, client_output) = client.into_split();
    let (server_input, server_output) = server.into_split();
    // An end of one side ends only that direction.
    tokio::join!(
        forward(client_input, server_output, stalled.clone()),
        forward(server_input, client_output, stalled),
    );
}

async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut stalled: watch::Receiver<bool>,
) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if stalled.wait_for(|stalled| !stalled).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
    // The end passes too, once the network works.
    if stalled.wait_for(|stalled| !stalled).await.is_ok() {
        let _ = to.shutdown().await;
    }
}
