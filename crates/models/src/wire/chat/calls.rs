//! Tool calls of Chat Completions, assembled from their pieces.

use crate::wire::draft::{CallIndex, Draft, is_json};
use serde_json::Value;

/// The tool calls of one answer.
///
/// According to OpenAI, each call has an index, and its first piece has the id and the name. Some
/// servers omit the index, repeat the id, use index 0 for all calls, omit ids, or send a whole call
/// in one piece. This type accepts all of these forms.
#[derive(Debug, Default)]
pub(crate) struct ChatCalls(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    id: String,
    call: CallIndex,
}

impl ChatCalls {
    /// Takes a piece of a call.
    pub(crate) fn take(&mut self, piece: &Value, draft: &mut Draft) {
        let text =
            |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let function = piece.get("function").unwrap_or(piece);
        let (id, name) = (text(piece.get("id")), text(function.get("name")));
        let index = piece.get("index").and_then(Value::as_u64);
        let call = match self.known(index, &id, &name, draft) {
            Some(call) => call,
            // The piece belongs to no call, so it is ignored.
            None if name.is_empty() && id.is_empty() => return,
            None => {
                let call = draft.call(&id, &name);
                self.0.push(Slot { index, id, call });
                call
            }
        };
        match function.get("arguments") {
            Some(Value::String(arguments)) => draft.arguments(call, arguments),
            Some(Value::Null) | None => {}
            Some(whole) => draft.all_arguments(call, whole.to_string()),
        }
        if let Some(extra) = piece.get("extra_content").filter(|extra| !extra.is_null()) {
            draft.seal_call(call, extra.clone());
        }
    }

    /// Returns the call that the piece belongs to, or `None` if it begins a new one.
    fn known(&self, index: Option<u64>, id: &str, name: &str, draft: &Draft) -> Option<CallIndex> {
        let slot = match (index, id) {
            (Some(_), _) => self.0.iter().rev().find(|slot| slot.index == index)?,
            (None, "") => self.0.last()?,
            (None, id) => {
                return self.0.iter().rev().find(|slot| slot.id == id).map(|slot| slot.call);
            }
        };
        let another = !id.is_empty() && !slot.id.is_empty() && slot.id != id;
        // If the arguments are complete, a piece with a name begins the next call, even if it
        // repeats the index.
        let whole = || is_json(draft.arguments_of(slot.call));
        let next = id.is_empty() && !name.is_empty() && whole();
        (!another && !next).then_some(slot.call)
    }
}
