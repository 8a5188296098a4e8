use super::{BUILT_IN, Catalogue};
use crate::event::TokenUsage;
use crate::message::Thinking;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;

fn provider(id: &str) -> Provider {
    Provider::new(id, id, Wire::Chat, "https://example.org/v1")
}

#[test]
fn the_built_in_catalogue_is_valid() {
    let mut catalogue = Catalogue::default();
    catalogue.extend(BUILT_IN).unwrap();
    assert_eq!(catalogue.as_of(), "2025-11");
    for model in &catalogue.models {
        assert!(!model.window_assumed && model.window > 100_000, "{}", model.id);
        assert!(model.max_output.is_none_or(|most| most < model.window), "{}", model.id);
        assert_eq!(model.levels.is_empty(), model.default_level.is_none(), "{}", model.id);
        let known = |level: &str| model.thinking(level).is_some();
        assert!(model.default_level.as_deref().is_none_or(known), "{}", model.id);
        let same = catalogue.models.iter().filter(|other| other.id == model.id);
        assert_eq!(same.count(), 1, "{}", model.id);
    }
    assert_eq!(catalogue.models("mistral").count(), 2);
}

#[test]
fn names_with_dates_and_behind_openrouter_are_found() {
    let catalogue = Catalogue::built_in();
    for (id, name, title) in [
        ("anthropic", "claude-sonnet-4-5", "Claude Sonnet 4.5"),
        ("anthropic", "claude-sonnet-4-5-20250929", "Claude Sonnet 4.5"),
        ("anthropic", "claude-haiku-4-5-latest", "Claude Haiku 4.5"),
        ("openai", "gpt-5-mini-2025-08-07", "GPT-5 mini"),
        ("openrouter", "anthropic/claude-sonnet-4.5", "Claude Sonnet 4.5"),
        ("openrouter", "google/gemini-2.5-pro:free", "Gemini 2.5 Pro"),
    ] {
        let model = catalogue.model(&provider(id), name);
        assert_eq!((model.title.as_str(), model.window_assumed), (title, false), "{name}");
        assert_eq!(model.id, provider(id).model(name), "requests use the given name");
    }
}

#[test]
fn an_unknown_model_accepts_text_and_has_an_assumed_window() {
    let catalogue = Catalogue::built_in();
    let model = catalogue.model(&provider("openai"), "gpt-99");
    assert_eq!((model.window, model.window_assumed, model.takes_images), (128_000, true, false));
    assert_eq!(model.cost(&TokenUsage::default()), None);
    let local = Provider::new("ollama", "Ollama", Wire::Chat, "http://127.0.0.1:11434/v1");
    let model = catalogue.model(&local, "llama");
    assert_eq!((model.window, model.window_assumed), (4096, true));
    let told = model.with_window(Some(8192));
    assert_eq!((told.window, told.window_assumed), (8192, false));
}

#[test]
fn cached_tokens_and_long_prompts_have_their_own_prices() {
    let catalogue = Catalogue::built_in();
    let usage = |input, output, cached_read, cached_write| TokenUsage {
        input,
        output,
        cached_read,
        cached_write,
        ..TokenUsage::default()
    };
    for (id, name, usage, cost) in [
        ("anthropic", "claude-sonnet-4-5", usage(1_000_000, 0, 0, 0), 3.0),
        (
            "anthropic",
            "claude-sonnet-4-5",
            usage(100_000, 10_000, 200_000, 40_000),
            0.3 + 0.15 + 0.06 + 0.15,
        ),
        ("openai", "gpt-5", usage(0, 0, 1_000_000, 1_000_000), 0.125 + 1.25),
        ("gemini", "gemini-2.5-pro", usage(100_000, 0, 100_000, 0), 0.125 + 0.0125),
        ("gemini", "gemini-2.5-pro", usage(100_001, 1000, 100_000, 0), 0.250_002_5 + 0.015 + 0.025),
    ] {
        let found = catalogue.model(&provider(id), name).cost(&usage).unwrap();
        assert!((found - cost).abs() < 1e-9, "{name}: {found} is not {cost}");
    }
    let billed = TokenUsage { billed: Some(0.5), ..usage(1, 1, 1, 1) };
    assert_eq!(catalogue.model(&provider("openrouter"), "nobody/knows").cost(&billed), Some(0.5));
}

#[test]
fn the_users_own_file_adds_models_and_providers() {
    let mut catalogue = Catalogue::built_in();
    catalogue
        .extend(
            r#"{"models": [
                {"provider": "openai", "name": "gpt-5", "window": 1000, "levels": ["low", ["deep", 9000], {"id": "off", "between_tools": "high"}], "inputs": ["audio"]},
                {"provider": "work", "name": "own"}],
              "providers": [
                {"id": "work", "name": "Work", "wire": "chat", "dialect": "qwen", "base_url": "https://models.example/v1/",
                 "key_variable": "WORK_KEY", "headers": {"X-Team": "blue-secret"}},
                {"id": "openai", "wire": "responses", "base_url": "https://gateway.example/v1"}]}"#,
        )
        .unwrap();
    let model = catalogue.model(&provider("openai"), "gpt-5");
    assert_eq!(
        (model.window, &model.prices, model.takes_audio, model.takes_images),
        (1000, &None, true, false)
    );
    assert_eq!(model.thinking("low"), Some(Thinking::Effort("low".into())));
    assert_eq!(model.thinking("deep"), Some(Thinking::Budget(9000)));
    assert_eq!(model.thinking("off"), Some(Thinking::BetweenTools("high".into())));
    assert_eq!(model.thinking("high"), None);
    assert!(catalogue.model(&provider("work"), "own").window_assumed);

    let environment = |name: &str| {
        matches!(name, "WORK_KEY" | "OPENAI_API_KEY" | "MISTRAL_API_KEY")
            .then(|| format!("key of {name}\n"))
    };
    let providers = catalogue.providers(&environment);
    let ids: Vec<_> = providers.iter().map(|provider| provider.id.as_str()).collect();
    assert_eq!(
        ids,
        ["work", "openai", "mistral"],
        "a person's own providers come first and replace those of the environment"
    );
    let work = &providers[0];
    assert_eq!(
        (work.dialect, work.base_url.as_str()),
        (Dialect::Qwen, "https://models.example/v1")
    );
    assert_eq!(work.key, Some(Secret::from("key of WORK_KEY")));
    assert_eq!(work.headers, [("X-Team".to_owned(), Secret::from("blue-secret"))]);
    let told = format!("{catalogue:?} {providers:?}");
    assert!(!told.contains("blue-secret") && !told.contains("key of"), "{told}");
}

#[test]
fn an_invalid_file_changes_nothing_and_the_error_says_where() {
    let mut catalogue = Catalogue::built_in();
    for text in [
        "",
        "{",
        r#"{"models": [{"provider": "p"}]}"#,
        r#"{"modles": []}"#,
        r#"{"models": [{"provider": "openai", "name": "gpt-5", "windw": 1}]}"#,
    ] {
        let error = catalogue.extend(text).unwrap_err().to_string();
        assert!(
            error.contains("line") && error.starts_with("the list of models cannot be read: "),
            "{error}"
        );
    }
    assert_eq!(catalogue.model(&provider("openai"), "gpt-5").window, 400_000);
}
