//! The status line of a session.

mod activity;

use crate::money;
use crate::sanitize;
use crate::span::{Line, Role};
use attache_client::{HoldReason, HubSession, Question, SessionState};
use attache_protocol::v1::{SessionConfigKind, SessionConfigOption};
use attache_session::{Session, UsageLevel};
use serde::{Deserialize, Serialize};

/// The status line of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatusLine {
    /// The name of the agent.
    pub agent: Line,
    /// The title of the session.
    pub title: Option<Line>,
    /// The model, if the agent says it.
    pub model: Option<Line>,
    /// The mode, if the agent has modes.
    pub mode: Option<Line>,
    /// How much the model thinks, if the agent offers a choice.
    pub thought_level: Option<Line>,
    /// How full the context is; `None` if the agent does not say it.
    pub context: Option<ContextUse>,
    /// The cost of the session in each currency.
    pub costs: Vec<Line>,
    /// What happens now.
    pub activity: Activity,
    /// The number of prompts that wait for their turn.
    pub queued: usize,
    /// Why the waiting prompts are not sent; `None` if they are, or if there are none.
    pub held: Option<Line>,
    /// What the person should know.
    pub warnings: Vec<Line>,
}

/// How full the context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ContextUse {
    /// The tokens in the context.
    pub used: u64,
    /// The size of the context in tokens; `None` if it is unknown.
    pub size: Option<u64>,
    /// The fill in percent, at most 100; `None` if the size is unknown.
    pub percent: Option<u8>,
    /// The level.
    pub level: ContextLevel,
}

/// How full the context is, in levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ContextLevel {
    /// Below 75 %, or the size is unknown.
    Normal,
    /// From 75 %.
    Elevated,
    /// From 90 %.
    High,
    /// Above 95 %.
    Critical,
}

/// What happens in a session now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Activity {
    /// The kind, by which a front end chooses a symbol.
    pub kind: ActivityKind,
    /// The activity in words, such as `running cargo test`. Empty if nothing happens.
    pub line: Line,
    /// When it began, in milliseconds since 1970; `None` if that does not matter.
    pub since: Option<i64>,
}

/// The kind of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// Nothing happens: the session takes prompts.
    Idle,
    /// The agent starts or opens the session.
    Starting,
    /// The model has not answered yet.
    Waiting,
    /// The model thinks.
    Thinking,
    /// The model writes its answer.
    Writing,
    /// Tools run.
    Tool,
    /// The person must answer.
    Asking,
    /// The turn is being cancelled.
    Cancelling,
    /// Work continues in the background, while the session takes prompts.
    Background,
    /// Something is wrong.
    Problem,
    /// The session takes no prompts.
    Closed,
}

/// What a status line is made of.
#[derive(Debug)]
pub struct StatusParts<'s> {
    /// The name of the agent.
    pub agent: &'s str,
    /// The session.
    pub session: &'s Session,
    /// Its state in the hub.
    pub state: &'s SessionState,
    /// The open questions.
    pub questions: &'s [Question],
    /// The number of prompts that wait for their turn.
    pub queued: usize,
    /// Why they are held.
    pub held: Option<&'s HoldReason>,
    /// Why the session is no longer stored; `None` if it is.
    pub not_stored: Option<String>,
}

impl StatusLine {
    /// Returns the status line of a session of a hub.
    pub fn of(session: &HubSession) -> Self {
        // Only the first question matters here, and this is called for each frame.
        let question = session.first_question();
        Self::new(&StatusParts {
            agent: session.agent().name(),
            session: &session.snapshot(),
            state: &session.state(),
            questions: question.as_deref().map_or(&[], std::slice::from_ref),
            queued: session.queue().len(),
            held: session.held().as_ref(),
            not_stored: session.log_failure().map(|error| error.to_string()),
        })
    }

    /// Returns the status line that these parts make.
    pub fn new(parts: &StatusParts<'_>) -> Self {
        let session = parts.session;
        let choice = |name: &str| session.config().option_by_id_or_category(name).and_then(chosen);
        let mode = || session.config().current_mode().map(|mode| text(mode.as_str()));
        let model = choice("model");
        Self {
            agent: text(parts.agent),
            title: session.info().title().map(text),
            activity: activity::of(parts, model.as_ref()),
            model,
            mode: choice("mode").or_else(mode),
            thought_level: choice("thought_level"),
            context: context(session),
            costs: session.usage().costs().iter().map(money::cost).collect(),
            queued: parts.queued,
            held: parts.held.map(|reason| text(&reason.to_string())),
            warnings: warnings(parts),
        }
    }
}

pub(crate) fn text(text: &str) -> Line {
    Line::of(sanitize::line(text), Role::Text)
}

/// Returns the current value of an option, by the name that people read.
fn chosen(option: &SessionConfigOption) -> Option<Line> {
    match &option.kind {
        SessionConfigKind::Select(select) => {
            let value = option.values().find(|value| value.value == select.current_value);
            let name = value.map(|value| value.name.as_str());
            Some(text(name.unwrap_or(select.current_value.as_str())))
        }
        SessionConfigKind::Boolean(switch) => {
            Some(text(if switch.current_value { "on" } else { "off" }))
        }
        SessionConfigKind::Unknown(_) => None,
    }
}

fn context(session: &Session) -> Option<ContextUse> {
    let usage = session.usage();
    let level = match usage.level() {
        UsageLevel::Normal => ContextLevel::Normal,
        UsageLevel::Elevated => ContextLevel::Elevated,
        UsageLevel::High => ContextLevel::High,
        UsageLevel::Critical => ContextLevel::Critical,
    };
    let (used, size, percent) = (usage.used()?, usage.size(), usage.percentage());
    Some(ContextUse { used, size: size.filter(|size| *size > 0), percent, level })
}

fn warnings(parts: &StatusParts<'_>) -> Vec<Line> {
    let warning = |text: &str| Line::of(sanitize::line(text), Role::Warning);
    let mut warnings = Vec::new();
    if let Some(error) = &parts.not_stored {
        warnings.push(warning(&format!("the session is no longer stored: {error}")));
    }
    warnings.extend(parts.session.usage().level().advice().map(warning));
    warnings
}

#[cfg(test)]
mod tests;
