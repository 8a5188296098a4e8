use crate::catalogue::local::{LocalModel, LocalServer};
use crate::models::Models;
use crate::provider::Provider;
use crate::wire::Wire;

/// The servers that are found on this machine, by id and port.
const FOUND: [(&str, u16); 4] =
    [("llama.cpp", 8080), ("vllm", 8000), ("lmstudio", 1234), ("ollama", 11434)];

/// Returns the models of this environment, after a search that found this server with one model,
/// `tiny`.
fn models(
    variables: &[(&str, &str)],
    own: Option<&str>,
    (id, port): (&str, u16),
    window: Option<u64>,
) -> Models {
    let environment = |name: &str| {
        variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    };
    let models = Models::of(&environment, own).unwrap().and_local(&environment);
    let as_of = models.prices_as_of().parse().unwrap();
    let models = models.on_day(as_of);
    let provider = Provider::new(id, id, Wire::Chat, &format!("http://127.0.0.1:{port}/v1"));
    let model = LocalModel { name: "tiny".to_owned(), window };
    let server = LocalServer { provider, models: vec![model], is_loading: false };
    models.servers.set(vec![server]).unwrap();
    models
}

/// The address under which `id` is requested, and the window of its model.
fn used(models: &Models, id: &str) -> Option<(String, u64)> {
    let (provider, known) = models.find_with_provider(id)?;
    assert_eq!(known.id.to_string(), id);
    Some((provider.base_url, known.window))
}

#[test]
fn a_server_is_usable_under_its_own_id_and_that_of_a_configured_provider() {
    for (id, port) in FOUND {
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            for path in ["/v1", "/v1/"] {
                let url = format!("http://{host}:{port}{path}");
                for key in ["", "x"] {
                    let models = models(
                        &[
                            ("OPENAI_BASE_URL", &url),
                            ("OPENAI_API_KEY", key),
                            ("ATTACHE_MODEL", "openai/tiny"),
                        ],
                        None,
                        (id, port),
                        Some(8192),
                    );
                    let address = url.trim_end_matches('/').to_owned();
                    assert_eq!(models.unknown_wish(), None, "{url}");
                    assert_eq!(models.default_model(), "openai/tiny");
                    assert_eq!(used(&models, "openai/tiny"), Some((address, 8192)), "{url}");
                    let (_, window) = used(&models, &format!("{id}/tiny")).unwrap();
                    assert_eq!(window, 8192);
                }
            }
        }
    }
}

#[test]
fn doctor_lists_the_models_of_a_server_under_the_right_names() {
    let models = models(
        &[("OPENAI_BASE_URL", "http://localhost:8080/v1")],
        None,
        ("llama.cpp", 8080),
        Some(8192),
    );
    let found: Vec<(String, Vec<String>)> =
        models.found().into_iter().map(|found| (found.name, found.models)).collect();
    let expected = [
        ("OpenAI".to_owned(), vec!["openai/tiny".to_owned()]),
        ("llama.cpp".to_owned(), vec!["llama.cpp/tiny".to_owned()]),
    ];
    assert_eq!(found, expected);
}

/// `anthropic` and a provider of the user's own list are used at the address of a server too, and a
/// window that the list leaves out is that of the server.
#[test]
fn own_providers_share_an_address_with_a_found_server() {
    for (id, port) in FOUND {
        let own = format!(
            r#"{{"providers":[{{"id":"box","wire":"chat","base_url":"http://localhost:{port}/v1"}}],
                "models":[{{"provider":"box","name":"tiny"}},
                          {{"provider":"box","name":"other","window":5000}}]}}"#
        );
        let address = format!("http://127.0.0.1:{port}");
        let models = models(
            &[("ANTHROPIC_BASE_URL", &address), ("ATTACHE_MODEL", "anthropic/another")],
            Some(&own),
            (id, port),
            Some(8192),
        );
        let window = |id: &str| used(&models, id).map(|(_, window)| window);
        assert_eq!(window("box/tiny"), Some(8192), "{id}");
        assert_eq!(window("box/other"), Some(5000), "{id}");
        assert_eq!(window("anthropic/tiny"), Some(8192), "{id}");
        assert!(window("anthropic/another").is_some() && window("anthropic/nosuch").is_none());
        assert_eq!(window(&format!("{id}/tiny")), Some(8192), "{id}");
    }
}

/// A provider with the id of a found server, but at another address, does not hide the server.
#[test]
fn an_own_provider_with_the_id_of_a_found_server_does_not_hide_it() {
    let own = r#"{"providers":[{"id":"vllm","wire":"chat","base_url":"http://box:8000/v1"}],
                  "models":[{"provider":"vllm","name":"tiny","window":5000}]}"#;
    let models = models(&[], Some(own), ("vllm", 8000), Some(8192));
    assert_eq!(used(&models, "vllm/tiny"), Some(("http://box:8000/v1".to_owned(), 5000)));
    let local = Some(("http://127.0.0.1:8000/v1".to_owned(), 8192));
    assert_eq!(used(&models, "local-vllm/tiny"), local);
}

/// The model of a server that is still loading can be used, and its call waits.
#[test]
fn the_model_of_a_loading_server_is_usable() {
    let environment = |name: &str| (name == "ATTACHE_MODEL").then(|| "llama.cpp/tiny".to_owned());
    let models = Models::of(&environment, None).unwrap().and_local(&environment);
    let provider = Provider::new("llama.cpp", "llama.cpp", Wire::Chat, "http://127.0.0.1:8080/v1");
    let server = LocalServer { provider, models: Vec::new(), is_loading: true };
    models.servers.set(vec![server]).unwrap();
    assert_eq!((models.unknown_wish(), models.default_model().as_str()), (None, "llama.cpp/tiny"));
    assert!(models.found()[0].is_loading);
}

#[test]
fn a_disabled_server_is_not_offered() {
    let models = models(&[], None, ("ollama", 11434), Some(8192));
    assert!(models.find("ollama/tiny").is_some());
    models.disable_provider("ollama");
    assert!(models.find("ollama/tiny").is_none());
}
