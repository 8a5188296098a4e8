use crate::models::Models;
use crate::testing::server::{Reply, Server};
use serde_json::json;
use std::path::PathBuf;

const NAME: &str = "ATTACHE_MODEL";

fn models(variables: &[(&str, &str)], folder: Option<PathBuf>) -> Models {
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    };
    Models::of(&environment, None).unwrap().and_live(folder)
}

fn list(window: u64) -> serde_json::Value {
    json!({"data": [{"id": "m", "max_model_len": window}]})
}

#[tokio::test]
async fn an_unknown_model_at_a_configured_address_has_the_window_that_its_server_reports() {
    let server = Server::by_path(&[("/v1/models", list(9000))]).await;
    let given = [("OPENAI_BASE_URL", server.url.as_str()), (NAME, "openai/m")];
    let models = models(&given, None);
    let window = || {
        let known = models.find("openai/m").unwrap();
        (known.window, known.window_assumed)
    };
    assert_eq!(window(), (128_000, true));
    models.look().await;
    assert_eq!(window(), (9000, false));
    let asked = server.paths().len();
    models.look().await;
    assert_eq!(server.paths().len(), asked, "a server is asked once");
}

#[tokio::test]
async fn models_with_a_known_window_and_models_that_nobody_chose_are_not_asked_about() {
    let server = Server::by_path(&[("/v1/models", list(9000))]).await;
    let key = ("OPENAI_API_KEY", "k");
    let (of, known) = (("OPENAI_BASE_URL", server.url.as_str()), (NAME, "openai/gpt-5"));
    models(&[of, key, known], None).look().await;
    models(&[of, key], None).look().await;
    assert_eq!(server.paths(), [""; 0]);
}

#[tokio::test]
async fn an_answer_is_kept_for_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("models");
    let entry = json!({"id": "claude-next-9", "max_input_tokens": 9000});
    let server = Server::by_path(&[("/v1/models/claude-next-9", entry)]).await;
    let base = server.url.trim_end_matches("/v1");
    let given = [
        ("ANTHROPIC_BASE_URL", base),
        ("ANTHROPIC_API_KEY", "k"),
        (NAME, "anthropic/claude-next-9"),
    ];
    models(&given, Some(folder.clone())).look().await;
    assert_eq!(server.paths().len(), 1);
    let second = models(&given, Some(folder.clone()));
    second.look().await;
    assert_eq!(second.find("anthropic/claude-next-9").unwrap().window, 9000);
    assert_eq!(server.paths().len(), 1);
    for file in std::fs::read_dir(&folder).unwrap() {
        std::fs::write(file.unwrap().path(), "{").unwrap();
    }
    models(&given, Some(folder)).look().await;
    assert_eq!(server.paths().len(), 2, "a corrupt file is no file");
}

/// The server can be started again with another window.
#[tokio::test]
async fn the_answer_of_a_server_on_this_machine_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    for window in [9000, 8000] {
        let server = Server::by_path(&[("/v1/models", list(window))]).await;
        let given = [("OPENAI_BASE_URL", server.url.as_str()), (NAME, "openai/m")];
        let models = models(&given, Some(folder.path().to_owned()));
        models.look().await;
        assert_eq!(models.find("openai/m").unwrap().window, window);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A server that never answers delays a session only for a limited time, and its late answer is
/// used.
#[tokio::test]
async fn a_silent_provider_leaves_the_model_usable() {
    let hanging = Reply::nothing().then_hang();
    let server = Server::start(vec![hanging]).await;
    let base = server.url.trim_end_matches("/v1");
    let given = [
        ("ANTHROPIC_BASE_URL", base),
        ("ANTHROPIC_API_KEY", "k"),
        (NAME, "anthropic/claude-opus-7"),
    ];
    let models = models(&given, None);
    models.look().await;
    let known = models.find("anthropic/claude-opus-7").unwrap();
    assert_eq!((known.window, known.window_assumed), (128_000, true));
    assert_eq!(models.default_model(), "anthropic/claude-opus-7");
}
