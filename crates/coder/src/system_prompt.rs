//! What a provider's model is told before the conversation.

use crate::conversation::Party;
use crate::folders::Folders;
use crate::policy::Mode;

/// What is the same in every session.
const TEXT: &str = include_str!("system_prompt.md");

/// What a subagent is told beside that.
const SUBAGENT: &str = "- You are a subagent here: the prompt is a task from the agent that talks with the person. You have nothing of their \
    conversation, and no `task`. Your last message is your report and all that is passed on, so let it say all that was asked for, short, with \
    paths and lines.\n";

/// The longest path that is named, in bytes, and how many folders are: with them the prompt stays under 8 KiB.
const PATH_NAMED: usize = 400;
const FOLDERS_NAMED: usize = 5;

/// The system prompt of a session as it is now, with the project's own instructions. What changes most stands last, so that providers keep
/// what is before it.
pub(crate) fn system_prompt(
    party: Party,
    folders: &Folders,
    instructions: Option<&str>,
    mode: Mode,
) -> String {
    let short = |path: &std::path::Path| {
        let shown = path.display().to_string();
        shown.get(..shown.floor_char_boundary(PATH_NAMED)).unwrap_or_default().to_owned()
    };
    let instructions = instructions.unwrap_or_default();
    let mut prompt =
        format!("{TEXT}{instructions}\nThis session\n- Working directory: {}\n", short(folders.cwd()));
    for more in folders.given().iter().skip(1).take(FOLDERS_NAMED) {
        prompt.push_str(&format!("- Further folder: {}\n", short(more)));
    }
    prompt.push_str(&format!("- System: {} on {}\n", std::env::consts::OS, std::env::consts::ARCH));
    if let Party::Subagent { .. } = party {
        prompt.push_str(SUBAGENT);
    }
    prompt.push_str(&format!("- Mode now: {}\n", mode.id()));
    prompt
}

#[cfg(test)]
mod tests {
    use super::{Mode, Party, system_prompt};
    use crate::folders::Folders;
    use crate::tools::specs;

    #[test]
    fn the_system_prompt_is_short_and_names_every_tool_and_mode() {
        let folders: Vec<_> = (0..20).map(|_| tempfile::tempdir().unwrap()).collect();
        let paths: Vec<_> = folders.iter().map(|folder| folder.path().to_owned()).collect();
        let folders = Folders::new(&paths).unwrap();
        let prompt = system_prompt(Party::Subagent { looks_only: true }, &folders, None, Mode::Plan);
        assert!(prompt.len() < 8 * 1024, "{} bytes", prompt.len());
        assert!(prompt.contains(&paths[0].display().to_string()) && prompt.ends_with("Mode now: plan\n"));
        for spec in specs() {
            assert!(prompt.contains(&format!("`{}`", spec.name)), "{}", spec.name);
        }
        for mode in Mode::ALL {
            assert!(prompt.contains(&format!("- {}: ", mode.id())), "{mode:?}");
        }
    }
}
