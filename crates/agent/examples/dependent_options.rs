//! Config options that depend on each other: the model determines the available levels of thinking.
//!
//! The kit does the rest: it checks the client's values, answers with all options, stores them with
//! the session, and shows a choice of two values to clients that do not support switches.

use attache_agent::{About, Author, Error, Opening, Result, StopReason, Turn, serve};
use attache_protocol::v1::{
    SessionConfigId, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectOption, SessionId,
};

struct Thinker;

/// A choice of these values, each shown under its own name.
fn choice(id: &str, name: &str, current: &str, values: &[&str]) -> SessionConfigOption {
    let values: Vec<_> =
        values.iter().map(|value| SessionConfigSelectOption::new(*value, *value)).collect();
    SessionConfigOption::select(id, name, current, values)
}

/// The levels of thinking that a model has; the first is its default.
fn levels(model: &str) -> SessionConfigOption {
    let values: &[&str] = match model {
        "large" => &["medium", "low", "high"],
        _ => &["low", "off"],
    };
    let mut option = choice("level", "Thinking", values.first().unwrap_or(&"low"), values);
    option.category = Some(SessionConfigOptionCategory::ThoughtLevel);
    option
}

/// The chosen value of a select.
fn chosen(value: Option<SessionConfigOptionValue>) -> String {
    match value {
        Some(SessionConfigOptionValue::ValueId(value)) => value.as_str().to_owned(),
        Some(SessionConfigOptionValue::Boolean(_)) | None => String::new(),
    }
}

impl Author for Thinker {
    type Memory = ();

    fn about(&self) -> About {
        About::new("thinker", "0.1.0")
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<()> {
        let mut model = choice("model", "Model", "small", &["small", "large"]);
        model.category = Some(SessionConfigOptionCategory::Model);
        // The most important option first: clients with little room show only the first ones.
        opening.options(vec![
            model,
            levels("small"),
            SessionConfigOption::boolean("web", "Search the web", false),
        ]);
        Ok(())
    }

    // Called after the new value is set. Every change made here is part of the same answer.
    fn option_set(
        &self,
        _: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        if option.as_str() != "model" {
            return Ok(());
        }
        let before = options.clone();
        let [model, level, ..] = options.as_mut_slice() else {
            return Err(Error::failed("the options are not those of this agent"));
        };
        *level = levels(&chosen(model.current_value()));
        // Keep the person's level if the model has it.
        attache_session::keep_values(&before, options);
        Ok(())
    }

    async fn turn(&self, (): &mut (), turn: &Turn) -> Result<StopReason> {
        // An option is found by its id or by its category. These are the current values, even if
        // they changed during the turn.
        let (model, level) = (chosen(turn.option("model")), chosen(turn.option("thought_level")));
        turn.say(&format!("The model {model} thinks at the level {level}.")).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    serve(Thinker).stdio().await
}
