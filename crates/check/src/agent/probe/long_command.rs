//! A long command that the agent runs itself must end when its turn or the agent ends (CANCEL-03,
//! RPC-09, TOOL-09).

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
    "CANCEL-03" the_command_of_a_tool_ends_with_its_turn;
    "TOOL-09" a_stopped_command_is_not_completed;
    "RPC-09" the_end_of_input_ends_the_agent_in_a_tool;
}

/// How long a command may take to start and to end.
const SOON: Duration = Duration::from_secs(5);

/// How long a turn must run before the judge assumes that the turn is waiting for its command.
const WAITS: Duration = Duration::from_secs(1);

/// The interval between checks of the processes.
const LOOK: Duration = Duration::from_millis(20);

/// Begins a turn that runs a 30-second command, with a client that offers no terminals. Also
/// returns the command line of the process, as in `/proc`.
async fn running(run: &mut Run) -> Probed<(&mut Conversation, Session, Turn, Vec<u8>)> {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    let long = format!("30.{}", hasher.finish());
    let talk = run.fresh_with(json!({})).await?;
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    // Some agents refuse a bare `sleep`.
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
    if !wait_until_running(&arguments, true).await {
        return not_tested("no process on this machine runs the command of the turn");
    }
    Ok((talk, session, turn, arguments))
}

/// Waits until a process with this command line exists or, if `is_there` is false, until none
/// exists. Returns `false` if that takes too long.
async fn wait_until_running(arguments: &[u8], is_there: bool) -> bool {
    let arguments = arguments.to_vec();
    // Uses a blocking thread, because processes start and end in real time even if Tokio's clock is
    // paused.
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

/// Whether a process with this command line exists. Always `false` on systems other than Linux.
fn is_running(arguments: &[u8]) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    // Zombies do not count: their command line is empty.
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|it| it == arguments)
}

/// The rule is not tested if the turn does not end. Other probes judge how soon a turn ends.
async fn the_command_of_a_tool_ends_with_its_turn(run: &mut Run) -> Probed {
    let (talk, session, turn, command) = running(run).await?;
    cancel(talk, &session);
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    let seen = format!("it is still running {} s after the end of the turn", SOON.as_secs());
    expect(
        wait_until_running(&command, false).await,
        "the command of a cancelled turn is stopped",
        seen,
    )
}

async fn a_stopped_command_is_not_completed(run: &mut Run) -> Probed {
    let (talk, session, turn, _) = running(run).await?;
    cancel(talk, &session);
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    let reported = tool_calls(&played);
    match reported.iter().find(|reported| reported.states().last() == Some(&"completed")) {
        Some(reported) => fail(
            "the status is failed, because the command was stopped",
            format!("{:?}", reported.states()),
        ),
        None => Ok(()),
    }
}

async fn the_end_of_input_ends_the_agent_in_a_tool(run: &mut Run) -> Probed {
    let (talk, _, _, _) = running(run).await?;
    // The agent may end its turn in any way, so the observer is off.
    talk.is_watched = false;
    talk.peer.close();
    let has_ended = talk.peer.wait_for_end(talk.patience).await;
    let seen = talk.peer.ended().map_or_else(|| "it does not end".to_owned(), str::to_owned);
    expect(has_ended, "the agent exits when its input ends, even while its own command runs", seen)
}
