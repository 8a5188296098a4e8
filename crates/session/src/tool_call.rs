//! Tool calls. A tool call holds what either version of the protocol says about it.

pub(crate) mod json;

use crate::event::json::object::{EventError, Object};
use crate::info::meta::{members, patch_by_key};
use attache_protocol::v1::{
    Content, ContentBlock, Terminal, ToolCallId, ToolCallLocation, ToolKind,
};
use attache_protocol::v2::{ToolCallCapabilities, ToolCallStatus};
use attache_protocol::{Meta, Patch, Raw, UnknownVariant, v1, v2};

/// A tool call with all its patches applied.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id, unique in its session.
    pub tool_call_id: ToolCallId,
    /// A human-readable title. Empty until a version 2 agent sends one.
    pub title: String,
    /// The tool's programmatic name. It is only a label, and has no meaning for permissions.
    pub name: Option<String>,
    /// The kind of tool, as it arrived. [`ToolCall::kind`] returns its meaning.
    pub kind: ToolKind,
    /// The status, as it arrived. [`ToolCall::status`] returns its meaning.
    pub status: ToolCallStatus,
    /// The output so far.
    pub content: Vec<ToolCallContent>,
    /// The files that the call works on.
    pub locations: Vec<ToolCallLocation>,
    /// The tool's input: any JSON value.
    pub raw_input: Option<Raw>,
    /// The tool's output: any JSON value.
    pub raw_output: Option<Raw>,
    /// What the client may do with the call. Only version 2 has capabilities of tool calls.
    pub capabilities: Option<ToolCallCapabilities>,
    /// Extension data.
    pub meta: Option<Meta>,
}

/// A patch of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCallPatch {
    /// The call that changes.
    pub tool_call_id: ToolCallId,
    /// Whether the patch creates a call whose id is unknown, even without a title, and patches
    /// metadata by top-level key. Updates of version 2 do; those of version 1 replace the metadata.
    pub upserts: bool,
    /// The title.
    pub title: Patch<String>,
    /// The programmatic name.
    pub name: Patch<String>,
    /// The kind of tool.
    pub kind: Patch<ToolKind>,
    /// The status. An unknown status changes nothing unless the patch upserts.
    pub status: Patch<ToolCallStatus>,
    /// All content from now on.
    pub content: Patch<Vec<ToolCallContent>>,
    /// All locations from now on.
    pub locations: Patch<Vec<ToolCallLocation>>,
    /// The tool's input from now on.
    pub raw_input: Patch<Raw>,
    /// The tool's output from now on.
    pub raw_output: Patch<Raw>,
    /// What the client may do with the call from now on.
    pub capabilities: Patch<ToolCallCapabilities>,
    /// Extension data.
    pub meta: Patch<Meta>,
}

/// One part of a tool call's output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolCallContent {
    /// A content block.
    Content(Content),
    /// The change of one file, as its whole text before and after. Version 1 sends these.
    Diff(v1::Diff),
    /// Changes of files, and perhaps a patch, without the files' text. Version 2 sends these.
    Changes(v2::Diff),
    /// The output of a terminal.
    Terminal(Terminal),
    /// A kind of content that this version does not know.
    Unknown(UnknownVariant),
}

impl ToolCall {
    /// Returns a pending call of another kind without content.
    pub fn new(tool_call_id: impl Into<ToolCallId>, title: impl Into<String>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            title: title.into(),
            name: None,
            kind: ToolKind::Other,
            status: ToolCallStatus::Pending,
            content: Vec::new(),
            locations: Vec::new(),
            raw_input: None,
            raw_output: None,
            capabilities: None,
            meta: None,
        }
    }

    /// The kind of tool. An unknown kind counts as other.
    pub fn kind(&self) -> &ToolKind {
        self.kind.or_other()
    }

    /// The status. An unknown status counts as pending.
    pub fn status(&self) -> &ToolCallStatus {
        match &self.status {
            ToolCallStatus::Unknown(_) => &ToolCallStatus::Pending,
            known => known,
        }
    }

    /// Whether the call has something that only version 2 has.
    pub(crate) fn is_of_version_2(&self) -> bool {
        self.capabilities.is_some()
            || is_v2_status(&self.status)
            || self.content.iter().any(ToolCallContent::is_of_version_2)
    }

    /// Whether the call completed, failed or was cancelled.
    pub fn is_settled(&self) -> bool {
        use ToolCallStatus::{Cancelled, Completed, Failed};
        matches!(self.status, Completed | Failed | Cancelled)
    }

    /// Returns whether the client may cancel the call: the agent offers it, and the call has not
    /// ended. Only agents of version 2 offer it.
    pub fn can_cancel(&self) -> bool {
        let offered = self.capabilities.as_ref().and_then(|offered| offered.cancel.as_ref());
        offered.is_some() && !self.is_settled()
    }

    /// Returns the call as a JSON object with the members of its wire types.
    pub fn encode(&self) -> String {
        json::encoded(|object| json::write_call(self, object))
    }

    /// Decodes the output of [`ToolCall::encode`].
    ///
    /// # Errors
    /// Fails if the text is not such an object.
    pub fn decode(text: &str) -> Result<Self, EventError> {
        json::read_call(&Object::of(text, "")?)
    }

    /// Applies a patch. The ids are not compared.
    pub fn apply(&mut self, patch: &ToolCallPatch) {
        replace(&mut self.title, &patch.title);
        replace(&mut self.kind, &patch.kind);
        if patch.upserts || !matches!(patch.status, Patch::Set(ToolCallStatus::Unknown(_))) {
            replace(&mut self.status, &patch.status);
        }
        replace(&mut self.content, &patch.content);
        replace(&mut self.locations, &patch.locations);
        patch.name.clone().apply(&mut self.name);
        patch.raw_input.clone().apply(&mut self.raw_input);
        patch.raw_output.clone().apply(&mut self.raw_output);
        patch.capabilities.clone().apply(&mut self.capabilities);
        match patch.upserts {
            true => patch_by_key(&mut self.meta, &patch.meta),
            false => patch.meta.clone().apply(&mut self.meta),
        }
    }
}

impl ToolCallPatch {
    /// Returns a patch of version 1 that changes nothing.
    pub fn new(tool_call_id: impl Into<ToolCallId>) -> Self {
        Self {
            tool_call_id: tool_call_id.into(),
            upserts: false,
            title: Patch::Keep,
            name: Patch::Keep,
            kind: Patch::Keep,
            status: Patch::Keep,
            content: Patch::Keep,
            locations: Patch::Keep,
            raw_input: Patch::Keep,
            raw_output: Patch::Keep,
            capabilities: Patch::Keep,
            meta: Patch::Keep,
        }
    }

    /// Returns a patch of version 1 that sets the status.
    pub fn with_status(tool_call_id: impl Into<ToolCallId>, status: ToolCallStatus) -> Self {
        Self { status: Patch::Set(status), ..Self::new(tool_call_id) }
    }

    /// Returns the patch as a JSON object with the members of its wire types. `null` clears a
    /// field, and `upserts` says that the patch upserts.
    pub fn encode(&self) -> String {
        json::encoded(|object| json::write_call_patch(self, object))
    }

    /// Decodes the output of [`ToolCallPatch::encode`].
    ///
    /// # Errors
    /// Fails if the text is not such an object.
    pub fn decode(text: &str) -> Result<Self, EventError> {
        json::read_call_patch(&Object::of(text, "")?)
    }

    /// Whether the patch does something that only version 2 does.
    pub(crate) fn is_of_version_2(&self) -> bool {
        let clears = [
            self.title == Patch::Clear,
            self.name == Patch::Clear,
            self.kind == Patch::Clear,
            self.status == Patch::Clear,
            self.content == Patch::Clear,
            self.locations == Patch::Clear,
            self.raw_input == Patch::Clear,
            self.raw_output == Patch::Clear,
            self.meta == Patch::Clear,
        ];
        self.upserts
            || clears.contains(&true)
            || !self.capabilities.is_keep()
            || self.status.set().is_some_and(is_v2_status)
            || self.content().iter().any(ToolCallContent::is_of_version_2)
    }

    /// The new kind. An unknown one counts as other.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.kind.set().map(ToolKind::or_other)
    }

    /// The new content, or no parts.
    pub fn content(&self) -> &[ToolCallContent] {
        self.content.set().map_or(&[], Vec::as_slice)
    }

    /// The new locations, or none.
    pub fn locations(&self) -> &[ToolCallLocation] {
        self.locations.set().map_or(&[], Vec::as_slice)
    }

    /// Returns the call that this patch creates if its id is unknown, or `None` if it creates none.
    pub fn to_tool_call(&self) -> Option<ToolCall> {
        if !self.upserts && self.title.set().is_none() {
            return None;
        }
        let mut call = ToolCall::new(self.tool_call_id.clone(), "");
        call.apply(self);
        if let Patch::Set(status) = &self.status {
            call.status.clone_from(status);
        }
        Some(call)
    }
}

impl ToolCallContent {
    fn is_of_version_2(&self) -> bool {
        matches!(self, Self::Changes(_))
    }

    /// Returns the part as JSON, in the form of the protocol version that has it.
    pub fn encode(&self) -> String {
        json::encode_part(self)
    }

    /// Describes changes without the files' text: one sentence for each file.
    pub fn change_lines(diff: &v2::Diff) -> Vec<String> {
        use v2::DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
        let line = |change: &v2::DiffChange| match &change.operation {
            Add(file) => format!("added {}", file.path),
            Delete(file) => format!("deleted {}", file.path),
            Modify(file) => format!("changed {}", file.path),
            Move(file) => format!("moved {} to {}", file.old_path, file.path),
            Copy(file) => format!("copied {} to {}", file.old_path, file.path),
            Unknown(operation) => operation.raw.get().to_owned(),
        };
        // A line break in a path must not look like another file.
        let escaped = |line: String| line.replace(char::is_control, "\u{fffd}");
        diff.changes.iter().map(line).map(escaped).collect()
    }

    /// The paths that a diff names: those of its changes, old paths included, and those in the
    /// headers of its patch.
    pub fn changed_paths(&self) -> Vec<String> {
        match self {
            Self::Diff(diff) => vec![diff.path.clone()],
            Self::Changes(diff) => {
                let changes = diff.changes.iter().flat_map(|change| paths_of(&change.operation));
                changes.chain(diff.patch.iter().flat_map(|patch| headers(&patch.text))).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The paths of an operation. Those of an unknown operation are in the members that other
/// operations use.
fn paths_of(operation: &v2::DiffOperation) -> Vec<String> {
    use v2::DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    match operation {
        Add(file) | Delete(file) | Modify(file) => vec![file.path.clone()],
        Move(file) | Copy(file) => vec![file.old_path.clone(), file.path.clone()],
        Unknown(operation) => {
            let members = members(&operation.raw).unwrap_or_default();
            let paths = ["oldPath", "path"].into_iter().filter_map(|key| members.get(key));
            paths.filter_map(|path| path.parse().ok()).collect()
        }
    }
}

/// The paths in the headers of a git patch. A changed line that looks like a header counts too.
fn headers(patch: &str) -> impl Iterator<Item = String> {
    const HEADERS: [&str; 6] =
        ["--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "];
    let path = |line: &str| {
        let path = HEADERS.iter().find_map(|header| line.strip_prefix(header))?;
        let path = path.trim_end().trim_matches('"');
        (path != "/dev/null").then(|| path.to_owned())
    };
    patch.lines().filter_map(path)
}

impl From<ContentBlock> for ToolCallContent {
    fn from(content: ContentBlock) -> Self {
        Self::Content(Content::new(content))
    }
}

fn is_v2_status(status: &ToolCallStatus) -> bool {
    matches!(status, ToolCallStatus::Paused | ToolCallStatus::Cancelled)
}

fn replace<T: Clone + Default>(field: &mut T, patch: &Patch<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = T::default(),
        Patch::Set(value) => field.clone_from(value),
    }
}
