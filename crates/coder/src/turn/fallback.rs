//! Switches to the fallback model when the provider fails permanently.

use crate::models::{ModelError, Models};
use crate::notices::takes_notices;
use crate::session::options::{self, MODEL};
use attache_agent::{Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity, SessionConfigOptionValue};

/// The note for the fallback model if the answer before it was cut off.
pub(crate) const GO_ON: &str =
    "[The answer above was cut off. Continue exactly where it ends, and do not repeat it.]";

/// Whether another provider may succeed. Another provider cannot help if the request or the key is
/// wrong.
fn may_help(error: &ModelError) -> bool {
    match error {
        ModelError::NoNetwork { .. }
        | ModelError::Quota { .. }
        | ModelError::Overloaded { .. }
        | ModelError::Hung { .. }
        | ModelError::Cut { .. }
        // The provider may have retired the model.
        | ModelError::UnknownModel { .. }
        | ModelError::Malformed { .. } => true,
        ModelError::Auth { .. }
        | ModelError::BadRequest { .. }
        | ModelError::RefusedMedia { .. }
        | ModelError::Overflow { .. }
        | ModelError::TooLarge { .. }
        | ModelError::NotFound { .. }
        | ModelError::Unusable { .. }
        | ModelError::Refused { .. } => false,
    }
}

/// Makes the fallback the session's model, and reports the reason (CONF-03). Returns false if there
/// is no fallback, or if the fallback is the model that failed.
pub(crate) async fn switch(models: &Models, turn: &Turn, error: &ModelError) -> Result<bool> {
    let Some(fallback) = models.fallback().filter(|_| may_help(error)) else { return Ok(false) };
    let value = Some(SessionConfigOptionValue::ValueId(fallback.as_str().into()));
    if turn.option(MODEL) == value {
        return Ok(false);
    }
    let mut options = turn.options();
    options::set(models, &mut options, MODEL, &fallback);
    turn.config(options).await?;
    if turn.option(MODEL) != value {
        return Ok(false);
    }
    tell(models, turn, error, &fallback).await?;
    Ok(true)
}

/// Reports the switch as a notice if the client supports notices (NOTE-01), or else in the agent's
/// text. A subagent reports it in the agent's conversation.
async fn tell(models: &Models, turn: &Turn, error: &ModelError, fallback: &str) -> Result<()> {
    let title = models.find(fallback).map_or_else(|| fallback.to_owned(), |known| known.title);
    let words = format!("{title} continues instead of the chosen model");
    let why = error.to_string();
    match takes_notices(turn) {
        true => {
            let mut notice = Notice::new(NoticeSeverity::Warning, words);
            notice.description = Some(format!("{why}."));
            turn.root().notice(notice).await
        }
        false => turn.root().say(&format!("\n\n({words}: {why}.)\n\n")).await,
    }
}
