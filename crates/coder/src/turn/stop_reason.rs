//! The reason why a turn ends.

use crate::models::{Model, ModelStop};
use crate::tools::fit::one_line;
use attache_agent::{Error, Result, StopReason};

/// The stop reason of a turn whose model stopped without a tool call.
pub(super) fn stop_reason(model: &dyn Model, stop: &ModelStop) -> Result<StopReason> {
    let title = model.title();
    match stop {
        ModelStop::End | ModelStop::Tools | ModelStop::Paused => Ok(StopReason::EndTurn),
        ModelStop::MaxTokens | ModelStop::Window => Ok(StopReason::MaxTokens),
        ModelStop::Refusal => Ok(StopReason::Refusal),
        ModelStop::BrokenCall => Err(Error::failed(format!(
            "{title} sent tool calls that cannot be read: choose another model"
        ))),
        ModelStop::Other(word) => {
            let word = one_line(word, 60);
            Err(Error::failed(format!(
                "{title} stopped early ({word}): say \"continue\", or choose another model"
            )))
        }
    }
}
