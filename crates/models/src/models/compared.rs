//! The rows of the catalogue, compared with the lists of the configured providers.

use super::Models;
use super::offered::Offered;
use crate::catalogue::known_model::{KnownModel, Prices};
use crate::catalogue::live::{ListFormat, ModelDetails, list};
use crate::catalogue::plain_name;
use crate::text::grouped;
use tokio::task::JoinSet;

/// The maximum number of new names that are shown.
const MAX_NEW: usize = 10;

/// What a provider's list shows about the catalogue's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListComparison {
    /// The display name of the provider, such as `Anthropic`.
    pub provider: String,
    /// The number of rows that were compared.
    pub rows: usize,
    /// The differences, each in one sentence without a full stop, or why the provider has no list.
    pub differences: Result<Vec<String>, String>,
}

impl Models {
    /// Requests the list of each configured provider whose models are in the catalogue, and
    /// compares it with the rows: models that the list lacks, models that end, and other windows,
    /// limits of answers or prices. A provider that does not answer within 10 seconds is reported.
    pub async fn compare_lists(&self) -> Vec<ListComparison> {
        let offered = self.offered();
        let with_rows = |offered: &&Offered| {
            ListFormat::of(&offered.provider) == ListFormat::OpenRouter
                || offered.models.iter().any(|model| !model.window_assumed)
                    && self.providers.iter().any(|provider| provider.id == offered.provider.id)
        };
        let offered: Vec<&Offered> = offered.iter().filter(with_rows).collect();
        let mut requests = JoinSet::new();
        for (at, offered) in offered.iter().enumerate() {
            let (http, provider) = (self.http.clone(), offered.provider.clone());
            requests.spawn(async move { (at, list(&http, &provider).await) });
        }
        let mut answers: Vec<_> = requests.join_all().await;
        answers.sort_by_key(|(at, _)| *at);
        let compared = answers.into_iter().filter_map(|(at, answer)| {
            let offered = offered.get(at)?;
            Some(match answer {
                Ok(list) => self.compare(offered, &list),
                Err(why) => ListComparison {
                    provider: offered.provider.name.clone(),
                    rows: 0,
                    differences: Err(why.to_string()),
                },
            })
        });
        compared.collect()
    }

    fn compare(&self, offered: &Offered, list: &[(String, ModelDetails)]) -> ListComparison {
        let format = ListFormat::of(&offered.provider);
        let mut differences = Vec::new();
        let rows = match format {
            // The catalogue has no rows of OpenRouter, but most of its models are those of others.
            ListFormat::OpenRouter => self.compare_with_others(offered, list, &mut differences),
            _ => {
                let rows: Vec<&KnownModel> =
                    offered.models.iter().filter(|model| !model.window_assumed).collect();
                rows.iter().for_each(|row| compare_row(row, list, &mut differences));
                rows.len()
            }
        };
        if matches!(format, ListFormat::Anthropic | ListFormat::Gemini) {
            differences.extend(new_models(offered, list));
        }
        let provider = offered.provider.name.clone();
        ListComparison { provider, rows, differences: Ok(differences) }
    }

    fn compare_with_others(
        &self,
        offered: &Offered,
        list: &[(String, ModelDetails)],
        differences: &mut Vec<String>,
    ) -> usize {
        let mut rows = 0;
        // A variant, such as `:free`, has its own price.
        for (name, details) in list.iter().filter(|(name, _)| !name.contains(':')) {
            let row = self.catalogue.model(&offered.provider, name);
            if row.window_assumed {
                continue;
            }
            rows += 1;
            compare_details(&row, details, differences);
        }
        rows
    }
}

fn compare_row(row: &KnownModel, list: &[(String, ModelDetails)], differences: &mut Vec<String>) {
    let plain = plain_name(&row.id.name);
    let whole = list.iter().find(|(name, _)| *name == row.id.name);
    // The list may contain only names with dates.
    match whole.or_else(|| list.iter().find(|(name, _)| plain_name(name) == plain)) {
        Some((_, details)) => compare_details(row, details, differences),
        None => differences.push(format!("{} is missing in the provider's list", row.id)),
    }
}

fn compare_details(row: &KnownModel, details: &ModelDetails, differences: &mut Vec<String>) {
    let id = &row.id;
    match &details.retires {
        _ if details.is_retired => differences.push(format!("{id} is retired")),
        Some(date) => differences.push(format!("{id} ends on {date}")),
        None => {}
    }
    let mut numbers = |what: &str, ours: Option<u64>, theirs: Option<u64>| {
        if let Some((ours, theirs)) = ours.zip(theirs).filter(|(ours, theirs)| ours != theirs) {
            let (ours, theirs) = (grouped(ours), grouped(theirs));
            differences
                .push(format!("{id} has a {what} of {theirs} tokens, not {ours} as listed here"));
        }
    };
    numbers("window", Some(row.window), details.window);
    numbers("maximum answer", row.max_output, details.max_output);
    if let Some((ours, theirs)) = row.prices.as_ref().zip(details.prices.as_ref()) {
        let shown = |prices: &Prices| format!("${:.4}/{:.4}", prices.input, prices.output);
        let differs = |one: f64, other: f64| (one - other).abs() > 1e-6 * one.abs().max(1.0);
        if differs(ours.input, theirs.input) || differs(ours.output, theirs.output) {
            let (ours, theirs) = (shown(ours), shown(theirs));
            differences.push(format!(
                "{id} costs {theirs} per million tokens in/out, not {ours} as listed here"
            ));
        }
    }
}

/// Returns a sentence with the names that only the provider's list has.
fn new_models(offered: &Offered, list: &[(String, ModelDetails)]) -> Option<String> {
    let rows: Vec<String> = offered.models.iter().map(|model| plain_name(&model.id.name)).collect();
    let is_new = |(name, details): &&(String, ModelDetails)| {
        !details.is_retired
            && details.retires.is_none()
            && ["claude-", "gemini-"].iter().any(|start| name.starts_with(start))
            && !rows.contains(&plain_name(name))
    };
    let names: Vec<&str> = list.iter().filter(is_new).map(|(name, _)| name.as_str()).collect();
    let more = names.len().saturating_sub(MAX_NEW);
    let shown: Vec<&str> = names.into_iter().take(MAX_NEW).collect();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("not listed here: {}{rest}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::models::Models;
    use crate::testing::server::Server;
    use serde_json::json;

    const OWN: &str = r#"{"models": [
        {"provider": "anthropic", "name": "claude-a", "window": 1000, "max_output": 100},
        {"provider": "anthropic", "name": "claude-b", "window": 1000},
        {"provider": "anthropic", "name": "claude-c", "window": 1000},
        {"provider": "anthropic", "name": "claude-d", "window": 1000,
         "prices": {"input": 2, "output": 10}}]}"#;

    fn models(variables: &[(&str, &str)]) -> Models {
        let environment = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        let models = Models::of(&environment, Some(OWN)).unwrap();
        let as_of = models.prices_as_of().parse().unwrap();
        models.on_day(as_of)
    }

    #[tokio::test]
    async fn each_difference_of_a_list_is_named() {
        let list = json!({"has_more": false, "data": [
            {"id": "claude-a-20260101", "max_input_tokens": 2000, "max_tokens": 200},
            {"id": "claude-b", "max_input_tokens": 1000, "lifecycle": "retired"},
            {"id": "claude-c", "max_input_tokens": 1000, "lifecycle": "deprecated",
             "retires_at": "2027-02-01T00:00:00Z"},
            {"id": "claude-z", "max_input_tokens": 5}]});
        let server = Server::by_path(&[("/v1/models?limit=1000", list)]).await;
        let base = server.url.trim_end_matches("/v1");
        let models = models(&[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", base)]);
        let compared = models.compare_lists().await;
        let [anthropic] = compared.as_slice() else { panic!("{compared:?}") };
        let differences = anthropic.differences.clone().unwrap();
        for expected in [
            "anthropic/claude-a has a window of 2,000 tokens, not 1,000 as listed here",
            "anthropic/claude-a has a maximum answer of 200 tokens, not 100 as listed here",
            "anthropic/claude-b is retired",
            "anthropic/claude-c ends on 2027-02-01",
            "anthropic/claude-d is missing in the provider's list",
            "not listed here: claude-z",
        ] {
            assert!(
                differences.iter().any(|found| found == expected),
                "{expected}: {differences:?}"
            );
        }
        assert!(anthropic.rows >= 4);
    }

    #[tokio::test]
    async fn prices_are_compared_with_the_list_of_openrouter() {
        let model = |id: &str, input: &str| {
            json!({"id": id, "context_length": 1000,
            "pricing": {"prompt": input, "completion": "0.00001"}})
        };
        let list = json!({"data": [model("anthropic/claude-d", "0.000003"),
            model("anthropic/claude-d:free", "0"), model("nobody/knows", "1")]});
        let server = Server::by_path(&[("/v1/models", list)]).await;
        let models = models(&[("OPENROUTER_API_KEY", "k"), ("OPENROUTER_BASE_URL", &server.url)]);
        let compared = models.compare_lists().await;
        let expected = "openrouter/anthropic/claude-d costs $3.0000/10.0000 per million tokens in/out, not $2.0000/10.0000 as listed here";
        assert_eq!(compared[0].differences, Ok(vec![expected.to_owned()]));
        assert_eq!(compared[0].rows, 1);
    }

    #[tokio::test]
    async fn a_provider_without_a_list_is_reported() {
        let server = Server::by_path(&[]).await;
        let models = models(&[
            ("ANTHROPIC_API_KEY", "k"),
            ("ANTHROPIC_BASE_URL", server.url.trim_end_matches("/v1")),
        ]);
        let compared = models.compare_lists().await;
        let why = "Anthropic has no list of models here (status 404)";
        assert_eq!(compared[0].differences, Err(why.to_owned()));
    }
}
