//! The system prompt.
use crate::conversation::conversation_kind::ConversationKind;
use attache_policy::Folders;
use attache_policy::Mode;
use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

/// The part that is the same in every session.
const TEXT: &str = include_str!("system_prompt.md");

/// The further part for subagents.
const SUBAGENT: &str = "- You are a subagent here: the prompt is a task from the agent that talks with the person. You have nothing of their \
    conversation, and no `task`. Your last message is your report and all that is passed on, so let it say all that was asked for, short, with \
    paths and lines.\n";

/// The longest path that is named, in bytes, and how many folders are: with them the prompt stays
/// under 8 KiB.
const PATH_NAMED: usize = 400;
const FOLDERS_NAMED: usize = 5;

/// The instructions of a client for one session.
#[derive(Debug)]
pub(crate) struct ClientInstructions {
    /// Whether it replaces the part that is the same in every session (SYSP-04). The tools and
    /// what they may do stay as they are.
    replaces: bool,
    text: String,
}

impl ClientInstructions {
    /// Those of a prompt that the kit has checked: it holds text alone, and a mode that is known.
    pub(crate) fn of(prompt: &SystemPrompt) -> Self {
        let texts: Vec<&str> = prompt.content.iter().filter_map(ContentBlock::as_text).collect();
        Self { replaces: prompt.mode == SystemPromptMode::Override, text: texts.join("\n\n") }
    }
}

/// The system prompt of a session as it is now, with the client's instructions and the project's
/// own. What changes most stands last, so that providers keep what is before it.
pub(crate) fn system_prompt(
    party: ConversationKind,
    folders: &Folders,
    client: Option<&ClientInstructions>,
    instructions: Option<&str>,
    mode: Mode,
) -> String {
    let short = |path: &std::path::Path| {
        let shown = path.display().to_string();
        shown.get(..shown.floor_char_boundary(PATH_NAMED)).unwrap_or_default().to_owned()
    };
    let instructions = instructions.unwrap_or_default();
    let mut prompt = match client {
        Some(client) if client.replaces => format!("{}\n", client.text),
        Some(client) => format!("{TEXT}\n{}\n", client.text),
        None => TEXT.to_owned(),
    };
    prompt.push_str(&format!(
        "{instructions}\nThis session\n- Working directory: {}\n",
        short(folders.cwd())
    ));
    for more in folders.given().iter().skip(1).take(FOLDERS_NAMED) {
        prompt.push_str(&format!("- Further folder: {}\n", short(more)));
    }
    prompt.push_str(&format!("- System: {} on {}\n", std::env::consts::OS, std::env::consts::ARCH));
    if let ConversationKind::Subagent { .. } = party {
        prompt.push_str(SUBAGENT);
    }
    prompt.push_str(&format!("- Mode now: {}\n", mode.id()));
    prompt
}

#[cfg(test)]
mod tests {
    use super::{ClientInstructions, ConversationKind, Mode, TEXT, system_prompt};
    use crate::tools::Registry;
    use attache_policy::Folders;
    use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

    /// SYSP-04.
    #[test]
    fn a_client_adds_to_the_instructions_or_replaces_them_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(&[folder.path().to_owned()]).unwrap();
        let told = |mode| {
            let content = vec![ContentBlock::text("Be brief."), ContentBlock::text("Speak Welsh.")];
            let client = ClientInstructions::of(&SystemPrompt::new(mode, content));
            system_prompt(
                ConversationKind::Agent,
                &folders,
                Some(&client),
                Some("Use tabs.\n"),
                Mode::Ask,
            )
        };
        for (mode, keeps) in [(SystemPromptMode::Append, true), (SystemPromptMode::Override, false)]
        {
            let prompt = told(mode);
            assert_eq!(prompt.contains(TEXT), keeps);
            let parts =
                ["Be brief.\n\nSpeak Welsh.", "Use tabs.", "Working directory", "Mode now: ask"];
            let places: Vec<_> = parts.iter().map(|part| prompt.find(part).unwrap()).collect();
            assert!(places.is_sorted(), "{prompt}");
        }
    }

    #[test]
    fn the_system_prompt_is_short_and_names_every_tool_and_mode() {
        let folders: Vec<_> = (0..20).map(|_| tempfile::tempdir().unwrap()).collect();
        let paths: Vec<_> = folders.iter().map(|folder| folder.path().to_owned()).collect();
        let folders = Folders::new(&paths).unwrap();
        let prompt = system_prompt(
            ConversationKind::Subagent { looks_only: true },
            &folders,
            None,
            None,
            Mode::Plan,
        );
        assert!(prompt.len() < 8 * 1024, "{} bytes", prompt.len());
        assert!(
            prompt.contains(&paths[0].display().to_string())
                && prompt.ends_with("Mode now: plan\n")
        );
        for spec in Registry::built_in().specs(ConversationKind::Agent) {
            assert!(prompt.contains(&format!("`{}`", spec.name)), "{}", spec.name);
        }
        for mode in Mode::ALL {
            assert!(prompt.contains(&format!("- {}: ", mode.id())), "{mode:?}");
        }
    }
}
