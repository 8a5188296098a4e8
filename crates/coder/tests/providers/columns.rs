//! What a person does with a model: the columns of the table.

use crate::client::{Client, Turn};
use crate::conversation::{DONE, FILE, PLAIN, SEEN, SUMMARY};
use crate::server::Mock;
use attache_agent::serve;
use attache_coder::{Coder, Models};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A model with which every turn begins in the column of changed models. Its account is then empty.
const STARTER: &str = "starter/begins";

/// The environment variables of the providers: the key, and the base URL.
const PROVIDERS: [(&str, &str, &str); 7] = [
    ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    ("gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL"),
    ("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"),
    ("deepseek", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"),
    ("qwen", "DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL"),
    ("moonshot", "MOONSHOT_API_KEY", "MOONSHOT_BASE_URL"),
    ("mistral", "MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
];

/// A picture of one pixel.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// The columns, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Column {
    Plain,
    Tools,
    Thinking,
    Picture,
    SecondTurn,
    ChangeOfModel,
    Compaction,
    Overflow,
    Resume,
    Title,
}

impl Column {
    pub(crate) const ALL: [Self; 10] = [
        Self::Plain,
        Self::Tools,
        Self::Thinking,
        Self::Picture,
        Self::SecondTurn,
        Self::ChangeOfModel,
        Self::Compaction,
        Self::Overflow,
        Self::Resume,
        Self::Title,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tools => "tools",
            Self::Thinking => "thinking",
            Self::Picture => "picture",
            Self::SecondTurn => "second turn after tools",
            Self::ChangeOfModel => "change of model in a turn",
            Self::Compaction => "compaction",
            Self::Overflow => "overflow in a turn",
            Self::Resume => "resume",
            Self::Title => "title",
        }
    }
}

/// One cell of the table: a client of the mock that uses one model.
pub(crate) struct Cell<'m> {
    pub(crate) mock: &'m Mock,
    /// The name of this client.
    pub(crate) name: String,
    /// The model, such as `anthropic/claude-opus-5`.
    pub(crate) model: String,
}

/// The models of a program whose providers are at the mock.
pub(crate) fn models(mock: &Mock, client: &str, given: &[(&str, &str)]) -> Models {
    let url = |provider| mock.url(client, provider);
    let mut variables: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    for (provider, key, base_url) in PROVIDERS {
        variables.push((key.to_owned(), format!("sk-of-{provider}")));
        variables.push((base_url.to_owned(), url(provider)));
    }
    variables.push(("OPENAI_API_KEY".to_owned(), "sk-of-openai".to_owned()));
    // A base URL in the environment would mean another server, which has only Chat Completions.
    let own = json!({
        "providers": [
            {"id": "openai", "name": "OpenAI", "wire": "responses", "dialect": "open_ai",
             "base_url": url("openai"), "key_variable": "OPENAI_API_KEY"},
            {"id": "starter", "wire": "chat", "base_url": url("starter")},
        ],
        "models": [{"provider": "starter", "name": "begins", "window": 200_000}],
    });
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
    };
    on_day_of_list(Models::of(&environment, Some(&own.to_string())).unwrap())
}

impl Cell<'_> {
    /// Does what the column says, and returns what the cell shows.
    ///
    /// # Errors
    /// Returns an error that says what failed.
    pub(crate) async fn fill(&self, column: Column) -> Result<String, String> {
        match column {
            Column::Plain => self.plain().await,
            Column::Tools => self.tools().await,
            Column::Thinking => self.thinking().await,
            Column::Picture => self.picture().await,
            Column::SecondTurn => self.second_turn().await,
            Column::ChangeOfModel => self.change_of_model().await,
            Column::Compaction => self.compaction().await,
            Column::Overflow => self.overflow().await,
            Column::Resume => self.resume().await,
            Column::Title => self.title().await,
        }
    }

    fn models(&self, given: &[(&str, &str)]) -> Models {
        let fixed = [("ATTACHE_MODEL", self.model.as_str()), ("ATTACHE_TITLES", "off")];
        models(self.mock, &self.name, &[given, &fixed].concat())
    }

    async fn client(&self, store: &MemoryStore, given: &[(&str, &str)]) -> Client {
        let agent = serve(Coder::with(self.models(given))).store(store.clone());
        let shows = json!({"session": {"compaction": {}, "notices": {}}});
        Client::connect(agent, shows).await
    }

    async fn open(&self, project: &TempDir, given: &[(&str, &str)]) -> Result<Client, String> {
        let mut client = self.client(&MemoryStore::new(), given).await;
        begin(&mut client, "session/new", json!({"cwd": project.path(), "mcpServers": []})).await?;
        Ok(client)
    }

    async fn plain(&self) -> Result<String, String> {
        let project = project();
        let turn = self.open(&project, &[]).await?.prompt("[plain]").await;
        ended(&turn, PLAIN).map(|()| ok())
    }

    async fn tools(&self) -> Result<String, String> {
        let project = project();
        let turn = self.open(&project, &[]).await?.prompt("[read]").await;
        has_read(&turn).map(|()| ok())
    }

    /// Turns with each level, each in a new session.
    async fn thinking(&self) -> Result<String, String> {
        let known = self.models(&[]).find(&self.model).unwrap();
        if known.levels.is_empty() {
            return Ok("no levels".to_owned());
        }
        let mut shown = Vec::new();
        for level in &known.levels {
            let project = project();
            let mut client = self.open(&project, &[]).await?;
            let failed = |why: String| format!("{}: {why}", level.id);
            let set = client.set("thought_level", &level.id).await;
            if set.get("error").is_some() {
                return Err(failed(set["error"]["message"].to_string()));
            }
            let turn = client.prompt("[read]").await;
            has_read(&turn).map_err(failed)?;
            // With `between_tools` the model may answer without a thought.
            let is_off = ["off", "none", "between_tools"].contains(&level.id.as_str());
            let thoughts = turn.all("agent_thought_chunk");
            if !is_off && thoughts.is_empty() {
                return Err(failed("no thought is shown".to_owned()));
            }
            let is_default = known.default_level.as_ref() == Some(&level.id);
            shown.push(if is_default { format!("*{}*", level.id) } else { level.id.clone() });
        }
        Ok(shown.join(" "))
    }

    async fn picture(&self) -> Result<String, String> {
        let takes = self.models(&[]).find(&self.model).unwrap().takes_images;
        let project = project();
        let mut client = self.open(&project, &[]).await?;
        let blocks = json!([
            {"type": "text", "text": "[plain]"},
            {"type": "image", "mimeType": "image/png", "data": PICTURE},
        ]);
        let turn = client.prompt_blocks(blocks).await;
        let refusal = turn.result["error"]["message"].as_str().unwrap_or_default();
        match takes {
            false if refusal.contains("does not accept an image") => Ok("not accepted".to_owned()),
            false => Err(format!("a picture for a model without eyes: {:?}", turn.result)),
            true => ended(&turn, SEEN).map(|()| ok()),
        }
    }

    /// The mode changes between the turns.
    async fn second_turn(&self) -> Result<String, String> {
        let project = project();
        let mut client = self.open(&project, &[]).await?;
        has_read(&client.prompt("[read]").await)?;
        client.set("mode", "auto").await;
        has_read(&client.prompt("[read] again").await).map_err(in_turn("second turn"))?;
        has_read(&client.prompt("[read] again").await).map_err(in_turn("third turn"))?;
        Ok(ok())
    }

    /// Another model begins the turn with a tool call; this one is its fallback.
    async fn change_of_model(&self) -> Result<String, String> {
        let project = project();
        let given = [("ATTACHE_FALLBACK", self.model.as_str()), ("ATTACHE_MODEL", STARTER)];
        let mut client = self.open(&project, &given).await?;
        has_read(&client.prompt("[read]").await)?;
        has_read(&client.prompt("[read]").await).map_err(in_turn("second turn"))?;
        Ok(ok())
    }

    async fn compaction(&self) -> Result<String, String> {
        let project = project();
        let mut client = self.open(&project, &[]).await?;
        for prompt in ["[read]", "[long]", "[read]"] {
            ended(&client.prompt(prompt).await, "")?;
        }
        let turn = client.prompt("/compact").await;
        ended(&turn, "")?;
        match turn.all("compaction_update").last().map(|last| &last["status"]) {
            Some(status) if status == "completed" => {}
            other => return Err(format!("compaction: {other:?}")),
        }
        has_read(&client.prompt("[read]").await).map_err(in_turn("next turn"))?;
        Ok(ok())
    }

    /// The provider says in the middle of a turn that the conversation is too long.
    async fn overflow(&self) -> Result<String, String> {
        let project = project();
        let mut client = self.open(&project, &[]).await?;
        for prompt in ["[read]", "[long]"] {
            ended(&client.prompt(prompt).await, "")?;
        }
        has_read(&client.prompt("[overflow]").await)?;
        has_read(&client.prompt("[read]").await).map_err(in_turn("next turn"))?;
        Ok(ok())
    }

    /// Another process loads the session after the project's instructions have changed.
    async fn resume(&self) -> Result<String, String> {
        let (project, store) = (project(), MemoryStore::new());
        let mut client = self.client(&store, &[]).await;
        let cwd = json!({"cwd": project.path(), "mcpServers": []});
        begin(&mut client, "session/new", cwd).await?;
        has_read(&client.prompt("[read]").await)?;
        let session = client.session.clone();
        drop(client);
        std::fs::write(project.path().join("AGENTS.md"), "Use tabs.").unwrap();
        let mut client = self.client(&store, &[]).await;
        let params = json!({"sessionId": session, "cwd": project.path(), "mcpServers": []});
        begin(&mut client, "session/load", params).await?;
        has_read(&client.prompt("[read]").await).map_err(in_turn("after the load"))?;
        has_read(&client.prompt("[read]").await).map_err(in_turn("second turn"))?;
        Ok(ok())
    }

    async fn title(&self) -> Result<String, String> {
        let project = project();
        let mut client = self.open(&project, &[("ATTACHE_TITLES", "on")]).await?;
        ended(&client.prompt("[plain]").await, PLAIN)?;
        let wanted = SUMMARY.trim_end_matches('.');
        // A provider that refuses the request would otherwise leave the first title in place.
        let told = |update: &Value| {
            let update = &update["params"]["update"];
            let has_title = update["sessionUpdate"] == "session_info_update";
            has_title && update["title"] == wanted
        };
        let waiting = async {
            while self.mock.refused(&self.name).is_empty() {
                if told(&client.receive().await) {
                    return Ok(ok());
                }
            }
            Err("the request was refused".to_owned())
        };
        let patience = std::time::Duration::from_secs(10);
        tokio::time::timeout(patience, waiting).await.unwrap_or_else(|_| Err("no title".to_owned()))
    }
}

fn ok() -> String {
    "✓".to_owned()
}

fn in_turn(which: &str) -> impl Fn(String) -> String {
    move |why| format!("{which}: {why}")
}

pub(crate) fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), "one\ntwo\n").unwrap();
    folder
}

pub(crate) async fn begin(client: &mut Client, method: &str, params: Value) -> Result<(), String> {
    client.begin(method, params).await;
    match client.opened.get("error") {
        Some(error) => Err(error["message"].to_string()),
        None => Ok(()),
    }
}

/// Checks that the turn ended with this text.
pub(crate) fn ended(turn: &Turn, text: &str) -> Result<(), String> {
    if let Some(error) = turn.result.get("error") {
        return Err(error["message"].as_str().unwrap_or_default().to_owned());
    }
    match turn.stop_reason() == "end_turn" && turn.text().ends_with(text) {
        true => Ok(()),
        false => Err(format!("{}: {:?}", turn.stop_reason(), turn.text())),
    }
}

/// Checks that the turn read the file and then ended.
pub(crate) fn has_read(turn: &Turn) -> Result<(), String> {
    ended(turn, DONE)?;
    match turn.titles().as_slice() {
        [title] if title.starts_with("completed") => Ok(()),
        titles => Err(format!("tool calls: {titles:?}")),
    }
}

/// The models on the day of the list, so that the tests do not depend on the real day.
pub(crate) fn on_day_of_list(models: Models) -> Models {
    let day = models.prices_as_of().parse().unwrap();
    models.on_day(day)
}
