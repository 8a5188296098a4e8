//! What an action touches in the world: all that the policy needs to know of it.

use super::Action;
pub(crate) use attache_policy::Touch;

impl Action {
    /// What it touches.
    pub(crate) fn touches(&self) -> Touch<'_> {
        match self {
            Self::Read(read) => Touch::Reads(vec![&read.path]),
            Self::Grep(grep) => Touch::Reads(vec![&grep.path]),
            Self::List(list) => Touch::Reads(vec![&list.path]),
            Self::Glob(glob) => Touch::Reads(vec![&glob.path]),
            Self::Edit(edit) => Touch::Changes(vec![&edit.path]),
            Self::Write(write) => Touch::Changes(vec![&write.path]),
            Self::ApplyPatch(patch) => Touch::Changes(patch.paths()),
            Self::Delete(delete) => Touch::Changes(vec![&delete.path]),
            Self::Move(each) => Touch::Changes(vec![&each.path, &each.to]),
            Self::Execute(execute) => match execute.unsandboxed {
                Some(_) => Touch::Unsandboxed { command: &execute.command },
                None => Touch::Runs {
                    command: &execute.command,
                    sandboxed: execute.sandboxed,
                    network: execute.network || !execute.sandboxed,
                },
            },
            Self::Output(_) | Self::Kill(_) => Touch::Nothing,
            Self::Fetch(fetch) => Touch::Fetches { url: &fetch.url },
            Self::Mcp(mcp) => Touch::Mcp { server: &mcp.server, tool: &mcp.tool },
            Self::Plan(_) | Self::ExitPlan(_) | Self::Ask(_) | Self::Task(_) => Touch::Nothing,
        }
    }
}
