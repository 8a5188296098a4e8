//! The answer to a prompt (PROMPT-06), and prompts that start no turn (PROMPT-04, PROMPT-05,
//! PROMPT-17).

use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, skipped};
use attache_protocol::method::SessionPrompt;

probes! { Run:
    "PROMPT-06" a_prompt_is_answered_with_a_stop_reason;
    "PROMPT-04" unoffered_content_is_refused;
    "PROMPT-05" a_malformed_block_fails_the_prompt;
    "PROMPT-17" an_empty_prompt_does_not_hang;
}

/// An agent without a model may answer with an error, but must not reject the method, stay silent
/// or exit.
async fn a_prompt_is_answered_with_a_stop_reason(run: &mut Run) -> Probed {
    run.prompted().await
}

async fn unoffered_content_is_refused(run: &mut Run) -> Probed {
    run.answers_prompts().await?;
    let (talk, session) = run.session().await?;
    let blocks = [
        ("image", json!({"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="})),
        ("audio", json!({"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="})),
        (
            "embeddedContext",
            json!({"type": "resource", "resource": {"uri": "file:///attache/a", "text": "a"}}),
        ),
    ];
    let mut is_open = true;
    for (kind, block) in blocks {
        if !talk.offers(&format!("/promptCapabilities/{kind}")) {
            is_open = false;
            let params = json!({"sessionId": session.id, "prompt": [block]});
            talk.call::<SessionPrompt>(params).await?.is_error(-32602)?;
        }
    }
    if is_open { skipped("the agent offers every kind of content") } else { Ok(()) }
}

async fn a_malformed_block_fails_the_prompt(run: &mut Run) -> Probed {
    run.answers_prompts().await?;
    let (talk, session) = run.session().await?;
    for block in [json!({"type": "text"}), json!({"type": "attache-no-such-block"})] {
        let prompt = json!([{"type": "text", "text": "hi"}, block]);
        let reply =
            talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": prompt})).await?;
        reply.is_error(-32602)?;
    }
    Ok(())
}

async fn an_empty_prompt_does_not_hang(run: &mut Run) -> Probed {
    run.answers_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": []})).await.map(|_| ())
}
