//! Switches to the fallback model when the provider fails permanently.

use crate::models::{ModelError, Models};
use crate::session::options::{self, MODEL};
use crate::turn::answer::takes_notices;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity, SessionConfigOptionValue};

/// The note for the fallback model where the answer before it was cut off.
pub(crate) const GO_ON: &str =
    "[The answer above broke off. Go on exactly where it ends, and repeat nothing of it.]";

/// Whether another provider may well do what this one did not: not where the request, the key or
/// the model's name is wrong.
fn may_help(error: &ModelError) -> bool {
    match error {
        ModelError::NoNetwork { .. }
        | ModelError::Quota { .. }
        | ModelError::Overloaded { .. }
        | ModelError::Hung { .. }
        | ModelError::Cut { .. }
        | ModelError::Malformed { .. } => true,
        ModelError::Auth { .. }
        | ModelError::BadRequest { .. }
        | ModelError::Overflow { .. }
        | ModelError::UnknownModel { .. }
        | ModelError::NotFound { .. }
        | ModelError::Unusable { .. }
        | ModelError::Refused { .. } => false,
    }
}

/// Makes the fallback the session's model, and says why (CONF-03). Whether there is one, and it is
/// not the one that failed.
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

/// As a notice where the client takes them (NOTE-01), else among the words; a subagent says it
/// where its agent speaks.
async fn tell(models: &Models, turn: &Turn, error: &ModelError, fallback: &str) -> Result<()> {
    let title = models.find(fallback).map_or_else(|| fallback.to_owned(), |known| known.title);
    let words = format!("{title} goes on in place of the model that was chosen");
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
