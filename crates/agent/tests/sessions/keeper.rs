//! An agent with a memory that performs the action named by the prompt.

use attache_agent::{
    About, Author, Error, Opening, Result, StopReason, SystemPromptModes, ToolKind, Turn, diff,
};
use attache_protocol::v1::*;
use attache_protocol::{Meta, Raw};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use tokio::task::JoinSet;

#[derive(Clone, Default)]
pub(crate) struct Keeper {
    /// The author's observations, in order.
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    pub(crate) go: Arc<Notify>,
    /// What continues after a turn.
    pub(crate) tasks: Arc<Mutex<JoinSet<()>>>,
    /// The action when a session is opened.
    pub(crate) opens: Opens,
    pub(crate) system_prompts: bool,
}

#[derive(Clone, Default, PartialEq)]
pub(crate) enum Opens {
    #[default]
    Well,
    Panics,
    Never,
    /// Sets these options.
    With(Vec<SessionConfigOption>),
    /// Sends something through the handle before the client knows the session.
    Saying,
}

impl Keeper {
    pub(crate) fn that(opens: Opens) -> Self {
        Self { opens, ..Self::default() }
    }

    pub(crate) fn noted(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

fn select(id: &str, current: &str, values: &[&str]) -> SessionConfigOption {
    let values: Vec<_> =
        values.iter().map(|value| SessionConfigSelectOption::new(*value, *value)).collect();
    SessionConfigOption::select(id, id, current, values)
}

/// A mode, a model, and an effort whose values depend on the model.
pub(crate) fn options() -> Vec<SessionConfigOption> {
    let mut modes = select("mode", "ask", &["ask", "code"]);
    modes.category = Some(SessionConfigOptionCategory::Mode);
    let models = select("model", "small", &["small", "large"]);
    vec![modes, models, effort("small"), SessionConfigOption::boolean("web", "Web", false)]
}

pub(crate) fn effort(model: &str) -> SessionConfigOption {
    match model {
        "large" => select("effort", "low", &["low", "high", "max"]),
        _ => select("effort", "low", &["low", "high"]),
    }
}

impl Author for Keeper {
    type Memory = Vec<String>;

    fn about(&self) -> About {
        let about = About::new("keeper", "1").additional_directories();
        match self.system_prompts {
            true => about.system_prompt(SystemPromptModes::AppendAndOverride),
            false => about,
        }
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<Vec<String>> {
        let system_prompt = opening.system_prompt().map(|prompt| {
            let texts: Vec<_> = prompt.content.iter().filter_map(ContentBlock::as_text).collect();
            format!(" {} {}", prompt.mode.as_str(), texts.join("/"))
        });
        self.note(format!("{:?}{}", opening.origin(), system_prompt.unwrap_or_default()));
        match &self.opens {
            Opens::Panics => panic!("as asked"),
            Opens::Never => std::future::pending().await,
            Opens::With(options) => opening.options(options.clone()),
            Opens::Saying => {
                opening.handle().title("Said early").await?;
                opening.handle().notice(Notice::new(NoticeSeverity::Info, "Early")).await?;
            }
            Opens::Well => opening.options(options()),
        }
        opening.commands(vec![AvailableCommand::new("plan", "Make a plan")]);
        self.note(format!("{} entries", opening.session().entries().len()));
        opening.remembered()
    }

    async fn turn(&self, memory: &mut Vec<String>, turn: &Turn) -> Result<StopReason> {
        let (what, rest) = turn.text().split_once(' ').unwrap_or((turn.text(), ""));
        self.note(format!("began {}", turn.text()));
        match what {
            "say" => turn.say(rest).await?,
            "remember" => {
                memory.push(rest.to_owned());
                turn.remember(rest).await?;
            }
            "anew" => {
                *memory = vec![rest.to_owned()];
                turn.remember_only(rest).await?;
            }
            "recall" => turn.say(&memory.join(",")).await?,
            "remember-after-cancel" => {
                turn.say("waiting").await?;
                turn.cancelled().await;
                turn.remember(rest).await?;
            }
            "remember-too-much" => turn.remember(&"x".repeat(17 << 20)).await?,
            "roots" => turn.say(&format!("{:?}", turn.roots())).await?,
            "everything" => everything(turn).await?,
            "tool" => {
                let _open = turn.tool_call("Long", ToolKind::Execute).start().await?;
                turn.say("working").await?;
                self.go.notified().await;
            }
            "wait" => {
                turn.say("waiting").await?;
                self.go.notified().await;
            }
            "ignore" => {
                turn.say("waiting").await?;
                std::future::pending::<()>().await;
            }
            "code" => {
                self.go.notified().await;
                let mut options = options();
                options[0].kind = select("mode", "code", &["ask", "code"]).kind;
                turn.config(options).await?;
                turn.say("done").await?;
            }
            "flood" => {
                let text = "x".repeat(32 * 1024);
                for said in 0..1000_u32 {
                    self.log.lock().unwrap().clear();
                    self.note(said.to_string());
                    turn.say(&text).await?;
                }
            }
            // A title now, and another one after the turn.
            "title" => {
                turn.title(rest).await?;
                let (session, go) = (turn.session(), Arc::clone(&self.go));
                let later = format!("{rest} later");
                self.tasks.lock().unwrap().spawn(async move {
                    go.notified().await;
                    let _ = session.title(&later).await;
                });
            }
            "fail" => return Err(Error::failed("no luck")),
            "panic" => panic!("as asked"),
            text => turn.say(text).await?,
        }
        Ok(StopReason::EndTurn)
    }

    fn option_set(
        &self,
        _: &SessionId,
        id: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        let value = |id: &str| {
            let option = options.iter().find(|option| option.id.as_str() == id);
            option.and_then(SessionConfigOption::current_value)
        };
        match (id.as_str(), value(id.as_str())) {
            ("model", Some(SessionConfigOptionValue::ValueId(model))) => {
                let mut new = [effort(model.as_str())];
                attache_session::keep_values(options, &mut new);
                if let Some(old) = options.iter_mut().find(|option| option.id.as_str() == "effort")
                {
                    [*old] = new;
                }
                Ok(())
            }
            ("web", Some(SessionConfigOptionValue::Boolean(true))) if self.system_prompts => {
                Err(Error::invalid("not today"))
            }
            _ => Ok(()),
        }
    }
}

/// Sends one update of each kind.
async fn everything(turn: &Turn) -> Result<()> {
    turn.think("Hm.").await?;
    turn.say("Let me ").await?;
    turn.say("look.").await?;
    let call = turn.tool_call("Edit a", ToolKind::Edit).location("/a", Some(3));
    let call = call.raw_input(Raw::from_text(r#"{"path":"/a"}"#).unwrap()).content(diff(
        "/a",
        Some("old"),
        "new",
    ));
    call.start().await?.complete().await?;
    let entry = |text: &str, status| PlanEntry::new(text, PlanEntryPriority::High, status);
    turn.plan(vec![entry("look", PlanEntryStatus::InProgress)]).await?;
    turn.plan(vec![
        entry("look", PlanEntryStatus::Completed),
        entry("do", PlanEntryStatus::Pending),
    ])
    .await?;
    turn.usage(50, 200, Some(Cost::new(0.25, "USD"))).await?;
    turn.title("A session").await?;
    turn.session()
        .info(Meta::new(Raw::from_text(r#"{"example.org/a":{"b":1}}"#).unwrap()).unwrap())
        .await?;
    turn.notice(Notice::new(NoticeSeverity::Info, "Not to be seen again")).await?;
    turn.say("Done.").await
}
