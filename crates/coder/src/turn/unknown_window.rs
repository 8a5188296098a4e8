//! Tells the person that the context window of a model is unknown, and how to set it.

use crate::models::{Model, ModelId, Models};
use crate::session::memory::Memory;
use crate::session::options::MODEL;
use crate::tools::fit::counted;
use crate::turn::answer::room;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity, SessionConfigOptionValue};

/// Tells the person once that the context window of the model is unknown.
pub(super) async fn report_unknown_window(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<()> {
    let title = model.title();
    if model.window().is_some() || memory.unmeasured.as_deref() == Some(title) {
        return Ok(());
    }
    memory.unmeasured = Some(title.to_owned());
    let mut notice =
        Notice::new(NoticeSeverity::Info, format!("The context window of {title} is unknown"));
    let size = counted(model.size(), "token");
    let assumed = match model.is_cut_silently() {
        true => format!(
            "Its server silently cuts what is too long, so it gets at most about {} of the conversation. Set the context length in Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx of the model.",
            counted(room(model, memory), "token")
        ),
        false => format!(
            "{size} are assumed until the provider states its limit. The usage is shown only with a cost."
        ),
    };
    let row = chosen_id(models, turn).map_or_else(String::new, |id| {
        let (provider, name) = (json_text(&id.provider), json_text(&id.name));
        format!(
            ": `{{\"models\": [{{\"provider\": {provider}, \"name\": {name}, \"window\": {}}}]}}`",
            model.size()
        )
    });
    notice.description = Some(format!(
        "{assumed} If you know the window, set it in ~/.config/attache/models.json{row}."
    ));
    turn.notice(notice).await
}

/// The id of the session's model.
fn chosen_id(models: &Models, turn: &Turn) -> Option<ModelId> {
    let Some(SessionConfigOptionValue::ValueId(value)) = turn.option(MODEL) else { return None };
    models.find(value.as_str()).map(|known| known.id)
}

/// A text in JSON.
fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
