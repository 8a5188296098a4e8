//! The life of one agent: started when it is needed, watched, started again.

use super::agent_entry::{AgentEntry, Command, Phase, Up};
use super::agent_source::RunningAgent;
use crate::agent::start_error::StartError;
use crate::race::{Raced, race};
use crate::session::session_fold::now;
use attache_connection::End;
use attache_session::Timestamp;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// How an attempt to have the agent running ended.
enum Ended {
    /// It did not start.
    Failed(Arc<StartError>),
    /// It ended by itself.
    Died(RunningAgent, End),
    /// The person wants it started anew.
    Restart,
    /// The person stopped it.
    Stopped,
}

/// Runs the agent as long as the hub is there.
pub(crate) async fn supervise(agent: Arc<AgentEntry>, mut commands: Receiver<Command>) {
    let mut generation = 0;
    let mut wanted = false;
    loop {
        if !wanted {
            match commands.recv().await {
                Some(Command::Start | Command::Restart) => {}
                Some(Command::Stop) => {
                    agent.enter(Phase::Stopped);
                    continue;
                }
                None => return,
            }
        }
        generation += 1;
        let was_up = wanted;
        wanted = match once(&agent, generation, &mut commands).await {
            Ended::Restart => true,
            Ended::Stopped => {
                agent.enter(Phase::Stopped);
                false
            }
            Ended::Failed(error) => {
                let why = error.to_string().into();
                // One that never ran is not tried again by itself: what is wrong is for a person to
                // mend.
                let pause = if was_up { next_pause(&agent) } else { None };
                gone(&agent, why, Some(error), pause, &mut commands).await
            }
            Ended::Died(running, end) => {
                let why = reason(&running, &end);
                // Kills what is left of it.
                drop(running);
                let pause = next_pause(&agent);
                gone(&agent, why, None, pause, &mut commands).await
            }
        };
    }
}

/// Starts the agent and stays until it ends or is ended.
async fn once(agent: &AgentEntry, generation: u64, commands: &mut Receiver<Command>) -> Ended {
    agent.enter(Phase::Starting { since: now() });
    let started = race(agent.source.start(agent.options.clone()), stop_asked(commands)).await;
    let running = match started {
        Raced::First(Ok(running)) => running,
        Raced::First(Err(error)) => return Ended::Failed(Arc::new(error)),
        Raced::Second(()) => return Ended::Stopped,
    };
    let connection = running.connection.clone();
    let up = Up { connection: connection.clone(), generation, since: now(), pid: running.pid() };
    agent.enter(Phase::Up(up));
    loop {
        match race(commands.recv(), connection.ended()).await {
            Raced::First(Some(Command::Start)) => {}
            Raced::First(Some(Command::Restart)) => {
                agent.enter(Phase::Starting { since: now() });
                running.kill().await;
                return Ended::Restart;
            }
            Raced::First(Some(Command::Stop) | None) => {
                running.stop().await;
                return Ended::Stopped;
            }
            Raced::Second(end) => return Ended::Died(running, end),
        }
    }
}

/// Resolves when the agent shall not be started any more.
async fn stop_asked(commands: &mut Receiver<Command>) {
    while let Some(command) = commands.recv().await {
        if command == Command::Stop {
            return;
        }
    }
}

fn next_pause(agent: &AgentEntry) -> Option<Duration> {
    agent.restarts.lock().unwrap_or_else(PoisonError::into_inner).next(Instant::now())
}

/// Says that the agent is gone, and waits until it is to be started again: gives whether it is.
async fn gone(
    agent: &AgentEntry,
    why: Arc<str>,
    failure: Option<Arc<StartError>>,
    pause: Option<Duration>,
    commands: &mut Receiver<Command>,
) -> bool {
    let restart_at = pause.map(|pause| {
        let milliseconds = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        Timestamp(now().0.saturating_add(milliseconds))
    });
    agent.enter(Phase::Gone { why, failure, restart_at });
    let Some(pause) = pause else { return false };
    let asked = async {
        // One that is asked for again does not wait for its time: a person looks at it.
        loop {
            match commands.recv().await {
                Some(Command::Restart) => return true,
                Some(Command::Start) => {}
                Some(Command::Stop) | None => return false,
            }
        }
    };
    match race(tokio::time::sleep(pause), asked).await {
        Raced::First(()) => true,
        Raced::Second(restart) => {
            if !restart {
                agent.enter(Phase::Stopped);
            }
            restart
        }
    }
}

/// Why the agent is gone, with what it printed that is no message if that is all that is known.
fn reason(running: &RunningAgent, end: &End) -> Arc<str> {
    let evidence = running.evidence();
    match evidence.stdout.first() {
        Some(line) if evidence.stderr.is_empty() => {
            format!("{end}; it printed text that is no ACP message, first: {line}").into()
        }
        _ => end.to_string().into(),
    }
}
