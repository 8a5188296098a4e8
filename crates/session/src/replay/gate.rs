//! What may be sent to a client, by what it advertised (INIT-16).

use crate::config::list_current;
use crate::{EventBody, PlanContent};
use attache_protocol::method::{FIELDS, UpdateRow};
use attache_protocol::v1::{
    ClientCapabilities, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionConfigBoolean,
    SessionConfigKind, SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption,
    SessionUpdate,
};

impl EventBody {
    /// The v1 update that says this to a client with these capabilities, as far as it can be said.
    ///
    /// Switches become choices of `true` and `false` (CONF-08), plans with ids become the plan
    /// (PLANU-01). What else the client did not advertise, and what this version does not know, is
    /// `None`.
    pub fn to_update_for(&self, client: &ClientCapabilities) -> Option<SessionUpdate> {
        match self {
            Self::Unknown { .. } => return None,
            // A size that is not known cannot be said (USE-03).
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

/// The options as a client with these capabilities takes them: without the capability, a switch is
/// a choice of `true` and `false` (CONF-08). A current value that is none of the values is added to
/// them as the last, since no option may go out with such a value (CONF-06) and none may be left
/// out (CONF-02).
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

/// Whether the client takes options of the type `boolean` (CONF-08).
pub(crate) fn takes_booleans(client: &ClientCapabilities) -> bool {
    FIELDS
        .iter()
        .find(|field| field.rule == "CONF-08")
        .is_some_and(|field| field.gate.opened_by_client(client))
}

/// A plan as steps; one that is a text or a file is one step that says so.
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
