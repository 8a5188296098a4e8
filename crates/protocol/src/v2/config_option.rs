//! Config options: the choices that a user has in a session.

use super::{
    SessionConfigBoolean, SessionConfigGroupId, SessionConfigId, SessionConfigOptionCategory,
    SessionConfigSelectOption, SessionConfigValueId, SessionId,
};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Fault, FaultKind, Reader, Wire, Writer};

wire_struct! {
    /// One choice, with its current value.
    pub struct SessionConfigOption {
        /// The option.
        must config_id: SessionConfigId = "configId",
        /// A name to show.
        must name: String = "name",
        /// More text to show.
        lenient description: Option<String> = "description",
        /// What it is about, so that clients can place it.
        lenient category: Option<SessionConfigOptionCategory> = "category",
        /// The type, with its values and the current one.
        flat kind: SessionConfigKind = "type",
    }
}

wire_union! {
    /// The type of a config option.
    pub enum SessionConfigKind by "type" open {
        /// One of several values.
        Select(SessionConfigSelect) = "select",
        /// On or off.
        Boolean(SessionConfigBoolean) = "boolean",
    }
}

wire_struct! {
    /// One of several values.
    pub plain struct SessionConfigSelect {
        /// The current value.
        must current_value: SessionConfigValueId = "currentValue",
        /// The values, in groups or not.
        must options: SessionConfigSelectOptions = "options",
    }
}

/// The values of a select, in groups or not.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionConfigSelectOptions {
    /// Without groups.
    Ungrouped(Vec<SessionConfigSelectOption>),
    /// In groups.
    Grouped(Vec<SessionConfigSelectGroup>),
}

impl Wire for SessionConfigSelectOptions {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mark = reader.checkpoint();
        let ungrouped = match Vec::read(reader) {
            Ok(options) => return Ok(Self::Ungrouped(options)),
            Err(fault) => fault,
        };
        reader.rewind(mark);
        match Vec::read(reader) {
            Ok(groups) => Ok(Self::Grouped(groups)),
            // The value is not a list of groups either, so the first fault explains more.
            Err(fault)
                if fault.at < ungrouped.at || fault.kind == FaultKind::Missing("groupId") =>
            {
                Err(ungrouped)
            }
            Err(fault) => Err(fault),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Ungrouped(options) => writer.array(options),
            Self::Grouped(groups) => writer.array(groups),
        }
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::OneOf {
            name: "SessionConfigSelectOptions",
            shapes: vec![
                Vec::<SessionConfigSelectOption>::shape(),
                Vec::<SessionConfigSelectGroup>::shape(),
            ],
        }
    }
}

wire_struct! {
    /// A group of values.
    pub struct SessionConfigSelectGroup {
        /// The group.
        must group_id: SessionConfigGroupId = "groupId",
        /// A name to show.
        must name: String = "name",
        /// Its values. Malformed ones are skipped.
        must_items options: Vec<SessionConfigSelectOption> = "options",
    }
}

wire_struct! {
    /// All config options with their values. They replace the known ones.
    pub struct ConfigOptionUpdate {
        /// The options. Malformed ones are skipped.
        must_list config_options: Vec<SessionConfigOption> = "configOptions",
    }
}

wire_struct! {
    /// Params of `session/set_config_option`.
    pub struct SetSessionConfigOptionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The option.
        must config_id: SessionConfigId = "configId",
        /// The new value.
        flat value: SessionConfigOptionValue = "type",
    }
}

wire_union! {
    /// A value of a config option.
    pub enum SessionConfigOptionValue by "type" open {
        /// One of the values of a select.
        Id(SessionConfigValue) = "id",
        /// On or off.
        Boolean(SessionConfigSwitch) = "boolean",
    }
}

wire_struct! {
    /// One of the values of a select.
    pub plain struct SessionConfigValue {
        /// The value.
        must value: SessionConfigValueId = "value",
    }
}

wire_struct! {
    /// On or off.
    pub plain struct SessionConfigSwitch {
        /// Whether the option is on.
        must value: bool = "value",
    }
}

wire_struct! {
    /// The options after the change.
    pub struct SetSessionConfigOptionResponse {
        /// All options with their values. Malformed ones are skipped.
        must_list config_options: Vec<SessionConfigOption> = "configOptions",
    }
}
