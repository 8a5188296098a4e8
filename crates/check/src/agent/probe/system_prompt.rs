//! System prompts of the client (SYSP).

use super::session_list::{LIST, entries};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect};
use attache_protocol::method::SessionNew;
use serde_json::Value;

probes! { Run:
    "SYSP-02" a_malformed_system_prompt_opens_no_session;
    "SYSP-03" a_text_system_prompt_is_accepted;
    "SYSP-03" an_unknown_mode_of_the_system_prompt_is_refused;
}

const SYSTEM_PROMPT: &str = "/sessionCapabilities/systemPrompt";

async fn a_malformed_system_prompt_opens_no_session(run: &mut Run) -> Probed {
    let of_folder = json!({"cwd": run.folder()});
    let talk = run.talk().await?;
    talk.needs(SYSTEM_PROMPT)?;
    let can_list = talk.offers(LIST);
    let before = if can_list { entries(talk, of_folder.clone()).await?.len() } else { 0 };
    let image = json!([{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]);
    is_refused(run, json!({"mode": "append", "content": image})).await?;
    if !run.talk().await?.offers("/sessionCapabilities/systemPrompt/mode/override") {
        is_refused(run, json!({"mode": "override", "content": text()})).await?;
    }
    if can_list {
        let after = entries(run.talk().await?, of_folder).await?.len();
        expect(
            after == before,
            "no new session in the list",
            format!("{after} sessions after {before}"),
        )?;
    }
    Ok(())
}

async fn a_text_system_prompt_is_accepted(run: &mut Run) -> Probed {
    run.talk().await?.needs(SYSTEM_PROMPT)?;
    run.session().await?;
    open(run, json!({"mode": "append", "content": text()})).await?.result()?;
    if run.talk().await?.offers("/sessionCapabilities/systemPrompt/mode/override") {
        open(run, json!({"mode": "override", "content": text()})).await?.result()?;
    }
    Ok(())
}

async fn an_unknown_mode_of_the_system_prompt_is_refused(run: &mut Run) -> Probed {
    run.talk().await?.needs(SYSTEM_PROMPT)?;
    is_refused(run, json!({"mode": "_attache_prepend", "content": text()})).await
}

fn text() -> Value {
    json!([{"type": "text", "text": "Answer in one sentence."}])
}

async fn is_refused(run: &mut Run, instructions: Value) -> Probed {
    open(run, instructions).await?.is_refused()
}

async fn open(run: &mut Run, instructions: Value) -> Probed<crate::judging::conversation::Reply> {
    let folder = run.folder().to_owned();
    let params = json!({"cwd": folder, "mcpServers": [], "systemPrompt": instructions});
    run.talk().await?.call::<SessionNew>(params).await
}
