//! Topics: parts of messages that come in several kinds, the places of these kinds in messages, and
//! the kinds that the protocol defines.

use attache_protocol::method::{
    ElicitationCreate, Initialize, METHODS, Method, SessionPrompt, SessionRequestPermission,
    SessionUpdateNotification, UPDATES, v2,
};
use attache_protocol::v1::{
    ContentBlock, ElicitationAction, ElicitationMode, PermissionOptionKind, PlanEntryStatus,
    RequestPermissionOutcome, SessionConfigKind, SessionConfigOptionCategory, StopReason,
    ToolCallContent, ToolCallStatus, ToolKind,
};
use serde_json::Value;

/// Declares the topics. Each has a key for JSON reports and a heading for people.
macro_rules! topics {
    ($($(#[$doc:meta])* $topic:ident $key:literal $title:literal;)*) => {
        /// A part of messages that comes in several kinds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Topic {
            $($(#[$doc])* $topic,)*
        }

        impl Topic {
            /// Every topic, in display order.
            pub const ALL: &'static [Self] = &[$(Self::$topic),*];

            /// Returns the heading in reports for people.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$topic => $title,)*
                }
            }

            /// Returns the key in JSON reports.
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$topic => $key,)*
                }
            }
        }
    };
}

topics! {
    /// The kinds of `session/update`, such as `plan`.
    Update "updates" "Updates";
    /// The content blocks of prompts.
    Prompt "promptContent" "Content of prompts";
    /// The content blocks of messages and thoughts.
    Content "messageContent" "Content of messages";
    /// The kinds of tool calls.
    ToolKind "toolKinds" "Kinds of tool calls";
    /// The statuses of tool calls.
    ToolStatus "toolStatuses" "Statuses of tool calls";
    /// The content of tool calls.
    ToolContent "toolContent" "Content of tool calls";
    /// The kinds of permission options.
    PermissionOption "permissionOptions" "Permission options";
    /// The outcomes of permission requests.
    PermissionOutcome "permissionOutcomes" "Answers to permission requests";
    /// The stop reasons of turns.
    StopReason "stopReasons" "Stop reasons";
    /// The statuses of plan entries.
    PlanStatus "planStatuses" "Statuses of plan entries";
    /// Types of config options.
    OptionType "optionTypes" "Types of config options";
    /// Categories of config options.
    OptionCategory "optionCategories" "Categories of config options";
    /// The modes of elicitations.
    ElicitationMode "elicitationModes" "Kinds of questions";
    /// The answers to elicitations.
    ElicitationAction "elicitationActions" "Answers to questions";
    /// The types of login methods.
    AuthMethod "authMethods" "Ways to log in";
    /// Keys of `_meta`.
    Meta "meta" "Keys of metadata";
}

impl Topic {
    /// Returns the stable and unstable kinds of version 1, or none if every name is allowed.
    pub fn known(self) -> Vec<&'static str> {
        macro_rules! words {
            ($set:ident) => {
                $set::KNOWN.iter().map(|known| known.as_str()).collect()
            };
        }
        match self {
            Self::Update => UPDATES.iter().map(|row| row.name).collect(),
            Self::Prompt | Self::Content => ContentBlock::TAGS.to_vec(),
            Self::ToolKind => words!(ToolKind),
            Self::ToolStatus => words!(ToolCallStatus),
            Self::ToolContent => ToolCallContent::TAGS.to_vec(),
            Self::PermissionOption => words!(PermissionOptionKind),
            Self::PermissionOutcome => RequestPermissionOutcome::TAGS.to_vec(),
            Self::StopReason => words!(StopReason),
            Self::PlanStatus => words!(PlanEntryStatus),
            Self::OptionType => SessionConfigKind::TAGS.to_vec(),
            Self::OptionCategory => words!(SessionConfigOptionCategory),
            Self::ElicitationMode => ElicitationMode::TAGS.to_vec(),
            Self::ElicitationAction => ElicitationAction::TAGS.to_vec(),
            Self::AuthMethod => vec!["agent", "terminal"],
            Self::Meta => Vec::new(),
        }
    }
}

/// Whether the protocol defines a method of this name.
pub(super) fn is_known(method: &str) -> bool {
    METHODS.iter().chain(v2::METHODS).any(|row| row.name == method)
}

/// Reports every kind in the params or the result of this method.
pub(super) fn in_payload(method: &str, payload: &Value, record: &mut impl FnMut(Topic, &str)) {
    meta(payload, record);
    options(payload, record);
    if method == SessionUpdateNotification::ROW.name {
        update(payload.get("update").unwrap_or(&Value::Null), record);
    } else if method == SessionPrompt::ROW.name {
        each(payload, "prompt", "type", Topic::Prompt, record);
        name(payload, "stopReason", Topic::StopReason, record);
    } else if method == SessionRequestPermission::ROW.name {
        each(payload, "options", "kind", Topic::PermissionOption, record);
        tool_call(payload.get("toolCall").unwrap_or(&Value::Null), record);
        tool_call(payload.pointer("/subject/toolCall").unwrap_or(&Value::Null), record);
        name(
            payload.get("outcome").unwrap_or(&Value::Null),
            "outcome",
            Topic::PermissionOutcome,
            record,
        );
    } else if method == ElicitationCreate::ROW.name {
        name(payload, "mode", Topic::ElicitationMode, record);
        name(payload, "action", Topic::ElicitationAction, record);
    } else if method == Initialize::ROW.name {
        for entry in list(payload, "authMethods") {
            // A login method without a type has the type `agent` (AUTH-15).
            record(Topic::AuthMethod, entry.get("type").and_then(Value::as_str).unwrap_or("agent"));
        }
    }
}

fn update(update: &Value, record: &mut impl FnMut(Topic, &str)) {
    const KIND: &str = "sessionUpdate";
    name(update, KIND, Topic::Update, record);
    name(update, "stopReason", Topic::StopReason, record);
    meta(update, record);
    options(update, record);
    let kind = update.get(KIND).and_then(Value::as_str).unwrap_or_default();
    if kind.starts_with("tool_call") {
        tool_call(update, record);
    } else if let Some(content) = update.get("content") {
        name(content, "type", Topic::Content, record);
    }
    for plan in [Some(update), update.get("plan")].into_iter().flatten() {
        each(plan, "entries", "status", Topic::PlanStatus, record);
    }
}

fn tool_call(call: &Value, record: &mut impl FnMut(Topic, &str)) {
    name(call, "kind", Topic::ToolKind, record);
    name(call, "status", Topic::ToolStatus, record);
    each(call, "content", "type", Topic::ToolContent, record);
}

fn options(payload: &Value, record: &mut impl FnMut(Topic, &str)) {
    each(payload, "configOptions", "type", Topic::OptionType, record);
    each(payload, "configOptions", "category", Topic::OptionCategory, record);
}

fn meta(payload: &Value, record: &mut impl FnMut(Topic, &str)) {
    for key in
        payload.get("_meta").and_then(Value::as_object).into_iter().flat_map(|meta| meta.keys())
    {
        record(Topic::Meta, key);
    }
}

/// Reports the name under `member` in each element of a list.
fn each(
    payload: &Value,
    key: &str,
    member: &str,
    topic: Topic,
    record: &mut impl FnMut(Topic, &str),
) {
    for element in list(payload, key) {
        name(element, member, topic, record);
    }
}

fn list<'p>(payload: &'p Value, key: &str) -> &'p [Value] {
    payload.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn name(value: &Value, key: &str, topic: Topic, record: &mut impl FnMut(Topic, &str)) {
    if let Some(name) = value.get(key).and_then(Value::as_str) {
        record(topic, name);
    }
}
