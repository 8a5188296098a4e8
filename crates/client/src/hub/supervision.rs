//! Supervision of one agent: starts it when it is needed, and restarts it when it dies.

use super::agent_entry::{AgentEntry, Command, Phase, Up};
use super::agent_source::RunningAgent;
use super::restart_policy::Restarts;
use crate::agent::start_error::StartError;
use crate::race::{Raced, race};
use crate::session::session_fold::now;
use attache_connection::ConnectionEnd;
use attache_session::Timestamp;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// How one run of the agent ended.
enum Ended {
    /// The agent did not start.
    Failed(Arc<StartError>),
    /// The agent ended by itself.
    Died(RunningAgent, ConnectionEnd),
    /// The person asked to restart the agent.
    Restart,
    /// The person stopped the agent.
    Stopped,
}

/// Runs the agent as long as the hub exists.
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
                // An agent that never ran is not restarted: a person must fix the cause.
                let pause = match was_up {
                    true if error.is_outage() => restarts(&agent).next_attempt(),
                    true => restarts(&agent).next(Instant::now()),
                    false => None,
                };
                gone(&agent, why, Some(error), pause, &mut commands).await
            }
            Ended::Died(running, end) => {
                let why = reason(&running, &end);
                // Kills the rest of the process tree.
                drop(running);
                let pause = restarts(&agent).next(Instant::now());
                gone(&agent, why, None, pause, &mut commands).await
            }
        };
    }
}

/// Starts the agent and waits until it ends.
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
    restarts(agent).reached();
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

/// Waits for a stop command.
async fn stop_asked(commands: &mut Receiver<Command>) {
    while let Some(command) = commands.recv().await {
        if command == Command::Stop {
            return;
        }
    }
}

fn restarts(agent: &AgentEntry) -> MutexGuard<'_, Restarts> {
    agent.restarts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Enters the phase `Gone` and waits for the restart. Returns whether to restart.
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
    match pause {
        Some(pause) => tracing::warn!(?pause, "the agent is gone and will be restarted"),
        None => tracing::warn!("the agent is gone and will not be restarted"),
    }
    let is_outage = failure.as_ref().is_some_and(|failure| failure.is_outage());
    agent.enter(Phase::Gone { why, failure, restart_at });
    let Some(pause) = pause else { return false };
    let asked = async {
        // A restart that a person asks for happens at once, and so does an attempt to reach an
        // agent that is needed now.
        loop {
            match commands.recv().await {
                Some(Command::Restart) => return true,
                Some(Command::Start) if is_outage => return true,
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

/// Why the agent is gone, with its stray output if there is no other evidence.
fn reason(running: &RunningAgent, end: &ConnectionEnd) -> Arc<str> {
    let evidence = running.evidence();
    match evidence.stdout.first() {
        Some(line) if evidence.stderr.is_empty() => {
            format!("{end}; it printed text that is not an ACP message, first: {line}").into()
        }
        _ => end.to_string().into(),
    }
}
