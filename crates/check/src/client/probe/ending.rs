//! Agents that exit while the client waits for them (RPC-09).

use super::framing::ends_with_its_agent;
use crate::Answer;
use crate::client::run::ClientRun;
use crate::client::scenario::Scenario;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, not_tested};
use attache_protocol::method::{Initialize, SessionNew, SessionRequestPermission, TerminalCreate};

probes! { ClientRun:
    "RPC-09" the_agents_end_before_its_initialize_reply_ends_the_client;
    "RPC-09" the_agents_end_while_a_session_opens_ends_the_client;
    "RPC-09" the_agents_end_during_a_permission_request_ends_the_turn;
    "RPC-09" the_agents_end_while_a_command_runs_ends_the_turn;
}

async fn the_agents_end_before_its_initialize_reply_ends_the_client(run: &mut ClientRun) -> Probed {
    let task = run.task("prompt");
    let silent = |_| Scenario::bare().on::<Initialize>(|_| Answer::Silence);
    let talk = run.start_with(task, silent).await?;
    talk.hears::<Initialize>().await?;
    ends_with_its_agent(talk).await
}

async fn the_agents_end_while_a_session_opens_ends_the_client(run: &mut ClientRun) -> Probed {
    let task = run.task("prompt");
    let silent = |_| Scenario::bare().on::<SessionNew>(|_| Answer::Silence);
    let talk = run.start_with(task, silent).await?;
    talk.hears::<SessionNew>().await?;
    ends_with_its_agent(talk).await
}

async fn the_agents_end_during_a_permission_request_ends_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel", "prompt"]).await?;
    let options = json!([{"optionId": "n", "name": "No", "kind": "reject_once"}]);
    let question =
        json!({"toolCall": {"toolCallId": "open", "title": "Attache check"}, "options": options});
    talk.begin::<SessionRequestPermission>(&turn, question);
    talk.wire.is_still_there().await?;
    ends_with_its_agent(talk).await
}

async fn the_agents_end_while_a_command_runs_ends_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    talk.needs("/terminal")?;
    let command = json!({"command": "sleep", "args": ["600"]});
    let opened = talk.call::<TerminalCreate>(&turn, command).await.and_then(|reply| reply.result());
    opened.or_else(|outcome| {
        not_tested(format!("the client opens no terminal: {}", outcome.seen()))
    })?;
    ends_with_its_agent(talk).await
}
