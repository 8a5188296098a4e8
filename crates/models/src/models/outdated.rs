//! Warnings about a list of models that is too old, and about chosen models that end soon.

use super::Models;
use jiff::civil::Date;

/// The age from which the built-in list is too old, in days. `scripts/models` has the same limit
/// for releases.
const MAX_AGE: i32 = 60;

/// How early the user is warned before a chosen model ends, in days.
const SOON: i32 = 30;

impl Models {
    /// Returns what the user should know on this day, one sentence each without a full stop: that
    /// the built-in list is older than 60 days, and that the model of new sessions or the fallback
    /// has ended or ends within 30 days. Empty if all is well, and without the built-in list.
    pub fn outdated(&self, today: Date) -> Vec<String> {
        let mut said = Vec::new();
        if let Some(age) = days(self.prices_as_of(), today).filter(|age| *age > MAX_AGE) {
            said.push(format!(
                "the list of models is {age} days old: install a newer version of Attaché, or add \
                 newer models and prices to your own models.json"
            ));
        }
        let chosen = [Some(self.default_model()), self.fallback()];
        said.extend(chosen.into_iter().flatten().filter_map(|id| self.ends_soon(&id, today)));
        said
    }

    fn ends_soon(&self, id: &str, today: Date) -> Option<String> {
        let known = self.find(id)?;
        let retires = known.retires.as_deref()?;
        let left = days(&today.to_string(), retires.parse().ok()?)?;
        let when = match left {
            ..=0 => format!("ended on {retires}"),
            1..=SOON => format!("ends on {retires}"),
            _ => return None,
        };
        let instead = known.replaced_by.map_or_else(
            || "choose another model".to_owned(),
            |name| format!("choose {}/{name}", known.id.provider),
        );
        Some(format!("the model {id} {when}: {instead}"))
    }
}

/// Returns the number of days from `from` to `to`, or `None` if `from` is no day.
fn days(from: &str, to: Date) -> Option<i32> {
    Some(from.parse::<Date>().ok()?.until(to).ok()?.get_days())
}

#[cfg(test)]
mod tests {
    use super::Models;
    use jiff::ToSpan as _;

    fn models(model: &str) -> Models {
        let model = model.to_owned();
        let environment = move |name: &str| match name {
            "ANTHROPIC_API_KEY" => Some("k".to_owned()),
            "ATTACHE_MODEL" => Some(model.clone()),
            _ => None,
        };
        let own = r#"{"models": [
            {"provider": "anthropic", "name": "old", "retires": "2030-03-31", "replaced_by": "new"},
            {"provider": "anthropic", "name": "last", "retires": "2030-03-31"}]}"#;
        on_day_of_list(Models::of(&environment, Some(own)).unwrap())
    }

    fn on_day_of_list(models: Models) -> Models {
        let as_of = models.prices_as_of().parse().unwrap();
        models.on_day(as_of)
    }

    #[test]
    fn a_model_that_has_ended_is_no_default() {
        let key = |name: &str| (name == "WORK_KEY").then(|| "k".to_owned());
        let own = r#"{"models": [
            {"provider": "work", "name": "old", "retires": "2030-03-31"},
            {"provider": "work", "name": "new"}],
            "providers": [{"id": "work", "wire": "chat", "base_url": "http://work.example/v1",
                "key_variable": "WORK_KEY"}]}"#;
        let default = |day: &str| {
            let models = Models::of(&key, Some(own)).unwrap().on_day(day.parse().unwrap());
            models.default_model()
        };
        assert_eq!(
            (default("2030-03-30").as_str(), default("2030-03-31").as_str()),
            ("work/old", "work/new")
        );
    }

    #[test]
    fn a_list_is_old_after_sixty_days() {
        let models = on_day_of_list(Models::of(&|_| None, None).unwrap());
        let as_of: jiff::civil::Date = models.prices_as_of().parse().unwrap();
        let said = |days: i32| models.outdated(as_of + days.days());
        assert_eq!(said(60), Vec::<String>::new());
        assert!(said(61)[0].starts_with("the list of models is 61 days old: "), "{:?}", said(61));
        assert_eq!(Models::offline_only().outdated(as_of + 61.days()), Vec::<String>::new());
    }

    #[test]
    fn a_chosen_model_that_ends_within_thirty_days_is_named_with_its_replacement() {
        let last = |model: &str, day: &str| models(model).outdated(day.parse().unwrap()).pop();
        for (model, day, expected) in [
            (
                "anthropic/old",
                "2030-03-01",
                "the model anthropic/old ends on 2030-03-31: choose anthropic/new",
            ),
            (
                "anthropic/old",
                "2030-03-31",
                "the model anthropic/old ended on 2030-03-31: choose anthropic/new",
            ),
            (
                "anthropic/last",
                "2030-04-30",
                "the model anthropic/last ended on 2030-03-31: choose another model",
            ),
        ] {
            assert_eq!(last(model, day).as_deref(), Some(expected), "{model} {day}");
        }
        let early = last("anthropic/old", "2030-02-28").unwrap();
        assert!(early.starts_with("the list of models is "), "31 days are early: {early}");
    }
}
