//! `attache trace`: records the messages between a client and an agent without changing them.

mod lane;
mod line;
mod notice;
mod recorder;
mod stdio;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::remote_agent::without_tokens;
use crate::signals::Signals;
use attache_host::{Child, Launch, StopPatience};
use attache_protocol::method::Side;
use lane::Lane;
use notice::say;
use recorder::Recorder;
use std::io::{self, Write};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;

/// The maximum number of bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// The time that the agent has to end after a signal, before it is killed.
const PATIENCE: StopPatience =
    StopPatience { after_stdin: Duration::ZERO, after_terminate: Duration::from_secs(10) };

/// Runs `attache trace`.
pub(crate) async fn trace(arguments: args::Trace) -> Result<Exit, Failure> {
    let ours = |error: io::Error| {
        Failure::new(Exit::Internal, format!("the recording cannot start: {error}"))
    };
    let mut signals = Signals::listen().map_err(ours)?;
    let recorder = Recorder::new(&arguments)?;
    let mut agent = start(arguments.command)?;
    let (input, output) = stdio::take().map_err(ours)?;
    let (lane, pieces) = lane::lane();
    let mut recording = JoinSet::new();
    recording.spawn_blocking(|| recorder.record(pieces));

    let mut flows = JoinSet::new();
    let to_agent = flows.spawn(flow(Side::Client, input, agent.take_stdin(), lane.clone()));
    flows.spawn(flow(Side::Agent, agent.take_stdout(), output, lane));
    let exit = tokio::select! {
        exit = agent.wait() => exit,
        () = signals.next() => tokio::select! {
            exit = agent.stop(PATIENCE) => exit,
            () = signals.next() => {
                agent.kill();
                agent.wait().await
            }
        },
    };
    // The agent no longer reads the client's messages, but the agent's last messages can still be
    // in transit.
    to_agent.abort();
    tokio::select! {
        () = async { while flows.join_next().await.is_some() {} } => {}
        () = signals.next() => {}
    }
    drop(flows);
    if let Some(Ok(Some(trouble))) = recording.join_next().await {
        say(&trouble);
    }
    match (exit.code, exit.signal) {
        (_, Some(signal)) => Ok(Exit::OfChild(die_by(signal))),
        (code, None) => {
            Ok(Exit::OfChild(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
        }
    }
}

fn start(command: Vec<std::ffi::OsString>) -> Result<Child, Failure> {
    let mut words = command.into_iter();
    let launch = without_tokens(Launch::new(words.next().unwrap_or_default()).args(words));
    // An unread stderr blocks only the agent, as it would without this program.
    let pass = |bytes: &[u8]| {
        tokio::task::block_in_place(|| {
            let _closed = io::stderr().write_all(bytes);
        });
    };
    launch.on_stderr(pass).start().map_err(|error| Failure::new(Exit::CannotStart, error))
}

/// Copies bytes from `source` to `sink` until either of them ends, and then closes both. Bytes are
/// recorded before they are passed on, so that a reply never precedes its call.
async fn flow(
    from: Side,
    source: Option<impl AsyncRead + Unpin>,
    sink: Option<impl AsyncWrite + Unpin>,
    lane: Lane,
) {
    let (Some(mut source), Some(mut sink)) = (source, sink) else { return };
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = source.read(&mut piece).await {
        let piece = piece.get(..length).unwrap_or_default();
        lane.put(from, piece).await;
        if sink.write_all(piece).await.is_err() || sink.flush().await.is_err() {
            return;
        }
    }
}

/// Ends this process with the signal that ended the agent, without a core file. If that fails,
/// returns the exit code that shells use for it.
fn die_by(signal: i32) -> u8 {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `none` outlives the call, and no handler runs, because the signal has its default
    // disposition.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}
