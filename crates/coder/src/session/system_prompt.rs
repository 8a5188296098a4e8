//! The system prompt of the agent and its subagents.
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::note_token::NoteToken;
use attache_policy::Folders;
use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

/// The part that is the same in every session.
const TEXT: &str = include_str!("system_prompt.md");

/// The additional part for subagents.
const SUBAGENT: &str = "- You are a subagent: the prompt is a task from the agent that talks with the person. You cannot see their \
    conversation, and you have no `task`. Only your last message is passed on, as your report. It must contain everything that was asked for, briefly, with \
    paths and lines.\n";

/// The maximum length of a path in the prompt, in bytes. With [`MAX_FOLDERS`], it keeps the prompt
/// under 8 KiB.
const MAX_PATH: usize = 400;

/// The maximum number of folders in the prompt.
const MAX_FOLDERS: usize = 5;

/// A client's instructions for one session.
#[derive(Debug)]
pub(crate) struct ClientInstructions {
    /// Whether the instructions replace the part that is the same in every session (SYSP-04). The
    /// tools and their permissions stay the same.
    replaces: bool,
    text: String,
}

impl ClientInstructions {
    /// Reads the instructions from a client's system prompt, which the kit has checked: it contains
    /// only text, and its mode is known.
    pub(crate) fn of(prompt: &SystemPrompt) -> Self {
        let texts: Vec<&str> = prompt.content.iter().filter_map(ContentBlock::as_text).collect();
        Self { replaces: prompt.mode == SystemPromptMode::Override, text: texts.join("\n\n") }
    }
}

/// The system prompt of a session, including the instructions from the client and the project. It
/// stays the same during a session: notes in the conversation tell what changes.
pub(crate) fn system_prompt(
    party: ConversationKind,
    folders: &Folders,
    token: &NoteToken,
    client: Option<&ClientInstructions>,
    instructions: Option<&str>,
) -> String {
    let short = |path: &std::path::Path| {
        let shown = path.display().to_string();
        shown.get(..shown.floor_char_boundary(MAX_PATH)).unwrap_or_default().to_owned()
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
    for more in folders.given().iter().skip(1).take(MAX_FOLDERS) {
        prompt.push_str(&format!("- Further folder: {}\n", short(more)));
    }
    prompt.push_str(&format!("- System: {} on {}\n", std::env::consts::OS, std::env::consts::ARCH));
    prompt.push_str(&token.rule());
    if let ConversationKind::Subagent { .. } = party {
        prompt.push_str(SUBAGENT);
    }
    prompt
}

#[cfg(test)]
mod tests {
    use super::{ClientInstructions, ConversationKind, NoteToken, SUBAGENT, TEXT, system_prompt};
    use crate::tools::Registry;
    use attache_policy::{Folders, Mode};
    use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

    /// SYSP-04.
    #[test]
    fn client_adds_to_or_replaces_only_the_instructions() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(&[folder.path().to_owned()]).unwrap();
        let told = |mode| {
            let content = vec![ContentBlock::text("Be brief."), ContentBlock::text("Speak Welsh.")];
            let client = ClientInstructions::of(&SystemPrompt::new(mode, content));
            let token = NoteToken::stored("7f3a".to_owned());
            let own = Some("Use tabs.\n");
            system_prompt(ConversationKind::Agent, &folders, &token, Some(&client), own)
        };
        for (mode, keeps) in [(SystemPromptMode::Append, true), (SystemPromptMode::Override, false)]
        {
            let prompt = told(mode);
            assert_eq!(prompt.contains(TEXT), keeps);
            let parts = ["Be brief.\n\nSpeak Welsh.", "Use tabs.", "Working directory"];
            let places: Vec<_> = parts.iter().map(|part| prompt.find(part).unwrap()).collect();
            assert!(places.is_sorted(), "{prompt}");
            assert!(prompt.contains("`[Attaché 7f3a:`"), "{prompt}");
        }
    }

    #[test]
    fn system_prompt_is_short_and_names_every_tool_and_mode() {
        let folders: Vec<_> = (0..20).map(|_| tempfile::tempdir().unwrap()).collect();
        let paths: Vec<_> = folders.iter().map(|folder| folder.path().to_owned()).collect();
        let folders = Folders::new(&paths).unwrap();
        let (party, token) =
            (ConversationKind::Subagent { looks_only: true }, NoteToken::default());
        let prompt = system_prompt(party, &folders, &token, None, None);
        assert!(prompt.len() < 8 * 1024, "{} bytes", prompt.len());
        assert!(prompt.contains(&paths[0].display().to_string()) && prompt.ends_with(SUBAGENT));
        for spec in Registry::built_in().specs(ConversationKind::Agent) {
            assert!(prompt.contains(&format!("`{}`", spec.name)), "{}", spec.name);
        }
        for mode in Mode::ALL {
            assert!(prompt.contains(&format!("- {}: ", mode.id())), "{mode:?}");
        }
    }
}
