//! Refusals that a person must not meet twice.

use crate::client::Client;
use crate::columns::{begin, ended, has_read, models, on_day_of_list, project};
use crate::conversation::PLAIN;
use crate::server::Mock;
use attache_coder::{Coder, Models};
use serde_json::json;

/// Opens a session with these models in a project.
async fn open(models: Models, project: &tempfile::TempDir) -> Client {
    let agent = attache_agent::serve(Coder::with(models));
    let mut client = Client::connect(agent, json!({"session": {"notices": {}}})).await;
    let cwd = json!({"cwd": project.path(), "mcpServers": []});
    begin(&mut client, "session/new", cwd).await.unwrap();
    client
}

/// A gateway that passes requests on to OpenAI is assumed to have only Chat Completions. When
/// OpenAI refuses tools there, the agent switches to Responses, and stays with it.
#[tokio::test]
async fn gateway_in_front_of_openai_gets_responses_after_the_refusal() {
    for model in ["gpt-5.4", "gpt-5.6", "gpt-6.1-sol"] {
        let mock = Mock::start().await;
        let variables = [
            ("OPENAI_API_KEY", "sk-of-openai".to_owned()),
            ("OPENAI_BASE_URL", mock.url("gateway", "openai")),
            ("ATTACHE_MODEL", format!("openai/{model}")),
            ("ATTACHE_TITLES", "off".to_owned()),
        ];
        let environment = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
        };
        let project = project();
        let mut client =
            open(on_day_of_list(Models::of(&environment, None).unwrap()), &project).await;
        has_read(&client.prompt("[read]").await).unwrap();
        let refused = mock.refused("gateway");
        assert!(!refused.is_empty() && refused.len() <= 2, "{model}: {refused:#?}");
        has_read(&client.prompt("[read]").await).unwrap();
        assert_eq!(mock.refused("gateway"), refused, "{model}: no more refusals");
    }
}

/// A picture of more than 5 MiB in base64 is scaled, left out with a notice, or refused with the
/// reason; the next prompt works in any case.
#[tokio::test]
async fn picture_that_is_too_large_does_not_stay_in_the_conversation() {
    for model in ["anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5"] {
        let mock = Mock::start().await;
        let given = [("ATTACHE_MODEL", model), ("ATTACHE_TITLES", "off")];
        let project = project();
        let mut client = open(models(&mock, "large", &given), &project).await;
        let picture = "iVBORw0KGgo".to_owned() + &"A".repeat(6 * 1024 * 1024 + 1);
        let blocks = json!([
            {"type": "text", "text": "[plain]"},
            {"type": "image", "mimeType": "image/png", "data": picture},
        ]);
        let turn = client.prompt_blocks(blocks).await;
        let told = format!("{:?}{}", turn.all("notice"), turn.result);
        assert!(told.contains("image") || told.contains("picture"), "{model}: {told}");
        ended(&client.prompt("[plain]").await, PLAIN).unwrap();
    }
}
