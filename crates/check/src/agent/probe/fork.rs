//! Forking sessions (FORK).

use super::directory::{DIRECTORIES, directory, shown, with};
use super::session_list::{entries, entry_of, listed};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{SessionFork, SessionPrompt};

probes! { Run:
    "FORK-02" a_fork_is_a_separate_session;
    "FORK-03" another_folder_is_refused_or_used;
    "FORK-04" a_fork_inherits_no_directories;
}

const FORK: &str = "/sessionCapabilities/fork";

async fn a_fork_is_a_separate_session(run: &mut Run) -> Probed {
    let (folder, words) = (json!(run.folder()), run.words());
    run.talk().await?.needs(FORK)?;
    let (talk, session) = run.session().await?;
    let first =
        talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": words})).await?;
    if first.result().is_err() {
        return not_tested("the agent cannot run a turn here");
    }
    let params = json!({"sessionId": session.id, "cwd": folder, "mcpServers": []});
    let forked = talk.call::<SessionFork>(params).await?.result()?;
    let Some(fork) = forked.get("sessionId") else {
        return fail("a fork has a sessionId", quoted(&forked.to_string()));
    };
    expect(*fork != session.id, "a new sessionId", fork.to_string())?;
    for id in [fork, &session.id, fork] {
        talk.call::<SessionPrompt>(json!({"sessionId": id, "prompt": words})).await?.result()?;
    }
    Ok(())
}

async fn another_folder_is_refused_or_used(run: &mut Run) -> Probed {
    let other = json!(directory(run, "fork")?);
    run.talk().await?.needs(FORK)?;
    let (talk, session) = listed(run).await?;
    let params = json!({"sessionId": session.id, "cwd": other, "mcpServers": []});
    let reply = talk.call::<SessionFork>(params).await?;
    if reply.error("/code").is_some() {
        return Ok(());
    }
    let fork = reply.result()?.get("sessionId").cloned().unwrap_or_default();
    let prompt = json!([{"type": "text", "text": "hi"}]);
    talk.call::<SessionPrompt>(json!({"sessionId": fork, "prompt": prompt})).await?;
    let all = entries(talk, json!({"cwd": other})).await?;
    expect(
        entry_of(&all, &fork).is_some(),
        format!("an error, or a fork that is listed with {other}"),
        format!("{} sessions are listed there, but not the fork", all.len()),
    )
}

async fn a_fork_inherits_no_directories(run: &mut Run) -> Probed {
    let (folder, root) = (json!(run.folder()), directory(run, "root")?);
    let (talk, _) = run.session().await?;
    talk.needs(FORK)?;
    talk.needs(DIRECTORIES)?;
    let original = with(talk, &folder, &json!([root])).await?;
    if shown(talk, &original, &folder).await? != json!([root]) {
        return not_tested("the agent does not list the additional directories of a session");
    }
    let params = json!({"sessionId": original, "cwd": folder, "mcpServers": []});
    let forked = talk.call::<SessionFork>(params).await?.result()?;
    let fork = forked.get("sessionId").cloned().unwrap_or_default();
    let shown = shown(talk, &fork, &folder).await?;
    expect(
        shown.is_null() || shown == json!([]),
        "a fork without additional directories",
        quoted(&shown.to_string()),
    )
}
