//! Permission requests, and permanent decisions.

use agent_client_protocol::Result;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
};

use crate::tool_call::ToolCall;
use crate::turn::Turn;

fn options() -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let options = [
        ("allow_once", "Allow once", AllowOnce),
        ("allow_always", "Allow always", AllowAlways),
        ("reject_once", "Reject once", RejectOnce),
        ("reject_always", "Reject always", RejectAlways),
    ];
    options.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec()
}

/// Returns the chosen option, or `cancelled` for an option that was not offered (PERM-04). Fails
/// only if the turn is cancelled, because a later answer is useless (CANCEL-23).
pub(crate) async fn ask(turn: &Turn, call: &ToolCall) -> Result<String> {
    let request = RequestPermissionRequest::new(turn.session.id.clone(), call.shown(), options());
    let answered = turn.request(request).await;
    turn.go_on()?;
    let outcome = match answered {
        Ok(response) => response.outcome,
        Err(error) => {
            eprintln!("a permission request failed: {error}");
            return Ok("cancelled".into());
        }
    };
    Ok(match outcome {
        RequestPermissionOutcome::Selected(selected)
            if options().iter().any(|option| option.option_id == selected.option_id) =>
        {
            selected.option_id.to_string()
        }
        _ => "cancelled".into(),
    })
}

/// Returns whether a tool may run: by earlier decisions, by the mode, or by the person's answer
/// (PERM-07).
pub(crate) async fn allows(turn: &Turn, call: &ToolCall) -> Result<bool> {
    {
        let record = turn.session.record();
        if let Some((_, allowed)) = record.decided.iter().find(|(kind, _)| *kind == call.kind) {
            return Ok(*allowed);
        }
        if record.options.mode == "code" {
            return Ok(true);
        }
    }
    let answer = ask(turn, call).await?;
    let allowed = answer.starts_with("allow_");
    if answer.ends_with("_always") {
        turn.session.record().decided.push((call.kind, allowed));
    }
    Ok(allowed)
}
