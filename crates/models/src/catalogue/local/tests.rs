use super::{LocalModel, asked, llama_cpp, lm_studio, local_servers, ollama_server, vllm};
use crate::http::{Http, Limits};
use crate::provider::Provider;
use crate::testing::server::{Reply, Server};
use crate::wire::Wire;
use serde_json::{Value, json};

fn provider(server: &Server) -> Provider {
    Provider::new("local", "Local", Wire::Chat, &server.url)
}

fn http() -> Http {
    Http::new(&|_| None, Limits::default())
}

async fn server(answers: &[Value]) -> Server {
    Server::start(
        answers.iter().map(|answer| Reply::status(200, "", &answer.to_string())).collect(),
    )
    .await
}

fn model(name: &str, window: Option<u64>) -> LocalModel {
    LocalModel { name: name.to_owned(), window }
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| request.split(' ').nth(1).unwrap().to_owned()).collect()
}

/// Ollama silently cuts text that is longer than its configured context, even if the model supports
/// more.
#[tokio::test]
async fn ollama_reports_the_context_of_each_model() {
    let shown = |parameters: &str| json!({"parameters": parameters, "model_info": {"llama.context_length": 131_072}});
    let server = server(&[
        json!({"models": [{"name": "loaded"}, {"name": "set"}, {"name": "unset"}, {"name": "small"}]}),
        json!({"models": [{"name": "loaded", "context_length": 8192}]}),
        shown("stop \"x\"\nnum_ctx                        16384"),
        shown(""),
        json!({"model_info": {"phi.context_length": 2048}}),
    ])
    .await;
    let found = ollama_server(&http(), provider(&server), Some(4096)).await.unwrap();
    let expected = [
        model("loaded", Some(8192)),
        model("set", Some(16384)),
        model("unset", Some(4096)),
        model("small", Some(2048)),
    ];
    assert_eq!(found.models, expected);
    assert_eq!(paths(&server), ["/api/tags", "/api/ps", "/api/show", "/api/show", "/api/show"]);
    assert!(server.requests()[2].ends_with(r#"{"model":"set"}"#));
}

#[tokio::test]
async fn an_unreported_context_of_ollama_is_unknown() {
    let server = server(&[
        json!({"models": [{"name": "m"}]}),
        json!({}),
        json!({"model_info": {"x.context_length": 131_072}}),
    ])
    .await;
    let found = ollama_server(&http(), provider(&server), None).await.unwrap();
    assert_eq!(found.models, [model("m", None)]);
}

#[tokio::test]
async fn the_other_servers_report_their_context() {
    let list = |model: Value| json!({"object": "list", "data": [model]});
    let llama = server(&[
        json!({"default_generation_settings": {"n_ctx": 16384}}),
        list(json!({"id": "a.gguf"})),
    ])
    .await;
    assert_eq!(
        llama_cpp(&http(), provider(&llama)).await.unwrap().models,
        [model("a.gguf", Some(16384))]
    );
    assert_eq!(paths(&llama), ["/props", "/v1/models"]);

    let models = json!({"data": [
        {"id": "loaded", "type": "llm", "max_context_length": 131_072, "loaded_context_length": 4096},
        {"id": "other", "type": "vlm", "max_context_length": 131_072},
        {"id": "text-embedding", "type": "embeddings"},
    ]});
    let studio = server(&[models]).await;
    let expected = [model("loaded", Some(4096)), model("other", None)];
    assert_eq!(lm_studio(&http(), provider(&studio)).await.unwrap().models, expected);

    let other = server(&[list(json!({"id": "org/model", "max_model_len": 32768}))]).await;
    assert_eq!(
        vllm(&http(), provider(&other)).await.unwrap().models,
        [model("org/model", Some(32768))]
    );
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_found() {
    let error = json!({"error": {"message": "Loading model", "code": 503}});
    let server = Server::start(vec![Reply::status(503, "", &error.to_string())]).await;
    let found = llama_cpp(&http(), provider(&server)).await.unwrap();
    assert!(found.is_loading && found.models.is_empty());
}

#[tokio::test]
async fn a_server_of_another_kind_is_ignored() {
    for reply in [Reply::status(404, "", "{}"), Reply::status(200, "", "<html>"), Reply::nothing()]
    {
        let server = Server::start(vec![reply]).await;
        assert_eq!(vllm(&http(), provider(&server)).await, None);
    }
}

#[tokio::test]
async fn a_silent_server_does_not_delay_the_search() {
    let mut server = Server::start(vec![Reply::nothing().then_hang()]).await;
    assert_eq!(asked(&http(), &provider(&server), "/props", None).await, None);
    server.closed.recv().await.unwrap();
}

#[tokio::test]
async fn local_servers_are_found_where_the_environment_says() {
    let server = server(&[json!({"models": [{"name": "m"}]}), json!({}), json!({})]).await;
    let host = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let environment = |name: &str| match name {
        "OLLAMA_HOST" => Some(host.clone()),
        "OLLAMA_CONTEXT_LENGTH" => Some("9000".to_owned()),
        _ => None,
    };
    let found = local_servers(&http(), &environment).await;
    // Other model servers may be running on this machine.
    let ollama = found.iter().find(|found| found.provider.base_url == server.url).unwrap();
    assert_eq!(
        (ollama.provider.id.as_str(), &ollama.models),
        ("ollama", &vec![model("m", Some(9000))])
    );
    assert!(ollama.provider.is_local());
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_read() {
    let long = json!({"data": [{"id": "m", "max_model_len": 9000, "filler": "x".repeat(2 << 20)}]});
    let server = server(&[long]).await;
    assert_eq!(vllm(&http(), provider(&server)).await, None);
}
