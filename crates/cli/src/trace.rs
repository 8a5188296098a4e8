//! `attache trace`: stands between a client and an agent, changes nothing, and records what passes.

mod lane;
mod line;
mod notice;
mod recorder;
mod stdio;

use crate::args;
use crate::exit::{Exit, Failure};
use attache_host::{Child, Launch, StopPatience};
use attache_protocol::method::Side;
use lane::Lane;
use notice::say;
use recorder::Recorder;
use std::io::{self, Write};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;

/// The most that is read at once, in bytes.
const PIECE: usize = 64 * 1024;

/// What an agent has for its end after a signal; then it is killed.
const PATIENCE: StopPatience =
    StopPatience { after_stdin: Duration::ZERO, after_terminate: Duration::from_secs(10) };

/// Runs the command.
pub(crate) async fn trace(arguments: args::Trace) -> Result<Exit, Failure> {
    let ours = |error: io::Error| {
        Failure::new(Exit::OurFault, format!("the recording cannot start: {error}"))
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
    // Nobody reads any more what the client sends; what the agent sent last may still be on its
    // way.
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
        (_, Some(signal)) => Ok(Exit::Kept(die_by(signal))),
        (code, None) => Ok(Exit::Kept(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

fn start(command: Vec<std::ffi::OsString>) -> Result<Child, Failure> {
    let mut words = command.into_iter();
    let launch = Launch::new(words.next().unwrap_or_default()).args(words);
    // A stderr that nobody reads holds up the agent, as it would without us, and nothing else.
    let pass = |bytes: &[u8]| {
        tokio::task::block_in_place(|| {
            let _closed = io::stderr().write_all(bytes);
        });
    };
    launch.on_stderr(pass).start().map_err(|error| Failure::new(Exit::CannotStart, error))
}

/// Passes on what `from` sends until it ends, or the other side takes no more; then both see that.
/// What passes is recorded before, so that an answer never stands before its question.
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

/// The signals that ask a process to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Ends this process by the signal that ended the agent, without a core file of ours. If that
/// cannot be done: the code by which shells tell of it.
fn die_by(signal: i32) -> u8 {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is on our stack for the call, and the signal's disposition is the system's
    // own: no handler of ours runs.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}
