//! Serde support for types from the protocol and session crates that do not implement serde's
//! traits.

use crate::session::prompt::Prompt;
use attache_protocol::v1::{PlanEntry, SessionId};
use attache_protocol::{Wire, decode, encode};
use attache_session::{MessageAuthor, PlanContent, Timestamp, ToolCall, ToolCallPatch};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;

/// Serializes a value of the protocol as the JSON that is sent on the wire.
pub(crate) fn serialize<T: Wire, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    serialize_json(&encode(value), to)
}

/// Serializes JSON.
fn serialize_json<S: Serializer>(json: &str, to: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(S::Error::custom)?;
    value.serialize(to)
}

/// Deserializes a value of the protocol.
pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    decode(&value.to_string()).map_err(D::Error::custom)
}

/// Serde support for an optional value of the protocol.
pub(crate) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Wire};

    #[derive(Serialize, Deserialize)]
    #[serde(bound = "T: Wire")]
    struct Wired<T: Wire>(#[serde(with = "super")] T);

    #[derive(Serialize)]
    #[serde(bound = "T: Wire")]
    struct WiredRef<'a, T: Wire>(#[serde(serialize_with = "by_ref")] &'a T);

    fn by_ref<T: Wire, S: Serializer>(value: &&T, to: S) -> Result<S::Ok, S::Error> {
        super::serialize(*value, to)
    }

    pub(crate) fn serialize<T: Wire, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(WiredRef).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        Ok(Option::<Wired<T>>::deserialize(from)?.map(|wired| wired.0))
    }
}

/// Serde support for a value of the protocol in a `Box` or an `Arc`.
pub(crate) mod pointer {
    use super::{Deref, Deserializer, Serializer, Wire};

    pub(crate) fn serialize<P, S: Serializer>(value: &P, to: S) -> Result<S::Ok, S::Error>
    where
        P: Deref<Target: Wire>,
    {
        super::serialize(&**value, to)
    }

    pub(crate) fn deserialize<'de, P, D: Deserializer<'de>>(from: D) -> Result<P, D::Error>
    where
        P: Deref<Target: Wire> + From<P::Target>,
    {
        super::deserialize(from).map(P::from)
    }
}

/// Serde support for a tool call, which becomes an object with the members of its wire types.
pub(crate) mod tool_call {
    use super::{Deserialize, Deserializer, Serializer, ToolCall};
    use serde::de::Error as _;

    pub(crate) fn serialize<S: Serializer>(call: &ToolCall, to: S) -> Result<S::Ok, S::Error> {
        super::serialize_json(&call.encode(), to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Box<ToolCall>, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        ToolCall::decode(&value.to_string()).map(Box::new).map_err(D::Error::custom)
    }
}

/// Serde support for a patch of a tool call.
pub(crate) mod tool_call_patch {
    use super::{Deserialize, Deserializer, Serializer, ToolCallPatch};
    use serde::de::Error as _;

    pub(crate) fn serialize<S: Serializer>(
        patch: &ToolCallPatch,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        super::serialize_json(&patch.encode(), to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<ToolCallPatch, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        ToolCallPatch::decode(&value.to_string()).map_err(D::Error::custom)
    }
}

/// Serde support for the author of a message, which becomes `user`, `agent` or `thought`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "MessageAuthor", rename_all = "snake_case")]
pub(crate) enum Author {
    User,
    Agent,
    Thought,
}

/// Serde support for a time, which becomes the number of milliseconds since 1970.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Timestamp")]
pub(crate) struct Milliseconds(pub(crate) i64);

/// Serde support for a shared text.
pub(crate) mod shared_text {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        text.as_ref().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}

/// Serde support for a session's id, which becomes a string.
pub(crate) mod session_id {
    use super::{Deserialize, Deserializer, Serialize, Serializer, SessionId};

    pub(crate) fn serialize<S: Serializer>(id: &SessionId, to: S) -> Result<S::Ok, S::Error> {
        id.as_str().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SessionId, D::Error> {
        String::deserialize(from).map(SessionId::from)
    }
}

/// Serde support for a prompt, which becomes the list of its content blocks.
pub(crate) mod prompt {
    use super::{Deserializer, Prompt, Serializer};

    pub(crate) fn serialize<S: Serializer>(prompt: &Prompt, to: S) -> Result<S::Ok, S::Error> {
        super::serialize(&prompt.0, to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Prompt, D::Error> {
        super::deserialize(from).map(Prompt)
    }
}

/// Serde support for the content of a plan. A plan that the agent dropped becomes `null`.
pub(crate) mod plan {
    use super::{Deserialize, Deserializer, PlanContent, PlanEntry, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Plan {
        Items(#[serde(with = "super")] Vec<PlanEntry>),
        File(String),
        Markdown(String),
    }

    pub(crate) fn serialize<S: Serializer>(
        plan: &Option<PlanContent>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let plan = plan.clone().map(|plan| match plan {
            PlanContent::Items(items) => Plan::Items(items),
            PlanContent::File(uri) => Plan::File(uri),
            PlanContent::Markdown(text) => Plan::Markdown(text),
        });
        plan.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<PlanContent>, D::Error> {
        let plan = Option::<Plan>::deserialize(from)?;
        Ok(plan.map(|plan| match plan {
            Plan::Items(items) => PlanContent::Items(items),
            Plan::File(uri) => PlanContent::File(uri),
            Plan::Markdown(text) => PlanContent::Markdown(text),
        }))
    }
}
