//! Tool calls in the JSON form of events. The members have the names of the protocol.

use super::content::ToolCallContent;
use super::{ToolCall, ToolCallPatch};
use crate::event::json::object::{EventError, Object, write_option, write_patch};
use attache_protocol::{ObjectWriter, Patch, Raw, Wire, Writer, decode, encode, v1, v2};

/// Returns an object as text.
pub(crate) fn encoded(members: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = Vec::new();
    Writer::new(&mut out).object(members);
    // Writers append only whole UTF-8 strings.
    String::from_utf8(out).unwrap_or_default()
}

pub(crate) fn write_call(call: &ToolCall, object: &mut ObjectWriter<'_>) {
    object.member("toolCallId", &call.tool_call_id);
    if call.upserted {
        object.member("upserts", &true);
    }
    object.member("title", &call.title);
    write_option(object, "name", call.name.as_ref());
    object.member("kind", &call.kind);
    object.member("status", &call.status);
    if !call.content.is_empty() {
        write_content(call.content.iter(), object.key("content"));
    }
    if !call.locations.is_empty() {
        object.member("locations", &call.locations);
    }
    write_option(object, "rawInput", call.raw_input.as_ref());
    write_option(object, "rawOutput", call.raw_output.as_ref());
    write_option(object, "capabilities", call.capabilities.as_ref());
    write_option(object, "_meta", call.meta.as_ref());
}

pub(crate) fn write_call_patch(patch: &ToolCallPatch, object: &mut ObjectWriter<'_>) {
    object.member("toolCallId", &patch.tool_call_id);
    if patch.upserts {
        object.member("upserts", &true);
    }
    write_member(object, "title", &patch.title);
    write_member(object, "name", &patch.name);
    write_member(object, "kind", &patch.kind);
    write_member(object, "status", &patch.status);
    write_patch(object, "content", &patch.content, |content, to| write_content(content, to));
    write_member(object, "locations", &patch.locations);
    write_member(object, "rawInput", &patch.raw_input);
    write_member(object, "rawOutput", &patch.raw_output);
    write_member(object, "capabilities", &patch.capabilities);
    write_member(object, "_meta", &patch.meta);
}

fn write_member<T: Wire>(object: &mut ObjectWriter<'_>, key: &str, patch: &Patch<T>) {
    write_patch(object, key, patch, |value, mut to| value.write(&mut to));
}

/// Writes each part as the version of the protocol that has it.
fn write_content<'c>(content: impl IntoIterator<Item = &'c ToolCallContent>, mut to: Writer<'_>) {
    let texts: Vec<_> = content.into_iter().map(encode_part).collect();
    to.raw(&format!("[{}]", texts.join(",")));
}

pub(crate) fn encode_part(part: &ToolCallContent) -> String {
    match part {
        ToolCallContent::Changes(diff) => encode(&v2::ToolCallContent::Diff(diff.clone())),
        part => encode(&part.to_v1()),
    }
}

pub(crate) fn read_call(object: &Object<'_>) -> Result<ToolCall, EventError> {
    let content = object.patch_with("content", read_content)?;
    Ok(ToolCall {
        tool_call_id: object.must("toolCallId")?,
        title: object.must("title")?,
        name: object.may("name")?,
        kind: object.may("kind")?.unwrap_or_default(),
        status: object.may("status")?.unwrap_or_default(),
        content: content.set().cloned().unwrap_or_default().into(),
        locations: object.may("locations")?.unwrap_or_default(),
        raw_input: object.may("rawInput")?,
        raw_output: object.may("rawOutput")?,
        capabilities: object.may("capabilities")?,
        meta: object.may("_meta")?,
        upserted: object.may("upserts")?.unwrap_or_default(),
    })
}

pub(crate) fn read_call_patch(object: &Object<'_>) -> Result<ToolCallPatch, EventError> {
    Ok(ToolCallPatch {
        tool_call_id: object.must("toolCallId")?,
        upserts: object.may("upserts")?.unwrap_or_default(),
        title: object.patch("title")?,
        name: object.patch("name")?,
        kind: object.patch("kind")?,
        status: object.patch("status")?,
        content: object.patch_with("content", read_content)?,
        locations: object.patch("locations")?,
        raw_input: object.patch("rawInput")?,
        raw_output: object.patch("rawOutput")?,
        capabilities: object.patch("capabilities")?,
        meta: object.patch("_meta")?,
    })
}

fn read_content(raw: &Raw) -> Result<Vec<ToolCallContent>, EventError> {
    let parts: Vec<Raw> = decode(raw.get()).map_err(EventError::Malformed)?;
    parts.iter().map(read_part).collect()
}

/// Reads one part. A part that version 1 cannot read is a diff of version 2, which has other
/// members than a diff of version 1.
pub(crate) fn read_part(raw: &Raw) -> Result<ToolCallContent, EventError> {
    match decode::<v1::ToolCallContent>(raw.get()) {
        Ok(part) => Ok(part.into()),
        Err(error) => decode::<v2::ToolCallContent>(raw.get())
            .map(Into::into)
            .map_err(|_| EventError::Malformed(error)),
    }
}
