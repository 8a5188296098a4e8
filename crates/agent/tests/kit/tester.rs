//! An agent that performs the action named by the prompt.

use attache_agent::{About, Author, Error, Opening, Result, StopReason, ToolKind, Turn, diff};
use attache_protocol::v1::*;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

#[derive(Clone, Default)]
pub(crate) struct Tester {
    /// The author's observations, in order.
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    /// Lets a waiting turn continue.
    pub(crate) go: Arc<Notify>,
    /// A turn that is still held after its end.
    pub(crate) kept: Arc<Mutex<Option<Turn>>>,
    pub(crate) about: Option<About>,
}

impl Tester {
    pub(crate) fn with(about: About) -> Self {
        Self { about: Some(about), ..Self::default() }
    }

    fn note(&self, what: impl Into<String>) {
        self.log.lock().unwrap().push(what.into());
    }

    pub(crate) fn noted(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

/// Notes when the future that contains it is dropped.
struct Dropped<'t>(&'t Tester, &'static str);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.note(self.1);
    }
}

pub(crate) fn options(mode: &str) -> Vec<SessionConfigOption> {
    let value = |value: &str| SessionConfigSelectOption::new(value, value.to_uppercase());
    let mut modes =
        SessionConfigOption::select("how", "How", mode, vec![value("ask"), value("code")]);
    modes.category = Some(SessionConfigOptionCategory::Mode);
    let mut models = SessionConfigOption::select(
        "model",
        "Model",
        "small",
        vec![value("small"), value("large")],
    );
    models.category = Some(SessionConfigOptionCategory::Model);
    vec![models, modes, SessionConfigOption::boolean("web", "Web", true)]
}

impl Author for Tester {
    type Memory = Vec<String>;

    fn about(&self) -> About {
        self.about.clone().unwrap_or_else(|| About::new("tester", "1"))
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<Vec<String>> {
        match opening.cwd().file_name().and_then(|name| name.to_str()) {
            Some("panics") => panic!("as asked"),
            Some("login") => return Err(Error::AuthRequired("log in first".to_owned())),
            Some("bare") => return Ok(Vec::new()),
            Some("wrong") => opening.options(options("nothing")),
            Some("waits") => std::future::pending().await,
            _ => opening.options(options("ask")),
        }
        opening.commands(vec![AvailableCommand::new("plan", "Make a plan")]);
        Ok(vec![opening.roots().len().to_string()])
    }

    async fn turn(&self, memory: &mut Vec<String>, turn: &Turn) -> Result<StopReason> {
        memory.push(turn.text().to_owned());
        self.note(format!("began {}", turn.text()));
        match turn.text() {
            "remembered" => turn.say(&memory.join(",")).await?,
            "panic" => panic!("as asked"),
            "fail" => {
                return Err(Error::caused("no luck", std::io::Error::other("the disk is full")));
            }
            "invalid" => return Err(Error::invalid("that makes no sense")),
            "unknown reason" => return Ok(StopReason::Unknown("pause".into())),
            "wait" => {
                self.go.notified().await;
                turn.say("waited").await?;
            }
            "wait for cancel" => {
                turn.say("waiting").await?;
                turn.cancelled().await;
                self.note(format!("{:?}", turn.say("too late").await));
                return Err(Error::failed("whatever"));
            }
            "panic when cancelled" => {
                turn.say("waiting").await?;
                turn.cancelled().await;
                panic!("as asked");
            }
            "ignore cancel" => {
                let _dropped = Dropped(self, "dropped");
                let _call = turn.tool_call("Endless", ToolKind::Other).start().await?;
                std::future::pending::<()>().await;
            }
            "messages" => {
                turn.think("hm ").await?;
                turn.think("ok").await?;
                turn.say("a").await?;
                turn.say("b").await?;
                turn.tool_call("Look", ToolKind::Read).start().await?.complete().await?;
                turn.say("c").await?;
            }
            "long" => turn.say(&"ä\n".repeat(60_000)).await?,
            "tool" => {
                let call =
                    turn.tool_call("Edit a", ToolKind::Edit).name("edit").location("/a", Some(1));
                let mut call = call.content(diff("/a", None, "new")).announce().await?;
                call.start().await?;
                call.start().await?;
                call.text("done").await?;
                call.complete().await?;
            }
            "drop tool" => drop(turn.tool_call("Lost", ToolKind::Other).start().await?),
            "leave tool open" => {
                std::mem::forget(turn.tool_call("Open", ToolKind::Other).start().await?)
            }
            "relative path" => {
                drop(turn.tool_call("Bad", ToolKind::Read).location("a", None).announce().await?)
            }
            "line zero" => drop(
                turn.tool_call("Bad", ToolKind::Read).location("/a", Some(0)).announce().await?,
            ),
            "ask" => {
                let mut call = turn.tool_call("Delete all", ToolKind::Delete).announce().await?;
                let option = PermissionOption::new;
                let answer = turn.ask_permission(
                    &call,
                    vec![
                        option("y", "Yes", PermissionOptionKind::AllowOnce),
                        option("Y", "Always", PermissionOptionKind::AllowAlways),
                        option("n", "No", PermissionOptionKind::RejectOnce),
                    ],
                );
                let answer = answer.await?;
                self.note(format!("{answer:?}"));
                match answer.allowed() {
                    true => {
                        self.note("tool ran");
                        call.start().await?;
                        call.complete().await?;
                    }
                    false => call.fail("not allowed").await?,
                }
            }
            "keep" => *self.kept.lock().unwrap() = Some(turn.clone()),
            "flood" => {
                for index in 0..100_000_u32 {
                    turn.say("12345678901234567890123456789012").await?;
                    self.log.lock().unwrap().clear();
                    self.note(index.to_string());
                }
            }
            "busy" => {
                // The pauses let each line be written before the next one is sent, so nothing here
                // has a reason to wait.
                for _ in 0..20_000 {
                    turn.say("x").await?;
                    let started = std::time::Instant::now();
                    while started.elapsed() < std::time::Duration::from_micros(30) {}
                }
            }
            "code" => turn.config(options("code")).await?,
            "read" => {
                self.note(format!("{}", turn.client_reads()));
                let text = turn.read_text_file("/a", Some(2), None).await?;
                turn.say(&text).await?;
            }
            "report" => {
                let tokens = |total: u64| Usage::new(total, total - 1, 1_u64);
                turn.add_usage(tokens(10));
                turn.add_usage(tokens(20));
                turn.usage(30, 100, None).await?;
                turn.title("  A title ").await?;
                turn.notice(Notice::new(NoticeSeverity::Info, "Note")).await?;
                turn.plan(vec![PlanEntry::new(
                    "do",
                    PlanEntryPriority::High,
                    PlanEntryStatus::Pending,
                )])
                .await?;
            }
            "options" => {
                self.go.notified().await;
                turn.say(&format!("{:?} {:?}", turn.option("model"), turn.mode())).await?;
            }
            text => turn.say(text).await?,
        }
        Ok(StopReason::EndTurn)
    }

    fn option_set(
        &self,
        _: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        match option.as_str() {
            "model" if options[0].current_value() == Some("large".into()) => {
                options[0].name = "Large model".into()
            }
            "web" => panic!("as asked"),
            _ => {}
        }
        Ok(())
    }
}
