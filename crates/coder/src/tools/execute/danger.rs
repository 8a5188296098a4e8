//! What the person sees before they allow a command.

use crate::tools::fit::{code_block, one_line};
use attache_protocol::v1::{ContentBlock, ToolCallContent};

/// The maximum length of the reason for a run without a sandbox, in characters.
const REASON_SHOWN: usize = 300;

/// Returns the whole command line if it does not fit into the title.
pub(super) fn whole_command(command: &str) -> ToolCallContent {
    ContentBlock::text(code_block(command)).into()
}

/// Returns the warning about a command that runs without a sandbox. `no_sandbox` says why no
/// sandbox works here, and `unsandboxed` why the command cannot run in one. A command in a sandbox
/// has no warning.
pub(super) fn danger(
    unsandboxed: Option<&str>,
    no_sandbox: Option<&String>,
) -> Option<ToolCallContent> {
    let text = match (unsandboxed, no_sandbox) {
        (_, Some(why)) => format!(
            "This command runs without a sandbox: {why}. It can read and change everything that you can, and send it over the network."
        ),
        (Some(reason), None) => {
            format!(
                "Runs outside the sandbox. The agent's reason: {}",
                one_line(reason, REASON_SHOWN)
            )
        }
        (None, None) => return None,
    };
    Some(ContentBlock::text(text).into())
}
