//! Config options: the choices that a user has in a session.

use super::{
    SessionConfigBoolean, SessionConfigGroupId, SessionConfigId, SessionConfigOptionCategory,
    SessionConfigSelectOption, SessionConfigValueId, SessionId,
};
use crate::mark::{Mark, lenient, must, must_items};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Fault, FaultKind, Members, ObjectWriter, Reader, UnknownValues, Wire, Writer};

wire_struct! {
    /// One choice, with its current value.
    pub struct SessionConfigOption {
        /// The value for `session/set_config_option`.
        must id: SessionConfigId = "id",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
        /// The category of the option. It is only for layout, and may be missing or unknown.
        lenient category: Option<SessionConfigOptionCategory> = "category",
        /// Its type, its current value and the values to choose from.
        flat kind: SessionConfigKind = "type",
    }
}

impl SessionConfigOption {
    /// Returns an option that is a choice of one among several values. `current` must be one of
    /// them.
    pub fn select(
        id: impl Into<SessionConfigId>,
        name: impl Into<String>,
        current: impl Into<SessionConfigValueId>,
        options: impl Into<SessionConfigSelectOptions>,
    ) -> Self {
        Self::new(id, name, SessionConfigSelect::new(current, options))
    }

    /// A switch; only for clients that support it.
    pub fn boolean(id: impl Into<SessionConfigId>, name: impl Into<String>, current: bool) -> Self {
        Self::new(id, name, SessionConfigBoolean::new(current))
    }

    /// The category of the option.
    pub fn category(&self) -> Option<&SessionConfigOptionCategory> {
        self.category.as_ref()
    }

    /// The current value; `None` if the option's type is unknown. Clients ignore such options.
    pub fn current_value(&self) -> Option<SessionConfigOptionValue> {
        match &self.kind {
            SessionConfigKind::Select(select) => {
                Some(SessionConfigOptionValue::ValueId(select.current_value.clone()))
            }
            SessionConfigKind::Boolean(boolean) => {
                Some(SessionConfigOptionValue::Boolean(boolean.current_value))
            }
            SessionConfigKind::Unknown(_) => None,
        }
    }

    /// The values of a select in display order, across its groups. Empty for other types.
    pub fn values(&self) -> impl Iterator<Item = &SessionConfigSelectOption> {
        let options = match &self.kind {
            SessionConfigKind::Select(select) => Some(&select.options),
            SessionConfigKind::Boolean(_) | SessionConfigKind::Unknown(_) => None,
        };
        options.into_iter().flat_map(SessionConfigSelectOptions::values)
    }

    /// Whether `value` may be set: it must have the option's type and, for a select, be one of its
    /// values.
    pub fn accepts(&self, value: &SessionConfigOptionValue) -> bool {
        match (&self.kind, value) {
            (SessionConfigKind::Select(_), SessionConfigOptionValue::ValueId(id)) => {
                self.values().any(|option| option.value == *id)
            }
            (SessionConfigKind::Boolean(_), SessionConfigOptionValue::Boolean(_)) => true,
            _ => false,
        }
    }
}

wire_union! {
    /// The type of a config option. Options of other types are skipped, or ignored by receivers
    /// that keep them.
    pub enum SessionConfigKind by "type" closed {
        /// One of several values.
        Select(SessionConfigSelect) = "select",
        /// On or off; only for clients that support it.
        Boolean(SessionConfigBoolean) = "boolean",
    }
}

wire_struct! {
    /// A choice of one among several values.
    pub plain struct SessionConfigSelect {
        /// The current value, one of `options`.
        must current_value: SessionConfigValueId = "currentValue",
        /// The values to choose from.
        must options: SessionConfigSelectOptions = "options",
    }
}

/// The values of a select, in display order. Either all values are in groups, or none of them are.
/// An empty list counts as ungrouped.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionConfigSelectOptions {
    /// A flat list. A malformed value makes the whole option undecodable.
    Ungrouped(Vec<SessionConfigSelectOption>),
    /// Groups, in which malformed values are skipped.
    Grouped(Vec<SessionConfigSelectGroup>),
}

impl SessionConfigSelectOptions {
    /// All values, across groups.
    pub fn values(&self) -> impl Iterator<Item = &SessionConfigSelectOption> {
        let (flat, groups): (&[_], &[SessionConfigSelectGroup]) = match self {
            Self::Ungrouped(options) => (options, &[]),
            Self::Grouped(groups) => (&[], groups),
        };
        flat.iter().chain(groups.iter().flat_map(|group| &group.options))
    }
}

impl From<Vec<SessionConfigSelectOption>> for SessionConfigSelectOptions {
    fn from(options: Vec<SessionConfigSelectOption>) -> Self {
        Self::Ungrouped(options)
    }
}

impl From<Vec<SessionConfigSelectGroup>> for SessionConfigSelectOptions {
    fn from(groups: Vec<SessionConfigSelectGroup>) -> Self {
        Self::Grouped(groups)
    }
}

impl Wire for SessionConfigSelectOptions {
    /// An item that has the keys of a value is a value, whatever else it contains, so the list is
    /// first decoded as a flat list. If the list is neither flat nor grouped, the fault is that of
    /// the attempt that got further.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mark = reader.checkpoint();
        let flat = match Vec::read(reader) {
            Ok(options) => return Ok(Self::Ungrouped(options)),
            Err(fault) => fault,
        };
        reader.rewind(mark);
        let mut groups = Vec::new();
        let walked = reader.array(|reader| {
            groups.push(read_group(reader)?);
            Ok(())
        });
        match walked {
            Ok(()) => Ok(Self::Grouped(groups)),
            Err(fault) if fault.at < flat.at || fault.kind == FaultKind::Missing("group") => {
                Err(flat)
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

/// Reads a group. In the 2025 draft, groups had no name. A group's id then serves as its name,
/// unless unknown values are refused.
fn read_group(reader: &mut Reader<'_>) -> Result<SessionConfigSelectGroup, Fault> {
    let mark = reader.checkpoint();
    let fault = match SessionConfigSelectGroup::read(reader) {
        Err(fault)
            if fault.kind == FaultKind::Missing("name")
                && reader.unknown() == UnknownValues::Keep =>
        {
            fault
        }
        read => return read,
    };
    reader.rewind(mark);
    reader.note(fault);
    let (mut group, mut options, mut meta) = (None, None, None);
    reader.object(|key, reader| match key {
        "group" => must::member(&mut group, reader),
        "options" => must_items::member(&mut options, reader),
        "_meta" => lenient::member(&mut meta, reader),
        key => reader.unknown_member(fault.at, key),
    })?;
    let group: SessionConfigGroupId =
        group.ok_or(Fault { at: fault.at, kind: FaultKind::Missing("group") })?;
    let options = options.ok_or(Fault { at: fault.at, kind: FaultKind::Missing("options") })?;
    Ok(SessionConfigSelectGroup { name: group.to_string(), group, options, meta: meta.flatten() })
}

wire_struct! {
    /// Values of a select that belong together.
    pub struct SessionConfigSelectGroup {
        /// The id of the group.
        must group: SessionConfigGroupId = "group",
        /// A human-readable name. In the 2025 draft, groups had no name. The group's id is then
        /// used, unless unknown values are refused.
        must name: String = "name",
        /// The group's values.
        must_items options: Vec<SessionConfigSelectOption> = "options",
    }
}

wire_struct! {
    /// Params of `session/set_config_option`; works in a turn and between turns.
    pub struct SetSessionConfigOptionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// One of its options.
        must config_id: SessionConfigId = "configId",
        /// The value to choose.
        flat value: SessionConfigOptionValue = "type",
    }
}

/// A value of a config option in a request that sets it. On the wire a string is under `value`
/// without a `type`, and a boolean is under `value` with `"type":"boolean"`. A string is a value
/// id, whatever `type` contains. Any other JSON is an error, and so is a boolean without its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionConfigOptionValue {
    /// One of a select's values.
    ValueId(SessionConfigValueId),
    /// The state of a switch.
    Boolean(bool),
}

impl From<SessionConfigValueId> for SessionConfigOptionValue {
    fn from(id: SessionConfigValueId) -> Self {
        Self::ValueId(id)
    }
}

impl From<&str> for SessionConfigOptionValue {
    fn from(id: &str) -> Self {
        Self::ValueId(id.into())
    }
}

impl From<bool> for SessionConfigOptionValue {
    fn from(on: bool) -> Self {
        Self::Boolean(on)
    }
}

impl Wire for SessionConfigOptionValue {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let start = reader.place();
        let typed = reader.tag("type")?.as_deref() == Some("boolean");
        let (mut value, mut kind) = (None, None);
        reader.object(|key, reader| {
            match key {
                "value" if typed && reader.peek() == crate::ValueKind::Bool => {
                    value = Some(Self::Boolean(bool::read(reader)?));
                }
                "value" => value = Some(Self::ValueId(SessionConfigValueId::read(reader)?)),
                "type" => {
                    kind = Some(reader.place());
                    reader.skip()?;
                }
                key => reader.unknown_member(start, key)?,
            }
            Ok(())
        })?;
        if let (Some(Self::ValueId(_)), Some(at)) = (&value, kind) {
            reader.note(Fault { at, kind: FaultKind::NoField });
        }
        value.ok_or(Fault { at: start, kind: FaultKind::Missing("value") })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| self.write_members(object, &[]));
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        let form = |shape| crate::Shape::Object {
            name: "",
            members: vec![crate::MemberShape { key: "value", mark: "must", required: true, shape }],
        };
        crate::Shape::Union {
            name: "SessionConfigOptionValue",
            tag: "type",
            variants: vec![
                ("boolean", form(bool::shape())),
                ("", form(SessionConfigValueId::shape())),
            ],
            open: false,
        }
    }
}

impl Members for SessionConfigOptionValue {
    fn write_members(&self, object: &mut ObjectWriter<'_>, _except: &[&str]) {
        match self {
            Self::ValueId(id) => object.member("value", id),
            Self::Boolean(on) => {
                object.key("type").string("boolean");
                object.member("value", on);
            }
        }
    }
}

wire_struct! {
    /// Result of `session/set_config_option`.
    pub struct SetSessionConfigOptionResponse {
        /// All options of the session with their current values.
        must_items config_options: Vec<SessionConfigOption> = "configOptions",
    }
}
