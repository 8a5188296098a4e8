//! `attache attach`: a bridge between stdin and stdout and the shared hub.

pub(crate) mod arguments;

use crate::chosen_agent::ChosenAgent;
use crate::exit::{Exit, Failure};
use crate::log;
use crate::serve::place::HubPlace;
use crate::serve::starting;
use arguments::Attach;
use attache_connection::stdio;
use attache_serve::socket::HubConnection;
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// The maximum number of bytes that are read at once. No more are in this process in each
/// direction.
const PIECE: usize = 64 * 1024;

/// How long a hub without a client and without a turn stays.
const IDLE: Duration = Duration::from_secs(600);

/// How long the hub may send after the client has closed stdin.
const LAST: Duration = Duration::from_secs(5);

/// Connects stdin and stdout to the shared hub until either side ends.
pub(crate) async fn attach(arguments: Attach) -> Result<Exit, Failure> {
    let place = HubPlace::of(arguments.hub.name())?;
    if let Some(agent) = &arguments.agent {
        // The hub reports a wrong name only when a session is opened.
        ChosenAgent::of(Some(agent))?;
    }
    if io::stdin().is_terminal() {
        log::line(
            "attache attach speaks ACP on stdin and stdout, one JSON message per line. An editor \
             starts it as its agent.\nIt reads messages from this terminal now; Ctrl-D ends it.",
        );
    }
    let idle = arguments.end_when_idle.unwrap_or(IDLE);
    let hub = starting::connect_or_start(&place, arguments.agent, idle).await?;
    match bridge(hub).await {
        Ended::ByClient => Ok(Exit::Done),
        Ended::ByHub => Err(Failure::new(
            Exit::AgentFailed,
            format!(
                "the hub {} ended the connection; its log is {}",
                place.name,
                place.log().display()
            ),
        )),
        Ended::Failed(error) => {
            Err(Failure::new(Exit::Internal, format!("the connection failed: {error}")))
        }
    }
}

/// Which side ended the connection.
#[derive(Debug)]
enum Ended {
    ByClient,
    ByHub,
    Failed(io::Error),
}

/// Copies bytes in both directions until either side ends.
async fn bridge(hub: HubConnection) -> Ended {
    let (input, output) = match (stdio::input(), stdio::output()) {
        (Ok(input), Ok(output)) => (input, output),
        (Err(error), _) | (_, Err(error)) => return Ended::Failed(error),
    };
    let (from_hub, to_hub) = hub.into_parts();
    let mut sending = Box::pin(copy(input, to_hub));
    let mut receiving = Box::pin(copy(from_hub, output));
    tokio::select! {
        // The hub has closed its end, or the client reads no more.
        received = &mut receiving => match received {
            Copied::SourceEnded => Ended::ByHub,
            Copied::SinkEnded => Ended::ByClient,
        },
        sent = &mut sending => match sent {
            Copied::SinkEnded => Ended::ByHub,
            Copied::SourceEnded => {
                // The client sends no more; what the hub still sends is passed on.
                drop(timeout(LAST, receiving).await);
                Ended::ByClient
            }
        },
    }
}

/// Why copying ended.
#[derive(Debug)]
enum Copied {
    SourceEnded,
    SinkEnded,
}

/// Copies bytes, and then closes the sink.
async fn copy(mut source: impl AsyncRead + Unpin, mut sink: impl AsyncWrite + Unpin) -> Copied {
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = source.read(&mut piece).await {
        let piece = piece.get(..length).unwrap_or_default();
        if sink.write_all(piece).await.is_err() || sink.flush().await.is_err() {
            return Copied::SinkEnded;
        }
    }
    // If this fails, the other side is gone, and its end says so.
    let _ = sink.shutdown().await;
    Copied::SourceEnded
}
