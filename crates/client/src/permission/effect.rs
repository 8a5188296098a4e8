//! The effect of a permission request: its commands, files and addresses.

use crate::permission::broker::secrets::shown_value;
use crate::permission::request::PermissionRequest;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::AskedCall;
use attache_policy::effect::{Command, ReportedCall, ToolEffect};
use attache_protocol::v1::ContentBlock;
use attache_session::ToolCallContent;
use serde_json::Value;
use std::path::Path;

#[cfg(test)]
mod tests;

impl PermissionRequest {
    /// Returns the effect of the call as the agent describes it in the tool's input, the locations
    /// and the diffs. For one of this client's own questions, the effect is the command that would
    /// run.
    ///
    /// The title of the request may describe something else. Show both.
    pub fn effect(&self) -> ToolEffect {
        if let Some(command) = &self.command {
            return ToolEffect { commands: vec![command.effect()], ..ToolEffect::default() };
        }
        let (asked, known) = (&self.asked, self.tool_call.as_ref());
        let locations = asked.locations.set().or(known.map(|call| &call.locations));
        let locations: Vec<&str> =
            locations.into_iter().flatten().map(|location| location.path.as_str()).collect();
        let diffs: Vec<String> =
            self.shown_content().flat_map(ToolCallContent::changed_paths).collect();
        let diffs: Vec<&str> = diffs.iter().map(String::as_str).collect();
        let input = asked.raw_input.set().or(known.and_then(|call| call.raw_input.as_ref()));
        let parsed: Option<Value> = input.and_then(|input| input.parse().ok());
        let mut effect = ToolEffect::of(&ReportedCall {
            kind: self.kind(),
            title: self.stated_title(),
            raw_input: parsed.as_ref(),
            locations: &locations,
            diffs: &diffs,
        });
        if let (Some(input), None) = (input, &parsed) {
            // JSON that this program cannot represent, such as a number that is too large, is kept
            // as text.
            effect.arguments = Some(Value::String(input.get().to_owned()));
        }
        effect
    }

    /// Returns the request in the form that rules are applied to. `agent` is the agent's name and
    /// `cwd` the folder of the session.
    pub fn asked_call<'a>(&'a self, agent: &'a str, cwd: &'a Path) -> AskedCall<'a> {
        let known = self.tool_call.as_ref();
        let tool = self.asked.name.set().map(String::as_str);
        let names = self.file.iter().flat_map(|file| {
            [&file.named, &file.resolved].into_iter().filter(|name| **name != file.path)
        });
        AskedCall {
            agent,
            session: &self.session_id,
            cwd,
            kind: self.kind(),
            tool: tool.or_else(|| known.and_then(|call| call.name.as_deref())),
            effect: self.effect(),
            title: self.stated_title(),
            text: self.shown_texts().collect::<Vec<_>>().join("\n"),
            other_paths: names.cloned().collect(),
            runs_here: self.command.is_some(),
            protected: self.protected,
        }
    }

    /// The text that the agent shows besides the title: the question, the description, and the
    /// text of the call.
    fn shown_texts(&self) -> impl Iterator<Item = &str> {
        let title = self.stated_title();
        let stated = [&self.question, &self.description].into_iter().flatten();
        let stated =
            stated.map(String::as_str).filter(move |text| !text.is_empty() && *text != title);
        let content = self.shown_content().filter_map(|content| match content {
            ToolCallContent::Content(content) => match &content.content {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            },
            _ => None,
        });
        stated.chain(content)
    }

    /// The content of the call as the request shows it.
    pub fn shown_content(&self) -> impl Iterator<Item = &ToolCallContent> + Clone {
        let asked = self.asked.content.set();
        let known = self.tool_call.as_ref().filter(|_| asked.is_none());
        let known = known.map(|call| call.content.iter());
        asked.into_iter().flatten().chain(known.into_iter().flatten())
    }

    /// The title; empty if the agent sent none.
    fn stated_title(&self) -> &str {
        let known = self.tool_call.as_ref().map(|call| call.title.as_str());
        let asked = self.asked.title.set().map(String::as_str);
        known.or(asked).or(self.question.as_deref()).unwrap_or_default()
    }
}

impl TerminalCommand {
    /// The command as rules and questions use it. Values of variables that look like secrets are
    /// left out.
    fn effect(&self) -> Command {
        let command = match self.is_shell_line() {
            true => Command::from_line(self.command.as_str()),
            false => Command::from_words(
                [&self.command].into_iter().chain(&self.args).cloned().collect(),
            ),
        };
        let variables =
            self.environment().map(|(name, value)| (name.to_owned(), shown_value(name, value)));
        command
            .in_folder(Some(self.cwd.display().to_string()))
            .with_environment(variables.collect())
    }
}
