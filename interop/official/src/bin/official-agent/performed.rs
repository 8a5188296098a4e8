//! Performs acts, each of which represents one response of a model.

use agent_client_protocol::v1::schema::{
    AuthStatusUpdateNotification, CompleteElicitationNotification, SessionConfigOptionValue,
    SessionUpdate, StopReason,
};
use agent_client_protocol::{Error, JsonRpcMessage, Result, UntypedMessage};
use official_peers::acts::{Act, ClientCall, pieces};
use serde_json::{Value, json};

use crate::turn::Turn;
use crate::{offers, tools};

/// Performs the acts in order.
pub(crate) async fn perform_all(turn: &mut Turn, acts: Vec<Act>) -> Result<StopReason> {
    for act in acts {
        turn.go_on()?;
        let end = act.end.clone();
        perform(turn, act).await?;
        match end.as_deref() {
            Some("length") => return Ok(StopReason::MaxTokens),
            Some("refusal") => return Ok(StopReason::Refusal),
            _ => {}
        }
    }
    Ok(StopReason::EndTurn)
}

fn failure(why: String) -> Error {
    Error::internal_error().data(why)
}

async fn perform(turn: &mut Turn, act: Act) -> Result<()> {
    turn.end_message();
    if let Some(status) = act.fail {
        return Err(failure(format!("the model answered {status}")));
    }
    if let Some(thought) = act.think {
        turn.think(&thought)?;
    }
    if let Some(text) = act.recall {
        let answer = if turn.recalls(&text) { "yes" } else { "no" };
        turn.say(&format!("recalled {answer}"))?;
    }
    for _ in 0..act.say.as_ref().map_or(0, |_| act.repeat.unwrap_or(1)) {
        for piece in pieces(act.say.as_deref().unwrap_or_default()) {
            turn.say(&piece)?;
        }
        turn.breathe().await?;
    }
    if act.cut {
        return Err(failure("the model broke off".into()));
    }
    if let Some(tokens) = act.usage {
        turn.used(tokens)?;
    }
    if act.hang {
        turn.cancelled().await;
    }
    if let Some(told) = act.update {
        update(turn, told)?;
    }
    if let Some(call) = act.client {
        call_client(turn, call).await?;
    }
    for call in act.call {
        turn.go_on()?;
        tools::call(turn, call).await?;
    }
    Ok(())
}

/// Sends an update, and changes the state that it describes.
fn update(turn: &mut Turn, told: Value) -> Result<()> {
    let update = match serde_json::from_value::<SessionUpdate>(told) {
        Ok(update) if offers::takes(&turn.session.offered, &update) => update,
        _ => return turn.say("attache check: no tool for update"),
    };
    match &update {
        SessionUpdate::CurrentModeUpdate(mode) => {
            let value =
                SessionConfigOptionValue::ValueId { value: mode.current_mode_id.0.clone().into() };
            return turn.session.set("mode", &value, true);
        }
        SessionUpdate::SessionInfoUpdate(info) => {
            let title: Option<Option<String>> = info.title.clone().into();
            if let Some(title) = title {
                turn.session.record().title = title;
            }
        }
        _ => {}
    }
    turn.session.update(update)
}

async fn call_client(turn: &mut Turn, call: ClientCall) -> Result<()> {
    let ClientCall { method, params: mut given } = call;
    let mode = given.get("mode").and_then(Value::as_str);
    if !offers::offers(&turn.session.offered, &method, mode) {
        return turn.say("attache check: no tool for client");
    }
    let is_told = CompleteElicitationNotification::matches_method(&method)
        || AuthStatusUpdateNotification::matches_method(&method);
    if is_told {
        return turn.session.client.send_notification(UntypedMessage::new(&method, given)?);
    }
    if !given.contains_key("requestId") {
        given.entry("sessionId").or_insert_with(|| json!(turn.session.id));
    }
    let told = match turn.request(UntypedMessage::new(&method, given)?).await {
        Ok(result) => result.to_string(),
        Err(error) => {
            turn.go_on()?;
            format!("error {}", i32::from(error.code))
        }
    };
    turn.say(&format!("client: {told}"))
}
