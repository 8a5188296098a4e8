//! Instructions that a client gives for a session.

use crate::{About, Error, Result, SystemPromptModes};
use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

/// Checks that the agent can apply `prompt` as a whole; otherwise the session is not opened
/// (SYSP-02).
///
/// # Errors
/// Returns [`Error::Invalid`] if the agent does not accept instructions or this mode, or if the
/// content is empty or contains anything but text (SYSP-01, SYSP-03).
pub(crate) fn check(prompt: &SystemPrompt, about: &About) -> Result<()> {
    match (&prompt.mode, about.system_prompt_modes()) {
        (_, None) => {
            return Err(Error::invalid("this agent does not support systemPrompt: leave it out"));
        }
        (SystemPromptMode::Append, Some(_)) => {}
        (SystemPromptMode::Override, Some(SystemPromptModes::AppendAndOverride)) => {}
        (SystemPromptMode::Override, Some(SystemPromptModes::Append)) => {
            return Err(Error::invalid(
                "this agent's own instructions cannot be replaced: use the mode append",
            ));
        }
        (SystemPromptMode::Unknown(mode), Some(_)) => {
            return Err(Error::invalid(format!(
                "the systemPrompt has the mode {mode:?}, which ACP does not define"
            )));
        }
    }
    if let Some(block) = prompt.content.iter().find(|block| block.as_text().is_none()) {
        let kind = block.tag();
        return Err(Error::invalid(format!(
            "the systemPrompt contains a block of the type {kind}: only text is supported"
        )));
    }
    let empty =
        prompt.content.iter().filter_map(ContentBlock::as_text).all(|text| text.trim().is_empty());
    match empty {
        true => Err(Error::invalid("the systemPrompt is empty: leave it out")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::{About, Error, SystemPromptModes};
    use attache_protocol::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

    fn prompt(mode: &str, content: Vec<ContentBlock>) -> SystemPrompt {
        SystemPrompt::new(SystemPromptMode::from(mode), content)
    }

    fn text(text: &str) -> Vec<ContentBlock> {
        vec![ContentBlock::text(text)]
    }

    /// SYSP-01, SYSP-02, SYSP-03.
    #[test]
    fn system_prompt_that_cannot_be_applied_is_refused() {
        let none = About::new("a", "1");
        let append = none.clone().system_prompt(SystemPromptModes::Append);
        let both = none.clone().system_prompt(SystemPromptModes::AppendAndOverride);
        let image = attache_protocol::decode::<ContentBlock>(
            r#"{"type":"image","data":"","mimeType":"image/png"}"#,
        );
        let mixed = vec![ContentBlock::text("Be brief."), image.unwrap()];
        for (about, prompt, taken) in [
            (&none, prompt("append", text("Be brief.")), false),
            (&append, prompt("append", text("Be brief.")), true),
            (&append, prompt("override", text("Be brief.")), false),
            (&both, prompt("override", text("Be brief.")), true),
            (&both, prompt("append", text("Be brief.")), true),
            (&both, prompt("prepend", text("Be brief.")), false),
            (&both, prompt("append", Vec::new()), false),
            (&both, prompt("append", text(" \n")), false),
            (&both, prompt("append", mixed), false),
        ] {
            let checked = check(&prompt, about);
            assert_eq!(checked.is_ok(), taken, "{prompt:?} {checked:?}");
            assert!(matches!(checked, Ok(()) | Err(Error::Invalid(_))));
        }
    }
}
