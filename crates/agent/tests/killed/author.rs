//! The agent that is killed.

use crate::script::{Step, script};
use attache_agent::{
    About, Author, Error, Opening, Result, StopReason, ToolCallHandle, ToolKind, Turn,
};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionKind, SessionConfigOption, SessionConfigSelectOption,
};

pub(crate) const NAME: &str = "streamer";

/// Performs the script of a prompt.
pub(crate) struct Streamer;

impl Author for Streamer {
    type Memory = Vec<String>;

    fn about(&self) -> About {
        About::new(NAME, "1")
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<Vec<String>> {
        let values = (0..10).map(|number| {
            let value = format!("v{number}");
            SessionConfigSelectOption::new(value.clone(), value)
        });
        opening.options(vec![SessionConfigOption::select(
            "style",
            "Style",
            "v0",
            values.collect::<Vec<_>>(),
        )]);
        opening.remembered()
    }

    async fn turn(&self, memory: &mut Vec<String>, turn: &Turn) -> Result<StopReason> {
        if turn.text() == "recall" {
            turn.say(&format!("{memory:?}")).await?;
            return Ok(StopReason::EndTurn);
        }
        let mut call = None;
        for step in script(turn.text()) {
            match step {
                Step::Say(text) => turn.say(&text).await?,
                Step::Think(text) => turn.think(&text).await?,
                Step::Tool(title) => {
                    call = Some(turn.tool_call(title, ToolKind::Read).announce().await?)
                }
                Step::Ask => ask(turn, call.as_ref()).await?,
                Step::Output(text) => match &mut call {
                    Some(call) => call.text(text).await?,
                    None => return Err(Error::failed("no tool runs")),
                },
                Step::Done => match call.take() {
                    Some(call) => call.complete().await?,
                    None => return Err(Error::failed("no tool runs")),
                },
                Step::Title(title) => turn.title(&title).await?,
                Step::Remember(text) => {
                    turn.remember(&text).await?;
                    memory.push(text);
                }
            }
        }
        Ok(StopReason::EndTurn)
    }
}

/// Asks for permission. The client answers once it has read everything before the request, so the
/// agent is never far ahead of the client.
async fn ask(turn: &Turn, call: Option<&ToolCallHandle>) -> Result<()> {
    let call = call.ok_or_else(|| Error::failed("no tool runs"))?;
    let options = vec![PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce)];
    match turn.ask_permission(call, options).await?.allowed() {
        true => Ok(()),
        false => Err(Error::failed("the client said no")),
    }
}
