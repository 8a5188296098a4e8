//! Options whose values depend on another option, and restored options.

use attache_protocol::v1::{
    SessionConfigId, SessionConfigOption, SessionConfigOptionValue, SessionConfigSelectGroup,
    SessionConfigSelectOption, SessionConfigSelectOptions,
};
use attache_session::{keep_values, restored_options};
use proptest::collection::vec;
use proptest::prelude::*;

fn values(of: &[&str]) -> Vec<SessionConfigSelectOption> {
    of.iter().map(|value| SessionConfigSelectOption::new(*value, *value)).collect()
}

/// An option whose current value is the one marked with `*`, as in `["low", "*high"]`, or else the
/// first.
fn select(id: &str, of: &[&str]) -> SessionConfigOption {
    let current =
        of.iter().find_map(|value| value.strip_prefix('*')).or(of.first().copied()).unwrap_or("");
    let plain: Vec<_> = of.iter().map(|value| value.trim_start_matches('*')).collect();
    SessionConfigOption::select(id, id, current, values(&plain))
}

fn shown(options: &[SessionConfigOption]) -> Vec<String> {
    let value = |option: &SessionConfigOption| match option.current_value() {
        Some(SessionConfigOptionValue::ValueId(id)) => format!("{}={id}", option.id),
        Some(SessionConfigOptionValue::Boolean(on)) => format!("{}={on}", option.id),
        None => format!("{}=?", option.id),
    };
    options.iter().map(value).collect()
}

/// An author whose models have different reasoning levels.
fn levels_of_the_model(id: &SessionConfigId, options: &mut Vec<SessionConfigOption>) -> bool {
    if *id != *"model" {
        return false;
    }
    let model = options
        .iter()
        .find(|option| option.id == *"model")
        .and_then(|option| option.current_value());
    options.retain(|option| option.id != *"level");
    match model {
        Some(model) if model == "pro".into() => {
            options.push(select("level", &["low", "*high", "max"]))
        }
        Some(model) if model == "flash".into() => options.push(select("level", &["off", "*low"])),
        _ => {}
    }
    true
}

/// CONF-06, CONF-12: a value is kept if it is still valid.
#[test]
fn values_are_kept_while_they_fit_and_otherwise_fall_back_to_the_author() {
    let before = [
        select("level", &["low", "*high"]),
        SessionConfigOption::boolean("web", "Web", true),
        select("kind", &["*x"]),
    ];
    let cases = [
        (select("level", &["low", "high", "max"]), "level=high"),
        (select("level", &["low", "*max"]), "level=max"),
        (select("other", &["low", "high"]), "other=low"),
        (SessionConfigOption::boolean("web", "Web", false), "web=true"),
        (select("web", &["false", "true"]), "web=false"),
        (SessionConfigOption::boolean("kind", "Kind", false), "kind=false"),
    ];
    for (option, expected) in cases {
        let mut options = [option];
        keep_values(&before, &mut options);
        assert_eq!(shown(&options), [expected]);
    }
}

/// CONF-19: values in groups count as available.
#[test]
fn a_value_is_kept_across_groups() {
    let groups = vec![
        SessionConfigSelectGroup::new("g", "G", values(&["a"])),
        SessionConfigSelectGroup::new("h", "H", values(&["b"])),
    ];
    let options = SessionConfigSelectOptions::Grouped(groups);
    let mut grouped = [SessionConfigOption::select("o", "O", "a", options)];
    keep_values(&[select("o", &["a", "*b"])], &mut grouped);
    assert_eq!(shown(&grouped), ["o=b"]);
}

/// CONF-05, CONF-06: stored values in any order. A value that no longer exists is replaced by the
/// author's.
#[test]
fn options_are_restored_with_the_stored_values_that_still_fit() {
    let now = || {
        let mut options =
            vec![select("model", &["*flash", "pro"]), select("colour", &["*red", "blue"])];
        levels_of_the_model(&"model".into(), &mut options);
        options
    };
    let odd: SessionConfigOption =
        attache_protocol::decode(r#"{"id":"model","name":"M","type":"slider","currentValue":3}"#)
            .unwrap();
    let cases: [(Vec<SessionConfigOption>, [&str; 3]); 8] = [
        (vec![], ["model=flash", "colour=red", "level=low"]),
        (
            vec![select("model", &["*pro"]), select("level", &["*max"])],
            ["model=pro", "colour=red", "level=max"],
        ),
        // The level fits only after the model is set, but comes before the model.
        (
            vec![select("level", &["*max"]), select("model", &["*pro"])],
            ["model=pro", "colour=red", "level=max"],
        ),
        // This level fits the current model, but not the stored one.
        (
            vec![select("level", &["*off"]), select("model", &["*pro"])],
            ["model=pro", "colour=red", "level=high"],
        ),
        // This level fits both models. It was set first and is kept when the model changes.
        (
            vec![select("level", &["*low"]), select("model", &["*pro"])],
            ["model=pro", "colour=red", "level=low"],
        ),
        (
            vec![select("model", &["*gone"]), select("colour", &["*blue"])],
            ["model=flash", "colour=blue", "level=low"],
        ),
        (
            vec![SessionConfigOption::boolean("colour", "C", true), select("lost", &["x"])],
            ["model=flash", "colour=red", "level=low"],
        ),
        (vec![odd], ["model=flash", "colour=red", "level=low"]),
    ];
    for (stored, expected) in cases {
        assert_eq!(
            shown(&restored_options(now(), &stored, levels_of_the_model)),
            expected,
            "{stored:?}"
        );
    }
}

/// The author is asked once for each option, after it is set.
#[test]
fn the_author_is_asked_once_for_each_option_that_is_set() {
    let mut asked = Vec::new();
    let now = vec![select("a", &["1", "2"]), select("b", &["1", "2"])];
    let stored = [select("a", &["*2"]), select("b", &["*3"]), select("c", &["*1"])];
    restored_options(now, &stored, |id, options| {
        asked.push((id.to_string(), shown(options)));
        true
    });
    assert_eq!(asked, [("a".to_owned(), vec!["a=2".to_owned(), "b=1".to_owned()])]);
}

fn any_option() -> impl Strategy<Value = SessionConfigOption> {
    let id = prop_oneof![Just("a"), Just("b"), Just("c")];
    let select =
        (id.clone(), prop::sample::subsequence(vec!["1", "2", "3", "4"], 1..4), any::<usize>())
            .prop_map(|(id, of, at)| {
                SessionConfigOption::select(id, id, of[at % of.len()], values(&of))
            });
    let switch = (id, any::<bool>()).prop_map(|(id, on)| SessionConfigOption::boolean(id, id, on));
    prop_oneof![3 => select, 1 => switch]
}

fn fits(option: &SessionConfigOption) -> bool {
    option.current_value().is_some_and(|value| option.accepts(&value))
}

proptest! {
    /// CONF-06: if the author's own values are valid, so are the resulting ones, for any stored
    /// values and any reaction of the author.
    #[test]
    fn every_current_value_is_one_of_the_options_values(
        now in vec(any_option(), 0..5),
        stored in vec(any_option(), 0..5),
        answers in vec((vec(any_option(), 0..5), any::<bool>()), 1..4),
    ) {
        let mut asked = 0;
        let restored = restored_options(now, &stored, |_, options| {
            asked += 1;
            let (answer, changed) = &answers[asked % answers.len()];
            options.clone_from(answer);
            *changed
        });
        prop_assert!(restored.iter().all(fits), "{:?}", restored);
        prop_assert!(asked <= stored.len());
        let mut kept = answers[0].0.clone();
        keep_values(&stored, &mut kept);
        prop_assert!(kept.iter().all(fits), "{:?}", kept);
        let ids = |options: &[SessionConfigOption]| {
            options.iter().map(|option| option.id.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(ids(&kept), ids(&answers[0].0), "nothing is added, lost or moved");
    }
}
