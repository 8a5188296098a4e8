//! The reason why a turn ends.

use crate::models::{Model, ModelStop};
use crate::tools::fit::one_line;
use attache_agent::{Error, Result, StopReason};

/// The maximum length of a provider's explanation, in characters.
const EXPLANATION: usize = 600;

/// The provider's explanation of a refusal, for the person, if there is one.
pub(super) fn refusal(model: &dyn Model, stop: &ModelStop) -> Option<String> {
    let ModelStop::Refusal(said) = stop else { return None };
    let said = one_line(said, EXPLANATION);
    let title = model.title();
    (!said.is_empty()).then(|| format!("\n\n{title} refuses to answer this (\"{said}\").\n"))
}

/// The stop reason of a turn whose model stopped without a tool call.
pub(super) fn stop_reason(model: &dyn Model, stop: &ModelStop) -> Result<StopReason> {
    let title = model.title();
    match stop {
        ModelStop::End | ModelStop::Tools | ModelStop::Paused => Ok(StopReason::EndTurn),
        ModelStop::MaxTokens | ModelStop::Window => Ok(StopReason::MaxTokens),
        ModelStop::Refusal(_) => Ok(StopReason::Refusal),
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
