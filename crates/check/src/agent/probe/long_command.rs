//! A long command that the agent runs itself, and what happens to it when its turn or the agent
//! ends (CANCEL-03, RPC-09, TOOL-09).

use super::driven::{ALLOW, cancel, choose, shows, tool_calls, unjudged};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, Turn};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::{call, run as run_command, say};
use attache_protocol::method::SessionRequestPermission;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

probes! { Run:
    "CANCEL-03" what_a_tool_runs_ends_with_its_turn;
    "TOOL-09" a_command_that_was_stopped_is_no_success;
    "RPC-09" the_end_of_input_ends_the_agent_in_a_tool;
}

/// How long a command may take to start and to end.
const SOON: Duration = Duration::from_secs(5);

/// How long a turn must run to count as waiting for its command.
const WAITS: Duration = Duration::from_secs(1);

/// The interval between looks at the processes.
const LOOK: Duration = Duration::from_millis(20);

/// Begins a turn that runs a command of 30 s without the client's terminals. Returns the arguments
/// that only this process has.
async fn running(run: &mut Run) -> Probed<(&mut Conversation, Session, Turn, Vec<u8>)> {
    run.driven().await?;
    let folder = run.folder().to_owned();
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    let long = format!("30.{}", hasher.finish());
    let talk = run.fresh_with(json!({})).await?;
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    // Some agents refuse a command that only sleeps.
    let acts = call(run_command(&format!("echo attache && sleep {long}"))).then(say("done"));
    let turn = talk.begin_turn(&session, acts);
    let ended = "the turn ends before its command does";
    if !shows(talk, &turn, &["tool_call", "tool_call_update"]).await? {
        return not_tested(ended);
    }
    if talk.peer.wait_for(turn.first, WAITS, |line| line.replies_to(&turn.id)).await.is_ok() {
        return not_tested(ended);
    }
    let arguments = format!("sleep\0{long}\0").into_bytes();
    if !comes_to(&arguments, true).await {
        return not_tested("the command of the turn is not among the processes of this machine");
    }
    Ok((talk, session, turn, arguments))
}

/// Waits until a process with these arguments exists, or none does. Returns whether that came in
/// time.
async fn comes_to(arguments: &[u8], is_there: bool) -> bool {
    let arguments = arguments.to_vec();
    // Processes start and end in real time, not in a test's paused time.
    let looking = tokio::task::spawn_blocking(move || {
        let began = Instant::now();
        while is_running(&arguments) != is_there {
            if began.elapsed() > SOON {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    });
    looking.await.unwrap_or(false)
}

/// Whether a process with these arguments exists. Linux only: `false` elsewhere.
fn is_running(arguments: &[u8]) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    // A zombie's command line is empty.
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|it| it == arguments)
}

/// Only if the agent says that the turn is over: other probes judge how soon that is.
async fn what_a_tool_runs_ends_with_its_turn(run: &mut Run) -> Probed {
    let (talk, session, turn, command) = running(run).await?;
    cancel(talk, &session);
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    let seen = format!("it still runs {} s after the end of the turn", SOON.as_secs());
    expect(comes_to(&command, false).await, "the command of a cancelled turn is stopped", seen)
}

async fn a_command_that_was_stopped_is_no_success(run: &mut Run) -> Probed {
    let (talk, session, turn, _) = running(run).await?;
    cancel(talk, &session);
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    let told = tool_calls(&played);
    match told.iter().find(|told| told.states().last() == Some(&"completed")) {
        Some(told) => fail("failed, as the command was stopped", format!("{:?}", told.states())),
        None => Ok(()),
    }
}

async fn the_end_of_input_ends_the_agent_in_a_tool(run: &mut Run) -> Probed {
    let (talk, _, _, _) = running(run).await?;
    // The agent's later messages about its turn are not watched.
    talk.is_watched = false;
    talk.peer.close();
    let has_ended = talk.peer.wait_for_end(talk.patience).await;
    let seen = talk.peer.ended().map_or_else(|| "it continues".to_owned(), str::to_owned);
    expect(has_ended, "the agent exits when its input ends while a command of its own runs", seen)
}
