//! Questions of this client: whether it may write or read a file, or run a command.

use super::approvals::protected;
use super::file_action::{FileAction, FileState};
use super::request::PermissionRequest;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::{Folders, Guard};
use attache_protocol::Patch;
use attache_protocol::v1::{
    Content, ContentBlock, Diff, PermissionOption, PermissionOptionKind, SessionId,
    ToolCallLocation, ToolKind,
};
use attache_session::{PermissionId, ToolCallContent, ToolCallPatch};

impl FileAction {
    /// The question whether this text may be written, with a diff from the file's current content.
    pub(crate) fn write(
        &self,
        (id, session_id): (PermissionId, SessionId),
        state: &FileState,
        text: &str,
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let mut diff = Diff::new(self.path.to_string_lossy(), text);
        diff.old_text = state.text().map(str::to_owned);
        let remarks = [protected.map(|guard| remark(guard).to_owned()), state.unshown()];
        let remarks = remarks.into_iter().flatten().map(said);
        let content = remarks.chain([ToolCallContent::Diff(diff)]).collect();
        self.question((id, session_id), ("write", ToolKind::Edit), content, protected)
    }

    /// The question whether a file may be read.
    pub(crate) fn read(
        &self,
        (id, session_id): (PermissionId, SessionId),
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let content = protected.map(|guard| said(remark(guard).to_owned())).into_iter().collect();
        self.question((id, session_id), ("read", ToolKind::Read), content, protected)
    }

    fn question(
        &self,
        (id, session_id): (PermissionId, SessionId),
        (verb, kind): (&str, ToolKind),
        content: Vec<ToolCallContent>,
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let location = ToolCallLocation::new(self.path.to_string_lossy());
        let asked = ToolCallPatch {
            title: Patch::Set(self.title(verb)),
            kind: Patch::Set(kind),
            content: Patch::Set(content),
            locations: Patch::Set(vec![location]),
            ..ToolCallPatch::new(format!("file-{verb}-{}", id.0))
        };
        let option = |id: &str, name: String, kind| PermissionOption::new(id, name, kind);
        let options = vec![
            option(
                "allow",
                format!("Let the agent {verb} this file"),
                PermissionOptionKind::AllowOnce,
            ),
            option("reject", format!("Do not {verb} it"), PermissionOptionKind::RejectOnce),
        ];
        PermissionRequest {
            file: Some(self.clone()),
            protected,
            ..PermissionRequest::new(id, session_id, asked, options)
        }
    }

    fn title(&self, verb: &str) -> String {
        match self.named == self.path || self.named == self.resolved {
            true => format!("{verb} {}", self.path.display()),
            // The person must see that the name leads to another path.
            false => format!("{verb} {}, named {}", self.path.display(), self.named.display()),
        }
    }
}

fn remark(guard: Guard) -> &'static str {
    match guard {
        Guard::Secret => "This file usually holds secrets.",
        Guard::Obeyed => "This file affects how programs or agents run.",
    }
}

/// A remark in the question.
fn said(text: String) -> ToolCallContent {
    ToolCallContent::Content(Content::new(ContentBlock::from(text)))
}

impl TerminalCommand {
    /// The question about the command, with a remark if its line names protected files. Blocks on
    /// disk I/O.
    pub(crate) fn checked_question(
        &self,
        (id, session_id): (PermissionId, SessionId),
        folders: &Folders,
    ) -> PermissionRequest {
        let mut request = self.question(id, session_id);
        request.protected = protected(&request, folders);
        let remark = request.protected.map(|guard| match guard {
            Guard::Secret => "It names a file that usually holds secrets.",
            Guard::Obeyed => "It may change a file that affects how programs or agents run.",
        });
        if let (Some(remark), Patch::Set(content)) = (remark, &mut request.asked.content) {
            content.push(said(remark.to_owned()));
        }
        request
    }

    /// The question about the command, of the kind `execute`, to allow or reject it once.
    fn question(&self, id: PermissionId, session_id: SessionId) -> PermissionRequest {
        let place = said(format!("in {}", self.cwd.display()));
        let asked = ToolCallPatch {
            title: Patch::Set(self.line()),
            kind: Patch::Set(ToolKind::Execute),
            content: Patch::Set(vec![place]),
            ..ToolCallPatch::new(format!("terminal-command-{}", id.0))
        };
        let option = |id: &str, name: &str, kind| PermissionOption::new(id, name, kind);
        let options = vec![
            option("allow", "Run this command", PermissionOptionKind::AllowOnce),
            option("reject", "Do not run it", PermissionOptionKind::RejectOnce),
        ];
        PermissionRequest {
            command: Some(self.clone()),
            ..PermissionRequest::new(id, session_id, asked, options)
        }
    }
}
