use crate::models::Models;
use crate::testing::server::{Reply, Server};
use serde_json::json;
use std::path::PathBuf;

const NAME: &str = "ATTACHE_MODEL";

fn models(variables: &[(&str, &str)], folder: Option<PathBuf>) -> Models {
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    };
    let models = Models::of(&environment, None).unwrap();
    let as_of = models.prices_as_of().parse().unwrap();
    models.on_day(as_of).and_live(folder)
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

/// The server of these tests is on this machine, so a proxy leads to it.
#[tokio::test]
async fn an_answer_is_kept_for_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("models");
    let entry = json!({"id": "claude-next-9", "max_input_tokens": 9000});
    let address = "http://gateway.example/the-key-in-a-path";
    let path = format!("{address}/v1/models/claude-next-9");
    let server = Server::by_path(&[(&path, entry)]).await;
    let given = [
        ("HTTP_PROXY", server.url.trim_end_matches("/v1")),
        ("ANTHROPIC_BASE_URL", address),
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
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("claude-next-9") && !text.contains("the-key"), "{text}");
        std::fs::write(path, "{").unwrap();
    }
    models(&given, Some(folder)).look().await;
    assert_eq!(server.paths().len(), 2, "a corrupt file is no file");
}

/// The key may be replaced, and a limit on the rate ends.
#[tokio::test]
async fn a_provider_that_does_not_answer_now_is_asked_again() {
    for (status, asks_again) in [(401, true), (403, true), (429, true), (503, true), (404, false)] {
        let server = Server::by_path_else(&[], status).await;
        let given = [("OPENAI_BASE_URL", server.url.as_str()), (NAME, "openai/m")];
        let models = models(&given, None);
        models.look().await;
        let asked = server.paths().len();
        models.look().await;
        assert_eq!(server.paths().len() > asked, asks_again, "{status}");
    }
}

#[tokio::test]
async fn the_chosen_model_is_asked_about_first_and_others_in_their_turn() {
    let names: Vec<String> = (0..20).map(|at| format!("m{at}")).chain(["wish".into()]).collect();
    let entries = names.iter().map(|name| json!({"id": name, "max_model_len": 9000}));
    let list = json!({"data": entries.collect::<Vec<_>>()});
    let server = Server::by_path(&[("/v1/models", list)]).await;
    let rows = (0..20).map(|at| json!({"provider": "work", "name": format!("m{at}")}));
    let work = json!({"id": "work", "wire": "chat", "base_url": server.url});
    let own = json!({"models": rows.collect::<Vec<_>>(), "providers": [work]}).to_string();
    let environment = |name: &str| (name == NAME).then(|| "work/wish".to_owned());
    let models = Models::of(&environment, Some(&own)).unwrap().and_live(None);
    let is_known = |name: &str| !models.find(&format!("work/{name}")).unwrap().window_assumed;
    let looks_until = async |done: &dyn Fn() -> bool| {
        for looks in 1..50 {
            models.look().await;
            if done() {
                return looks;
            }
        }
        panic!("not all models are asked about");
    };
    looks_until(&|| is_known("wish")).await;
    assert!(!is_known("m19"), "not all models are asked about at once");
    looks_until(&|| names.iter().all(|name| is_known(name))).await;
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
    let entry = json!({"id": "claude-next-9", "max_input_tokens": 9000});
    let server = Server::by_path(&[("/v1/models/claude-next-9", entry)]).await;
    let base = server.url.trim_end_matches("/v1");
    let name = "anthropic/claude-next-9";
    let given = [("ANTHROPIC_BASE_URL", base), ("ANTHROPIC_API_KEY", "k"), (NAME, name)];
    let models = models(&given, Some(folder.path().to_owned()));
    models.look().await;
    assert_eq!(models.find(name).unwrap().window, 9000);
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
