//! Slash commands of the conversation. All other slash commands belong to the agent.

mod switch;
mod unknown;

use super::{Chat, Next};
use crate::chosen_agent::{ChosenAgent, not_opened};
use crate::exit::Failure;
use crate::front_end::add_agent;
use crate::run::budget::Budget;
use crate::say::{println, say};
use crate::show::paint::{BOLD, DIM, Paint, RED, YELLOW};
use crate::show::tool_call::{self, Bound};
use crate::show::{options, terminal_output};
use crate::terminal;
use attache_client::{HubError, HubSession, KNOWN_AGENTS};
use attache_protocol::v1::SessionConfigOptionValue;
use attache_session::{EntryContent, MessageAuthor};
use attache_view::sanitize;
use std::io;
use std::sync::PoisonError;

/// The commands, their arguments and their descriptions.
const COMMANDS: [(&str, &str, &str); 16] = [
    ("/help", "", "show this list and the agent's own commands"),
    ("/new", "", "start a new session"),
    ("/switch", "[NUMBER|WORDS]", "list sessions, or continue one by number or words"),
    ("/agents", "", "list the agents and their state"),
    ("/agent", "NAME|'CMD ARGS'", "start a session with another agent"),
    ("/options", "[OPTION VALUE]", "list the options, or set one"),
    ("/stop", "[NUMBER]", "list the calls that can be stopped alone, or stop one"),
    ("/budget", "[AMOUNT|none]", "show or set the budget of a session, such as 0.50USD"),
    ("/checkpoints", "", "list the checkpoints of the files"),
    ("/rewind", "[NUMBER [PART]]", "list prompts, or bring files, conversation or both back"),
    ("/undo", "[force]", "revert the files of the last turn"),
    ("/thoughts", "", "show the agent's reasoning in the last turn"),
    ("/details", "", "show the whole diffs and outputs of the last turn"),
    ("/restart", "", "restart the agent and continue"),
    ("/continue", "", "continue in a new session, with a summary of this one"),
    ("/quit", "", "end the conversation, as Ctrl-D does"),
];

impl Chat {
    /// Runs the line if it is a command of this program.
    pub(super) async fn command(&mut self, line: &str) -> Result<Option<Next>, Failure> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (name, rest.trim()) {
            ("/help", _) => self.help(),
            ("/new", _) => {
                self.open(self.hub.open(self.follow.session.agent().name(), &self.cwd).await)
            }
            ("/agents", _) => self.agents(),
            ("/agent", given) => {
                match add_agent(&self.hub, Some(given), &[], &self.cwd, None, None) {
                    Ok(ChosenAgent { name, known, .. }) => {
                        match self.hub.open(&name, &self.cwd).await {
                            Err(error) => say(RED, &not_opened(&error, known).message),
                            opened => self.open(opened),
                        }
                    }
                    Err(failure) => say(RED, &failure.message),
                }
            }
            ("/switch", wanted) => self.switch(wanted).await,
            ("/options", wanted) => self.options(wanted).await,
            ("/stop", wanted) => {
                self.follow.stop.run(&self.follow.session, wanted);
                if self.follow.stop.is_stopping() {
                    self.follow.stop.done().await;
                }
            }
            ("/budget", wanted) => self.budget(wanted),
            ("/checkpoints", _) => self.checkpoints().await,
            ("/rewind", wanted) => self.rewind(wanted).await,
            ("/undo", wanted) => self.undo(wanted).await,
            ("/thoughts", _) if self.follow.thoughts.is_empty() => say(DIM, "(no reasoning shown)"),
            ("/thoughts", _) => say(DIM, &self.follow.thoughts),
            ("/details", _) => self.details(),
            ("/restart", _) => self.follow.session.agent().restart(),
            ("/continue", _) => self.open(self.follow.session.continue_in_new_session().await),
            ("/quit", _) => return Ok(Some(Next::End)),
            _ => match self.unknown(name) {
                Some(why) => say(YELLOW, &why),
                None => return Ok(None),
            },
        }
        Ok(Some(Next::Go))
    }

    /// Returns the reason not to send a line that begins with this word; `None` for one of the
    /// agent's commands, and for ordinary text.
    fn unknown(&self, word: &str) -> Option<String> {
        let session = self.follow.session.snapshot();
        let theirs: Vec<&str> = session.commands().iter().map(|command| &*command.name).collect();
        let name = unknown::name(word).filter(|name| !theirs.contains(name))?;
        let ours = COMMANDS.iter().filter_map(|(known, ..)| known.strip_prefix('/'));
        Some(unknown::refusal(name, ours.chain(theirs)))
    }

    /// Offers the commands of this program and of the agent for completion.
    pub(super) fn complete_commands(&self) {
        let own = COMMANDS.iter().map(|(name, ..)| (*name).to_owned());
        let session = self.follow.session.snapshot();
        let agents = session.commands().iter().map(|command| format!("/{}", command.name));
        let mut commands = self.lines.commands.lock().unwrap_or_else(PoisonError::into_inner);
        *commands = own.chain(agents).collect();
        commands.dedup();
    }

    fn help(&self) {
        let row = |name: &str, rest: &str, what: &str| {
            let words = sanitize::visible_line(&format!("{name} {rest}"));
            println(&format!("  {words:<26} {}", sanitize::visible_line(what)));
        };
        COMMANDS.iter().for_each(|(name, rest, what)| row(name, rest, what));
        let session = self.follow.session.snapshot();
        if !session.commands().is_empty() {
            say(DIM, "\nCommands of the agent (//help sends /help to the agent):");
        }
        session
            .commands()
            .iter()
            .for_each(|command| row(&format!("/{}", command.name), "", &command.description));
        say(
            DIM,
            "\n@PATH attaches a file. A backslash at the end of a line continues it.\nCtrl-C cancels a turn. /stop stops one tool call, if the agent offers that.",
        );
    }

    fn agents(&self) {
        for agent in self.hub.agents() {
            println(&sanitize::text(&format!("  {:<14} {}", agent.name(), agent.state())));
        }
        let here = KNOWN_AGENTS
            .iter()
            .filter(|known| self.hub.agent(known.name).is_none() && known.find().is_some());
        here.for_each(|known| {
            println(&format!("  {:<14} installed: /agent {}", known.name, known.name))
        });
    }

    /// Switches to another session.
    pub(super) fn open(&mut self, opened: Result<HubSession, HubError>) {
        match opened {
            Ok(session) => {
                self.follow.switch(session);
                self.set_budget();
                self.say_who_acts();
                self.last_words();
            }
            Err(error) => say(RED, &error.to_string()),
        }
    }

    /// Shows or sets the budget of each session.
    fn budget(&mut self, wanted: &str) {
        match wanted {
            "" => {}
            "none" => self.budget = None,
            amount => match Budget::read(amount) {
                Ok(budget) => self.budget = Some(budget),
                Err(error) => return say(RED, &error),
            },
        }
        self.set_budget();
        let text = match &self.budget {
            Some(budget) => {
                format!("The budget of a session is {budget}; its agent reports the cost.")
            }
            None => "No budget is set.".to_owned(),
        };
        say(DIM, &text);
    }

    /// Applies the budget to the current session.
    pub(super) fn set_budget(&self) {
        self.follow.session.set_budget(self.budget.as_ref().map(Budget::of_session));
    }

    /// Shows the tool calls since the last prompt in full.
    fn details(&self) {
        let session = self.follow.session.snapshot();
        let is_prompt = |content: &EntryContent| {
            matches!(content, EntryContent::Message { author: MessageAuthor::User, .. })
        };
        let mut calls: Vec<_> = session
            .entries()
            .iter()
            .rev()
            .take_while(|entry| !is_prompt(&entry.content))
            .filter_map(|entry| match &entry.content {
                EntryContent::ToolCall(call) => Some(call),
                _ => None,
            })
            .collect();
        calls.reverse();
        if calls.is_empty() {
            say(DIM, "The last turn used no tools.");
        }
        let (paint, columns) = (Paint::of(&io::stdout()), terminal::columns().unwrap_or(80));
        let cwd = self.follow.session.cwd();
        for call in calls {
            let with_output = terminal_output::shown(call, |id| self.follow.session.terminal(id));
            let call = with_output.as_ref().unwrap_or(call);
            println(&tool_call::line(call, cwd, paint, columns));
            tool_call::details(call, cwd, paint, Bound::Whole, true)
                .iter()
                .for_each(|line| println(line));
        }
    }

    /// Shows the last messages of a session that was not started in this conversation.
    fn last_words(&mut self) {
        let session = self.follow.session.snapshot();
        say(BOLD, session.info().title().unwrap_or("A new session"));
        let last = |wanted| {
            session.entries().iter().rev().find_map(|entry| match &entry.content {
                EntryContent::Message { author, .. } if *author == wanted => Some(entry.text()),
                _ => None,
            })
        };
        for (mark, said) in [("› ", last(MessageAuthor::User)), ("", last(MessageAuthor::Agent))]
        {
            if let Some(said) = said {
                println(&format!("{mark}{}", sanitize::text(&said)));
            }
        }
    }

    async fn options(&mut self, wanted: &str) {
        let Some((name, value)) = wanted.split_once(char::is_whitespace) else {
            let session = self.follow.session.snapshot();
            options::lines(session.config(), Paint::of(&io::stdout()))
                .iter()
                .for_each(|line| println(line));
            return say(DIM, "Set an option with /options OPTION VALUE.");
        };
        let session = self.follow.session.snapshot();
        let is_switch =
            matches!(session.config().value(name), Some(SessionConfigOptionValue::Boolean(_)));
        let value: SessionConfigOptionValue = match value.trim() {
            "on" | "true" | "yes" if is_switch => true.into(),
            "off" | "false" | "no" if is_switch => false.into(),
            value => value.into(),
        };
        if let Err(error) = self.follow.session.set(name, value).await {
            say(RED, &error.to_string());
        }
    }
}
