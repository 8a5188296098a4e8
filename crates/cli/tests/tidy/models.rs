//! The catalogue of models: documented names exist, and `scripts/models` reads the price file.

use crate::source::{files, name, root};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Names that stand for any model.
const EXAMPLES: &[&str] =
    &["NAME", "openai/smollm2", "openai/team-model", "qwen/notify", "openai/gpt"];

fn rows() -> BTreeMap<String, Value> {
    let text = fs::read_to_string(root().join("crates/models/models.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let id = |row: &Value| {
        format!("{}/{}", row["provider"].as_str().unwrap(), row["name"].as_str().unwrap())
    };
    file["models"].as_array().unwrap().iter().map(|row| (id(row), row.clone())).collect()
}

/// A reader copies these names, so they must work, and go on working.
#[test]
fn documented_models_are_in_the_catalogue_and_have_no_end() {
    let rows = rows();
    let providers: Vec<&str> = rows.values().map(|row| row["provider"].as_str().unwrap()).collect();
    let named = Regex::new(&format!(
        r"(?:^|[\s`\x22'=(])(({})/[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])",
        providers.join("|")
    ))
    .unwrap();
    // `qwen/notify` is a method of Qwen Code.
    let folders = ["docs", "crates/cli/src", "crates/cli/tests/messages", "web", "editors/vscode"];
    let mut documents: Vec<_> =
        folders.iter().flat_map(|folder| files(&root().join(folder), "md")).collect();
    documents.extend(files(&root().join("crates/cli/src"), "rs"));
    documents.extend(["README.md", "crates/cli/JSON.md"].map(|file| root().join(file)));
    let mut found = 0;
    for path in documents.iter().filter(|path| !path.to_string_lossy().contains("node_modules")) {
        let text = fs::read_to_string(path).unwrap();
        for names in named.captures_iter(&text) {
            let id = &names[1];
            if EXAMPLES.iter().any(|example| id.ends_with(example)) {
                continue;
            }
            found += 1;
            let row = rows.get(id).unwrap_or_else(|| panic!("{}: no row has {id}", name(path)));
            assert!(row["retires"].is_null(), "{}: {id} ends: {}", name(path), row["retires"]);
        }
    }
    assert!(found > 5, "the pattern must find the names: {found}");
}

fn script(folder: &Path, prices: &Value, names: &Value, more: &[&str]) -> Output {
    let (given, listed) = (folder.join("prices.json"), folder.join("names.json"));
    fs::write(&given, prices.to_string()).unwrap();
    fs::write(&listed, names.to_string()).unwrap();
    let mut command = Command::new("python3");
    command.arg(root().join("scripts/models")).arg(given).arg("--names").arg(listed);
    command.arg("--output").arg(folder.join("models.json")).args(more).output().unwrap()
}

/// The traps of the price file: an input limit in place of the window, an answer as long as the
/// window, noise of binary fractions, several steps of prices, dates of retirement.
#[test]
fn the_script_reads_the_price_file() {
    let folder = tempfile::tempdir().unwrap();
    let prices = json!({
        "gpt-a": {"max_input_tokens": 272_000, "max_output_tokens": 128_000, "input_cost_per_token": 1e-7,
            "output_cost_per_token": 0.1e-6, "cache_read_input_token_cost": 9.999_999_999_999_999e-9,
            "input_cost_per_token_above_272k_tokens": 2e-7, "output_cost_per_token_above_272k_tokens": 7.5e-7,
            "input_cost_per_token_above_272k_tokens_priority": 9.0, "supports_vision": true,
            "deprecation_date": "2030-02-01"},
        "moonshot/kimi-a": {"max_input_tokens": 262_144, "max_output_tokens": 262_144,
            "input_cost_per_token": 6e-7, "output_cost_per_token": 3e-6, "cache_creation_input_token_cost": 0.0},
        "dashscope/qwen-a": {"max_input_tokens": 1000, "max_output_tokens": 10, "supports_pdf_input": true,
            "tiered_pricing": [
                {"range": [0, 32000.0], "input_cost_per_token": 1e-6, "output_cost_per_token": 5e-6},
                {"range": [32000.0, 128_000.0], "input_cost_per_token": 1.8e-6, "output_cost_per_token": 9e-6}]}});
    let names = json!({"models": [
        {"provider": "openai", "name": "gpt-a", "title": "A", "levels": ["low"], "default_level": "low"},
        {"provider": "moonshot", "name": "kimi-a", "title": "K"},
        {"provider": "qwen", "name": "qwen-a", "title": "Q", "max_output": 5, "why": "measured"},
        {"provider": "anthropic", "name": "gone", "title": "G", "retires": "2029-01-01", "replaced_by": "x"}]});
    let made = script(folder.path(), &prices, &names, &["--as-of", "2030-01-01"]);
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(said.contains("added: openai/gpt-a"), "{said}");
    assert!(said.contains("ends on 2030-02-01: openai/gpt-a"), "{said}");
    let text = fs::read_to_string(folder.path().join("models.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["as_of"], "2030-01-01");
    assert_eq!(
        file["models"],
        json!([
            {"provider": "openai", "name": "gpt-a", "title": "A", "window": 400_000, "max_output": 128_000,
             "prices": {"input": 0.1, "output": 0.1, "cache_read": 0.01,
                "above": [{"tokens": 272_000, "input": 0.2, "output": 0.75}]},
             "levels": ["low"], "default_level": "low", "inputs": ["image"], "retires": "2030-02-01"},
            {"provider": "moonshot", "name": "kimi-a", "title": "K", "window": 262_144,
             "prices": {"input": 0.6, "output": 3}},
            {"provider": "qwen", "name": "qwen-a", "title": "Q", "window": 1000, "max_output": 5,
             "prices": {"input": 1, "output": 5, "above": [{"tokens": 32_000, "input": 1.8, "output": 9}]},
             "inputs": ["pdf"]},
            {"provider": "anthropic", "name": "gone", "title": "G", "retires": "2029-01-01", "replaced_by": "x"}
        ])
    );
    let again = script(folder.path(), &prices, &names, &["--as-of", "2030-01-01"]);
    assert!(!String::from_utf8(again.stdout).unwrap().contains("changed"), "nothing changed");
    let age = |day: &str| script(folder.path(), &prices, &names, &["--age", "--as-of", day]);
    assert!(age("2030-03-02").status.success(), "60 days");
    let old = age("2030-03-03");
    assert!(!old.status.success() && String::from_utf8_lossy(&old.stderr).contains("61 days old"));
    let unknown = json!({"models": [{"provider": "openai", "name": "gpt-b", "title": "B"}]});
    let undated = script(folder.path(), &prices, &names, &[]);
    assert!(String::from_utf8_lossy(&undated.stderr).contains("PRICES needs --as-of"));
    let refused = script(folder.path(), &prices, &unknown, &["--as-of", "2030-01-01"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("openai/gpt-b is in no row"));
}

/// A reader copies this file, so it must be one that the program reads.
#[test]
fn the_documented_list_of_models_is_valid() {
    let text = fs::read_to_string(root().join("docs/models.md")).unwrap();
    let own = text.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let environment = |name: &str| (name == "WORK_API_KEY").then(|| "k".to_owned());
    let models = attache_coder::Models::of(&environment, Some(own)).unwrap();
    let model = models.find("work/big-1").unwrap();
    assert_eq!((model.window, model.levels.len(), model.takes_images), (200_000, 2, true));
    assert_eq!(model.prices.unwrap().above[0].input, 4.0);
}
