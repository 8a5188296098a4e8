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
    assert!(catalogue.as_of().parse::<jiff::civil::Date>().is_ok(), "{}", catalogue.as_of());
    for model in &catalogue.models {
        let retired = model.is_retired(catalogue.as_of());
        assert!(retired || !model.window_assumed && model.window > 100_000, "{}", model.id);
        assert!(model.max_output.is_none_or(|most| most < model.window), "{}", model.id);
        assert_eq!(model.levels.is_empty(), model.default_level.is_none(), "{}", model.id);
        let known = |level: &str| model.thinking(level).is_some();
        assert!(model.default_level.as_deref().is_none_or(known), "{}", model.id);
        let same = catalogue.models.iter().filter(|other| other.id == model.id);
        assert_eq!(same.count(), 1, "{}", model.id);
    }
}

/// The first model of a provider is its default, and its cheapest one writes titles.
#[test]
fn defaults_have_no_end_and_what_ends_names_a_replacement_that_stays() {
    let catalogue = Catalogue::built_in();
    for id in ["anthropic", "openai", "gemini", "deepseek", "moonshot", "qwen", "mistral"] {
        let default = catalogue.models(id).next().unwrap();
        assert_eq!(default.retires, None, "{}", default.id);
        assert!(default.prices.is_some(), "{}", default.id);
    }
    for model in &catalogue.models {
        assert_eq!(model.retires.is_some(), model.replaced_by.is_some(), "{}", model.id);
        let Some(name) = &model.replaced_by else { continue };
        let next = catalogue.models(&model.id.provider).find(|next| next.id.name == *name);
        assert!(next.is_some_and(|next| next.retires.is_none()), "{} -> {name}", model.id);
    }
    let retired = catalogue.model(&provider("openai"), "o4-mini");
    assert_eq!(retired.replaced_by.as_deref(), Some("gpt-6-luna"), "it can still be named");
    assert!(catalogue.models("openai").all(|model| model.id != retired.id), "and is not offered");
}

/// A program may be used for months after its list was made.
#[test]
fn a_model_that_has_ended_is_not_offered_and_has_no_price() {
    let own = r#"{"as_of": "2030-03-01", "models": [
        {"provider": "openai", "name": "a", "retires": "2030-04-01", "prices": {"input": 1, "output": 2}},
        {"provider": "openai", "name": "b"}]}"#;
    let mut catalogue = Catalogue::default();
    catalogue.extend(own).unwrap();
    for (today, is_offered) in [
        (None, true),
        (Some("2030-02-01"), true),
        (Some("2030-03-31"), true),
        (Some("2030-04-01"), false),
        (Some("2031-01-01"), false),
    ] {
        let catalogue = match today {
            Some(today) => catalogue.clone().on_day(today.parse().unwrap()),
            None => catalogue.clone(),
        };
        let first = catalogue.models("openai").next().unwrap();
        assert_eq!(first.id.name, if is_offered { "a" } else { "b" }, "{today:?}");
        for name in ["a", "a-2030-01-01"] {
            let known = catalogue.model(&provider("openai"), name);
            assert_eq!(known.prices.is_some(), is_offered, "{today:?} {name}");
        }
    }
    catalogue.as_of = "2030-05-01".to_owned();
    let early = catalogue.on_day("2030-02-01".parse().unwrap());
    assert_eq!(early.models("openai").count(), 1, "the list is later than a wrong clock");
}

/// `scripts/models` fills in the numbers; names, order, titles and levels are those of the list.
#[test]
fn the_catalogue_is_made_from_the_list_of_names() {
    let read = |text: &str| -> Vec<serde_json::Value> {
        let file: serde_json::Value = serde_json::from_str(text).unwrap();
        file["models"].as_array().unwrap().clone()
    };
    let (names, models) = (read(include_str!("../../names.json")), read(BUILT_IN));
    assert_eq!(names.len(), models.len(), "run scripts/models");
    for (listed, made) in names.iter().zip(&models) {
        for (key, value) in listed.as_object().unwrap().iter().filter(|(key, _)| *key != "why") {
            assert_eq!(&made[key], value, "{} {key}: run scripts/models", made["name"]);
        }
    }
}

#[test]
fn names_with_dates_and_behind_openrouter_are_found() {
    let catalogue = Catalogue::built_in();
    for (id, name, title) in [
        ("anthropic", "claude-sonnet-5-5", "Claude Sonnet 5.5"),
        ("anthropic", "claude-sonnet-4-5-20250929", "Claude Sonnet 4.5"),
        ("anthropic", "claude-haiku-4-5-latest", "Claude Haiku 4.5"),
        ("openai", "gpt-5-mini-2025-08-07", "GPT-5 mini"),
        ("openrouter", "anthropic/claude-sonnet-5.5", "Claude Sonnet 5.5"),
        ("openrouter", "google/gemini-3.8-flash:free", "Gemini 3.8 Flash"),
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
    let mut catalogue = Catalogue::default();
    catalogue
        .extend(
            r#"{"models": [
        {"provider": "anthropic", "name": "long",
         "prices": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}},
        {"provider": "anthropic", "name": "hour",
         "prices": {"input": 3, "output": 15, "cache_write": 3.75, "cache_write_1h": 6}},
        {"provider": "openai", "name": "plain",
         "prices": {"input": 1.25, "output": 10, "cache_read": 0.125, "above": null}},
        {"provider": "gemini", "name": "one",
         "prices": {"input": 1.25, "output": 10, "cache_read": 0.125,
            "above": {"tokens": 200000, "input": 2.5, "output": 15, "cache_read": 0.25}}},
        {"provider": "qwen", "name": "steps", "prices": {"input": 1, "output": 5, "above": [
            {"tokens": 256000, "input": 6, "output": 60}, {"tokens": 32000, "input": 1.8, "output": 9}]}}
    ]}"#,
        )
        .unwrap();
    let usage = |input, output, cached_read, cached_write| TokenUsage {
        input,
        output,
        cached_read,
        cached_write,
        ..TokenUsage::default()
    };
    for (id, name, usage, cost) in [
        ("anthropic", "long", usage(1_000_000, 0, 0, 0), 3.0),
        ("anthropic", "long", usage(100_000, 10_000, 200_000, 40_000), 0.3 + 0.15 + 0.06 + 0.15),
        ("openai", "plain", usage(0, 0, 1_000_000, 1_000_000), 0.125 + 1.25),
        ("gemini", "one", usage(100_000, 0, 100_000, 0), 0.125 + 0.0125),
        ("gemini", "one", usage(100_001, 1000, 100_000, 0), 0.250_002_5 + 0.015 + 0.025),
        ("qwen", "steps", usage(32_000, 1000, 0, 0), 0.032 + 0.005),
        ("qwen", "steps", usage(32_001, 1000, 0, 0), 0.057_601_8 + 0.009),
        ("qwen", "steps", usage(300_000, 1000, 0, 0), 1.8 + 0.06),
    ] {
        let found = catalogue.model(&provider(id), name).cost(&usage).unwrap();
        assert!((found - cost).abs() < 1e-9, "{name}: {found} is not {cost}");
    }
    // 1,000 tokens for five minutes, and 2,000 for an hour.
    let written = TokenUsage { cached_write_1h: 2_000, ..usage(0, 0, 0, 3_000) };
    let cost = |name: &str| catalogue.model(&provider("anthropic"), name).cost(&written).unwrap();
    assert!((cost("long") - 0.011_25).abs() < 1e-12, "without a price of its own");
    assert!((cost("hour") - 0.015_75).abs() < 1e-12, "{}", cost("hour"));
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
        r#"{"models": [{"provider": "openai", "name": "gpt-5", "retires": "soon"}]}"#,
        r#"{"models": [{"provider": "openai", "name": "gpt-5", "prices": {"input": 1, "output": 1, "above": {"tokens": 5}}}]}"#,
    ] {
        let error = catalogue.extend(text).unwrap_err().to_string();
        assert!(
            error.contains("line") && error.starts_with("the list of models cannot be read: "),
            "{error}"
        );
    }
    assert_eq!(catalogue.model(&provider("openai"), "gpt-6-sol").window, 1_050_000);
}
