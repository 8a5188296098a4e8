//! The updates that a client accepts, according to its capabilities (INIT-16).

use crate::config::list_current;
use crate::{EventBody, PlanContent};
use attache_protocol::method::{FIELDS, UpdateRow};
use attache_protocol::v1::{
    ClientCapabilities, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionConfigBoolean,
    SessionConfigKind, SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption,
    SessionUpdate,
};

impl EventBody {
    /// Converts the event to the v1 update that a client with these capabilities understands.
    ///
    /// If the client does not support switches, they become choices of `true` and `false`; if it
    /// does not support plan ids, each plan becomes the only plan. Returns `None` for everything
    /// else that the client did not advertise, and for kinds that this version does not know.
    pub fn to_update_for(&self, client: &ClientCapabilities) -> Option<SessionUpdate> {
        match self {
            Self::Unknown { .. } => return None,
            // An unknown size cannot be expressed (USE-03).
            Self::Usage { size: None, .. } => return None,
            Self::ConfigOptions(options) => {
                return Self::ConfigOptions(options_for(options, client)).to_update();
            }
            _ => {}
        }
        let update = self.to_update()?;
        if UpdateRow::of(&update)?.gate.opened_by_client(client) {
            return Some(update);
        }
        match self {
            Self::Plan { content, .. } => Some(Plan::new(steps(content)).into()),
            Self::PlanRemoved(_) => Some(Plan::new(Vec::new()).into()),
            _ => None,
        }
    }
}

/// Returns the options in the form that a client with these capabilities understands. Without the
/// capability, a switch becomes a choice of `true` and `false`. A current value that is not among
/// the values is appended to them, because a client must get every option, each with a valid value.
pub fn options_for(
    options: &[SessionConfigOption],
    client: &ClientCapabilities,
) -> Vec<SessionConfigOption> {
    let mut options = options.to_vec();
    options.iter_mut().for_each(list_current);
    if !takes_booleans(client) {
        for option in &mut options {
            if let SessionConfigKind::Boolean(SessionConfigBoolean { current_value }) = option.kind
            {
                let values = [("true", "On"), ("false", "Off")];
                let values: Vec<_> =
                    values.map(|(value, name)| SessionConfigSelectOption::new(value, name)).into();
                let current = current_value.to_string();
                option.kind = SessionConfigKind::Select(SessionConfigSelect::new(current, values));
            }
        }
    }
    options
}

/// Returns whether the client supports options of the type `boolean` (CONF-08).
pub(crate) fn takes_booleans(client: &ClientCapabilities) -> bool {
    FIELDS
        .iter()
        .find(|field| field.rule == "CONF-08")
        .is_some_and(|field| field.gate.opened_by_client(client))
}

/// Returns a plan as steps. A text or a file becomes one step.
pub(crate) fn steps(content: &PlanContent) -> Vec<PlanEntry> {
    match content {
        PlanContent::Items(entries) => entries.clone(),
        PlanContent::File(text) | PlanContent::Markdown(text) => {
            vec![PlanEntry::new(
                text.as_str(),
                PlanEntryPriority::Medium,
                PlanEntryStatus::InProgress,
            )]
        }
    }
}
