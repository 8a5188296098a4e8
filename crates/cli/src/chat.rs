//! `attache chat`: a conversation, line by line, in any terminal. The hub holds its state.

mod command;
mod rewind;

use crate::args;
use crate::checkpoints;
use crate::chosen_agent::{BUILT_IN_NAME, ChosenAgent, acts_by_itself, not_opened};
use crate::exit::{Exit, Failure};
use crate::follow::{Follow, is_notable};
use crate::front_end::{self, add_agent};
use crate::key::NoEcho;
use crate::key::type_ahead::TypeAhead;
use crate::lines::{Input, Lines};
use crate::permission::{Verdict, rules};
use crate::run::budget::Budget;
use crate::run::trace::Trace;
use crate::run::{self, attach, mcp_file};
use crate::say::{println, say};
use crate::screen::first_session;
use crate::settings::Settings;
use crate::show::paint::{DIM, Paint, YELLOW};
use crate::show::width;
use crate::{folder, key, store, terminal};
use attache_client::{Change, Hub, ListedSession, Options};
use attache_screen::composer::{HistoryFile, from_stored};
use attache_session::Store;
use attache_view::sanitize;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

/// A conversation.
struct Chat {
    hub: Hub,
    cwd: PathBuf,
    follow: Follow,
    lines: Lines,
    /// The budget of each session.
    budget: Option<Budget>,
    /// The sessions in the latest list, for `/switch N`.
    listed: Vec<ListedSession>,
}

/// The next step of the conversation.
enum Next {
    Go,
    End,
}

/// Runs `attache chat`.
pub(crate) async fn chat(arguments: args::Chat) -> Result<Exit, Failure> {
    // Lines can come through a pipe, but questions are always asked at the terminal.
    if !key::can_ask() || !io::stdout().is_terminal() {
        let advice = "`attache run \"PROMPT\"` works without one";
        return Err(Failure::usage(format!("a conversation needs a terminal: {advice}")));
    }
    let cwd = run::folder(arguments.cwd.as_deref())?;
    let silent = io::stdin().is_terminal().then(NoEcho::begin).transpose().map_err(ours)?;
    let mut type_ahead = TypeAhead::new(silent.is_some());
    type_ahead.start();
    let rules = rules::open()?;
    let store = store::open_user_store().map(|store| Arc::new(store) as Arc<dyn Store>);
    let is_kept = store.is_some();
    let begin = arguments.begin;
    let stored =
        first_session::find(begin.resume.as_deref(), arguments.agent.as_deref(), store.as_deref())?;
    let cwd = stored.cwd.clone().filter(|cwd| cwd.is_dir()).unwrap_or(cwd);
    let trace = begin.trace.as_deref().map(Trace::create).transpose()?;
    let servers = begin.mcp.as_deref().map(|file| mcp_file::servers(file, &cwd)).transpose()?;
    let client = match &trace {
        Some(trace) => Options::default().tap(trace.tap()),
        None => Options::default(),
    };
    let (options, by_rule) = front_end::hub_options(client, rules.clone(), store);
    trace.iter().for_each(|trace| checkpoints::leave_out(&options, trace));
    let hub = Hub::new(options);
    let agent = arguments.agent.as_deref().or(stored.agent.as_deref());
    let token = arguments.token_file.as_deref();
    let ChosenAgent { name, known, built_in, .. } =
        add_agent(&hub, agent, &begin.env, &cwd, arguments.protocol, token)?;
    if built_in {
        crate::models::usable().await?;
    }
    let paint = Paint::of(&io::stdout());
    println(&format!("{} {}", paint.paint(DIM, "starting"), sanitize::line(&name)));
    // The built-in agent reports unusable settings only on its own stderr, which is not shown.
    for trouble in (name == BUILT_IN_NAME).then(Settings::read).iter().flat_map(Settings::troubles)
    {
        say(YELLOW, trouble);
    }
    let opening = match stored.id {
        Some(id) => hub.switch(&name, id, Some(&cwd)),
        None => hub.open(&name, &cwd),
    };
    let opening = opening.mcp_servers(servers.into_iter().flatten());
    let session = opening.await.map_err(|error| not_opened(&error, known))?;
    run::configure(&session, begin.mode.as_deref(), &begin.set).await?;
    let history = is_kept.then(folder::data).flatten();
    let history = history.map(|folder| HistoryFile::new(folder.join("chat_history")));
    let _as_it_was = key::SavedSettings::keep().map_err(ours)?;
    let lines = Lines::new(history).map_err(ours)?;
    let follow = Follow::new(session, rules.clone(), by_rule, type_ahead).map_err(ours)?;
    let mut chat = Chat { hub, cwd, follow, lines, budget: arguments.budget, listed: Vec::new() };
    chat.set_budget();
    chat.say_who_acts();
    say(DIM, "/help lists the commands; Ctrl-D ends the conversation.");
    let ended = chat.converse(stored.pick, begin.prompt).await;
    chat.hub.close().await;
    if let Some(trouble) = rules.take_log_trouble() {
        say(YELLOW, &trouble.to_string());
    }
    if let Some(trouble) = trace.and_then(|trace| trace.trouble()) {
        say(YELLOW, &trouble);
    }
    ended
}

fn ours(error: io::Error) -> Failure {
    Failure::new(Exit::Internal, format!("the terminal cannot be used: {error}"))
}

impl Chat {
    /// Tells the person if the agent of the session acts by itself.
    fn say_who_acts(&self) {
        let agent = self.follow.session.agent().connection();
        if let Some(text) = agent.and_then(|agent| acts_by_itself(&agent)) {
            say(YELLOW, text);
        }
    }

    async fn converse(
        &mut self,
        pick: Option<String>,
        prompt: Option<String>,
    ) -> Result<Exit, Failure> {
        if let Some(words) = pick {
            self.switch(&words).await;
        }
        if let Some(prompt) = prompt {
            self.line(prompt.trim()).await?;
        }
        loop {
            self.follow.until_idle().await?;
            self.complete_commands();
            self.follow.type_ahead.stop();
            let draft = self.follow.type_ahead.take();
            self.lines.ask(self.prompt(), draft);
            let input = loop {
                tokio::select! {
                    biased;
                    _ = self.follow.end.recv() => return Ok(Exit::Cancelled),
                    _ = self.follow.interrupt.recv() => {
                        if self.lines.abandon() {
                            break Input::Nothing;
                        }
                    }
                    input = self.lines.next() => break input,
                    // The person is typing, so changes appear above their line.
                    update = self.follow.watch.next() => match update {
                        Some(update) if update.replaced => self.meanwhile(&[]),
                        Some(update) => self.meanwhile(&update.changes),
                        None => return Ok(Exit::Done),
                    },
                    Some((request, rule)) = self.follow.by_rule.recv() => {
                        let verdict = Verdict::by_rule(&request, rule);
                        let lines = verdict.lines(&request, &self.cwd, terminal::columns());
                        self.lines.print(&lines.join("\n"));
                    }
                }
            };
            self.follow.type_ahead.start();
            let next = match input {
                Input::End => Next::End,
                Input::Nothing => Next::Go,
                Input::Line(line) => self.line(line.trim()).await?,
            };
            if matches!(next, Next::End) {
                return Ok(Exit::Done);
            }
        }
    }

    /// Runs the line if it is a command of this program, or sends it to the agent.
    async fn line(&mut self, line: &str) -> Result<Next, Failure> {
        if let Some(next) = self.command(line).await? {
            return Ok(next);
        }
        let said = line.strip_prefix('/').filter(|rest| rest.starts_with('/')).unwrap_or(line);
        if said.is_empty() {
            return Ok(Next::Go);
        }
        let agent = self.follow.session.agent().connection();
        let takes =
            agent.map(|agent| agent.capabilities().prompt_capabilities.clone()).unwrap_or_default();
        // A line of the history can have pasted texts and images of the screen.
        let prompt = front_end::prompt(&from_stored(said));
        let attached = attach(&prompt, self.follow.session.cwd(), &takes);
        attached.warnings.iter().for_each(|warning| say(YELLOW, warning));
        self.follow.send(attached.blocks).await?;
        Ok(Next::Go)
    }

    /// Shows the changes that the person should know about while they type.
    fn meanwhile(&mut self, changes: &[Change]) {
        for change in changes {
            let line = match change {
                Change::Notice(notice) => notice.title.clone(),
                Change::Text(text) => text.clone(),
                Change::ToolCall(call) => call.title.clone(),
                _ => continue,
            };
            self.lines.print(&sanitize::text(&line));
        }
        let state = self.follow.session.state();
        if is_notable(&state) {
            self.lines.print(&sanitize::line(&state.to_string()));
        }
        if !self.follow.session.questions().is_empty() {
            self.lines.print("the agent has a question: press Enter to see it");
        }
    }

    /// Returns the prompt: the agent, the mode and the used context, all of which matter for the
    /// next line.
    fn prompt(&self) -> String {
        let session = self.follow.session.snapshot();
        let mode =
            session.config().current_mode().map(|mode| format!(" {mode}")).unwrap_or_default();
        let full =
            session.usage().percentage().map(|percent| format!(" {percent} %")).unwrap_or_default();
        let words = format!("{}{mode}{full}", self.follow.session.agent().name());
        format!(
            "\n{} › ",
            width::cut(&sanitize::visible_line(&words), terminal::columns().unwrap_or(80) / 2)
        )
    }
}
