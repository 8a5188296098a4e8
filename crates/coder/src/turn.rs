//! The loop of a turn: the model goes on, its tools are used, it goes on with their results, until it is done.

use crate::coder::{Memory, Record};
use crate::conversation::{Forgotten, Message, Prompt};
use crate::models::{Model, ModelEvent};
use crate::options::SHOW_THOUGHTS;
use crate::tools::fit::{counted, one_line};
use crate::tools::{Action, Toolbox};
use attache_agent::{Error, Result, StopReason, Turn};
use attache_protocol::v1::SessionConfigOptionValue;

/// How many times the model goes on in one turn.
const STEPS: usize = 50;

/// How long a title is, in characters.
const TITLE: usize = 60;

/// Answers one prompt.
pub(crate) async fn run(model: &dyn Model, memory: &mut Memory, turn: &Turn) -> Result<StopReason> {
    let prompt = Prompt::of(turn.prompt(), memory.folders.cwd());
    entitle(memory, turn, &prompt).await?;
    let needed = prompt.tokens();
    if needed > model.window() {
        let (needed, window) = (counted(needed, "token"), counted(model.window(), "token"));
        turn.say(&format!(
            "This prompt is too long: about {needed}, and the model takes {window}. I left it out.\n"
        ))
        .await?;
        turn.usage(memory.conversation.tokens(), model.window(), None).await?;
        return Ok(StopReason::MaxTokens);
    }
    keep(memory, turn, Message::Person(prompt)).await?;
    for _ in 0..STEPS {
        let forgotten = memory.conversation.fit(model.window());
        if forgotten != Forgotten::default() {
            turn.say(&words(forgotten, model.window())).await?;
        }
        let (said, wanted, stop) = step(model, memory, turn).await?;
        if !said.is_empty() {
            keep(memory, turn, Message::Model(said)).await?;
        }
        turn.usage(memory.conversation.tokens(), model.window(), None).await?;
        if wanted.is_empty() {
            return Ok(stop);
        }
        for action in wanted {
            let mut toolbox = Toolbox {
                turn,
                folders: &memory.folders,
                policy: &mut memory.policy,
                seen: &mut memory.seen,
            };
            let result = toolbox.act(&action).await?;
            keep(memory, turn, Message::Tool(action, result)).await?;
        }
    }
    Ok(StopReason::MaxTurnRequests)
}

/// Puts a message into the conversation, here and in the store.
async fn keep(memory: &mut Memory, turn: &Turn, message: Message) -> Result<()> {
    let record = Record::Message(message);
    turn.remember(&record).await?;
    if let Record::Message(message) = record {
        memory.conversation.push(message);
    }
    Ok(())
}

/// Lets the model go on once: what it said, the tools that it wants, and why it stopped.
async fn step(model: &dyn Model, memory: &Memory, turn: &Turn) -> Result<(String, Vec<Action>, StopReason)> {
    let (mut said, mut wanted, mut stop) = (String::new(), Vec::new(), StopReason::EndTurn);
    let mut step = model.step(&memory.conversation);
    while let Some(event) = step.next().await {
        match event {
            ModelEvent::Text(text) => {
                turn.say(&text).await?;
                said.push_str(&text);
            }
            ModelEvent::Thought(text) if shows_thoughts(turn) => turn.think(&text).await?,
            ModelEvent::Thought(_) => {}
            ModelEvent::Use(action) => wanted.push(action),
            ModelEvent::Spent(tokens) => turn.spent(tokens),
            ModelEvent::Stop(reason) => stop = reason,
        }
    }
    Ok((said, wanted, stop))
}

fn shows_thoughts(turn: &Turn) -> bool {
    turn.option(SHOW_THOUGHTS) != Some(SessionConfigOptionValue::Boolean(false))
}

/// Gives the session its title: the beginning of the first prompt that has text.
async fn entitle(memory: &mut Memory, turn: &Turn, prompt: &Prompt) -> Result<()> {
    let first = prompt.text.lines().chain(prompt.with_paths.lines()).map(|line| one_line(line, TITLE));
    let Some(title) = first.into_iter().find(|line| !line.is_empty()).filter(|_| !memory.titled) else {
        return Ok(());
    };
    memory.titled = true;
    match turn.title(&title).await {
        // Nothing of it can be seen, so the session goes without a title.
        Err(Error::Invalid(_)) => Ok(()),
        entitled => entitled,
    }
}

fn words(forgotten: Forgotten, window: u64) -> String {
    let what = match forgotten {
        Forgotten { turns: 0, results } => format!("{} of this turn", counted(results as u64, "tool result")),
        Forgotten { turns, results: 0 } => counted(turns as u64, "turn"),
        Forgotten { turns, results } => {
            format!(
                "{} and {} of this one",
                counted(turns as u64, "turn"),
                counted(results as u64, "tool result")
            )
        }
    };
    let window = counted(window, "token");
    format!("(The conversation passed the window of {window}: I forgot the oldest {what}.)\n\n")
}
