//! Config options, modes and models.

use crate::{fold, update};
use attache_protocol::decode;
use attache_protocol::v1::{
    ClientCapabilities, SessionConfigOptionValue, SessionModeState, SessionModelState,
};
use attache_session::{EventBody, OptionSource, Session, SetError, options_for};

const OPTIONS: &str = r#"{"sessionUpdate":"config_option_update","configOptions":[
    {"id":"slide","name":"Slide","type":"slider","currentValue":3},
    {"id":"model","name":"Model","category":"_other","type":"select","currentValue":"gone","options":[
        {"group":"g","name":"G","options":[{"value":"flash","name":"Flash"},{"value":"pro","name":"Pro"}]}]},
    {"id":"first","name":"First","category":"thought_level","type":"select","currentValue":"low","options":[
        {"value":"low","name":"Low"},{"value":"high","name":"High"}]},
    {"id":"second","name":"Second","category":"thought_level","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},
    {"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[
        {"value":"ask","name":"Ask"},{"value":"code","name":"Code","description":"d"}]},
    {"id":"web","name":"Web","type":"boolean","currentValue":true}]}"#;

fn modes(current: &str) -> EventBody {
    let text = format!(
        r#"{{"currentModeId":"{current}","availableModes":[{{"id":"ask","name":"Ask"}},{{"id":"code","name":"Code"}}]}}"#
    );
    EventBody::Modes(decode::<SessionModeState>(&text).unwrap())
}

fn current(session: &Session, name: &str) -> String {
    match session.config().value(name).unwrap() {
        SessionConfigOptionValue::ValueId(id) => id.to_string(),
        SessionConfigOptionValue::Boolean(on) => on.to_string(),
    }
}

/// CONF-04.
#[test]
fn a_list_of_options_replaces_the_one_before() {
    let session = fold([
        update(OPTIONS),
        update(
            r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"web","name":"Web","type":"boolean","currentValue":false}]}"#,
        ),
    ]);
    assert_eq!(session.config().options().len(), 1);
    assert_eq!(current(&session, "web"), "false");
}

/// CONF-12, CONF-16.
#[test]
fn options_of_unknown_types_are_kept_and_not_shown_and_the_order_stays() {
    let session = fold([update(OPTIONS)]);
    assert_eq!(session.config().options().len(), 6);
    let shown: Vec<_> = session.config().visible().map(|option| option.id.to_string()).collect();
    assert_eq!(shown, ["model", "first", "second", "m", "web"]);
    assert!(session.config().option_by_id_or_category("slide").is_none());
}

/// CONF-13, CONF-16.
#[test]
fn an_option_is_found_by_id_and_else_as_the_first_of_its_category() {
    let session = fold([update(OPTIONS)]);
    let id =
        |name| session.config().option_by_id_or_category(name).map(|option| option.id.to_string());
    assert_eq!(id("model").as_deref(), Some("model"));
    assert_eq!(id("thought_level").as_deref(), Some("first"));
    assert_eq!(id("mode").as_deref(), Some("m"));
    assert_eq!(id("nothing"), None);
}

/// CONF-06, CONF-07, CONF-09.
#[test]
fn a_set_is_checked_and_the_error_names_option_and_allowed_values() {
    let session = fold([update(OPTIONS)]);
    let config = session.config();
    let request = config.check_set("mode", "code").unwrap();
    assert_eq!((request.session_id, request.config_id), ("s".into(), "m".into()));
    let error = config.check_set("model", "gone").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the config option "model" does not take "gone"; use one of "flash", "pro""#
    );
    assert_eq!(config.check_set("web", true).unwrap().value, true.into());
    assert_eq!(config.check_set("web", "false").unwrap().value, false.into());
    assert!(matches!(config.check_set("web", "maybe"), Err(SetError::UnknownValue { .. })));
    assert!(matches!(config.check_set("model", true), Err(SetError::UnknownValue { .. })));
    let error = config.check_set("colour", "red").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"there is no config option "colour"; use one of "model", "first", "second", "m", "web""#
    );
}

/// CONF-08, CONF-09, CONF-11.
#[test]
fn an_agent_accepts_words_for_a_switch_only_from_clients_without_switches() {
    let session = fold([update(OPTIONS)]);
    let without = ClientCapabilities::new();
    let with: ClientCapabilities =
        decode(r#"{"session":{"configOptions":{"boolean":{}}}}"#).unwrap();
    let off = SessionConfigOptionValue::from("false");
    let options = session.config().with_value("web", &off, &without).unwrap();
    assert_eq!(options[5].current_value(), Some(false.into()));
    assert!(matches!(
        session.config().with_value("web", &off, &with),
        Err(SetError::UnknownValue { .. })
    ));
    assert!(session.config().with_value("web", &false.into(), &with).is_ok());
    // An agent looks by id only: `configId` is not a category.
    assert!(session.config().with_value("thought_level", &"high".into(), &with).is_err());
    assert!(session.config().with_value("slide", &"3".into(), &with).is_err());
}

/// MODE-05, MODE-07.
#[test]
fn a_changed_mode_shows_in_the_option_and_a_changed_option_in_the_modes() {
    let by_mode = fold([update(OPTIONS), modes("ask"), EventBody::CurrentMode("code".into())]);
    assert_eq!(current(&by_mode, "m"), "code");
    assert_eq!(by_mode.config().current_mode(), Some("code".into()));
    let by_option = fold([
        modes("ask"),
        update(&OPTIONS.replace(r#""currentValue":"ask""#, r#""currentValue":"code""#)),
    ]);
    assert_eq!(by_option.config().modes().unwrap().current_mode_id.as_str(), "code");
}

/// MODE-05: a mode is set in the option only if the option has that value.
#[test]
fn a_mode_that_the_option_does_not_have_does_not_change_the_option() {
    let session = fold([update(OPTIONS), modes("ask"), EventBody::CurrentMode("odd".into())]);
    assert_eq!(current(&session, "m"), "ask");
    assert_eq!(session.config().current_mode(), Some("odd".into()));
}

/// MODE-05.
#[test]
fn modes_are_derived_from_the_option_for_clients_that_know_modes_only() {
    let session = fold([update(OPTIONS)]);
    let modes = session.config().modes().unwrap();
    assert_eq!(modes.current_mode_id.as_str(), "ask");
    assert_eq!(modes.available_modes[1].description.as_deref(), Some("d"));
}

/// MODE-06.
#[test]
fn modes_are_shown_as_an_option_only_without_options() {
    let alone = fold([modes("ask"), EventBody::CurrentMode("code".into())]);
    assert_eq!(current(&alone, "mode"), "code");
    let request = alone.config().check_set("mode", "ask").unwrap();
    assert_eq!(alone.config().source(&request.config_id), OptionSource::Modes);
    assert!(alone.config().options().is_empty());
    let both = fold([modes("ask"), update(OPTIONS)]);
    assert_eq!(both.config().source(&"m".into()), OptionSource::ConfigOption);
    assert_eq!(both.config().visible().count(), 5);
}

/// Requirements §1.4.
#[test]
fn retired_models_are_read_as_an_option_of_the_category_model() {
    let text = r#"{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"}]}"#;
    let session = fold([EventBody::Models(decode::<SessionModelState>(text).unwrap())]);
    assert_eq!(current(&session, "model"), "a");
    let request = session.config().check_set("model", "b").unwrap();
    assert_eq!(session.config().source(&request.config_id), OptionSource::Models);
}

/// The update with one select of these values.
fn select(id: &str, category: &str, current: &str, options: &str) -> EventBody {
    update(&format!(
        r#"{{"sessionUpdate":"config_option_update","configOptions":[{{"id":"{id}","name":"N","category":"{category}","type":"select","currentValue":"{current}","options":{options}}}]}}"#
    ))
}

const FLAT: &str = r#"[{"value":"a","name":"A"},{"value":"b","name":"B"}]"#;
const GROUPED: &str = r#"[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]},{"group":"h","name":"H","options":[{"value":"b","name":"B"}]}]"#;

/// CONF-16: if there is little room, the first ones are shown.
#[test]
fn as_many_options_as_fit_are_shown_from_the_start() {
    let session = fold([update(OPTIONS)]);
    let shown: Vec<_> =
        session.config().visible().take(2).map(|option| option.id.as_str()).collect();
    assert_eq!(shown, ["model", "first"]);
}

/// CONF-05: the client does not have to set anything.
#[test]
fn every_option_has_a_value_before_anything_is_set() {
    let session = fold([update(OPTIONS)]);
    for option in session.config().visible() {
        assert_eq!(
            session.config().value(option.id.as_str()),
            option.current_value(),
            "{}",
            option.id
        );
        assert!(option.current_value().is_some());
    }
}

/// CONF-06, CONF-07, CONF-19: flat and grouped selects accept the same values.
#[test]
fn a_value_of_any_group_can_be_set_and_no_other_can() {
    let client = ClientCapabilities::new();
    for options in [FLAT, GROUPED] {
        let session = fold([select("o", "_x", "a", options)]);
        let config = session.config();
        assert_eq!(config.check_set("o", "b").unwrap().value, "b".into());
        assert_eq!(
            config.with_value("o", &"b".into(), &client).unwrap()[0].current_value(),
            Some("b".into())
        );
        for wrong in ["c", "A", "g", ""] {
            let expected =
                format!("the config option \"o\" does not take {wrong:?}; use one of \"a\", \"b\"");
            assert_eq!(config.check_set("o", wrong).unwrap_err().to_string(), expected);
            assert_eq!(
                config.with_value("o", &wrong.into(), &client).unwrap_err().to_string(),
                expected
            );
        }
        assert_eq!(current(&session, "o"), "a", "an error changes nothing");
    }
}

/// CONF-07: the message stays short, however long the peer's list is.
#[test]
fn a_message_names_twenty_values_and_counts_the_rest() {
    let values = |count: usize| {
        let values: Vec<_> = (0..count)
            .map(|n| format!(r#"{{"value":"v{n}\u001b{}","name":"N"}}"#, "x".repeat(500)))
            .collect();
        select("o", "_x", "v0", &format!("[{}]", values.join(",")))
    };
    for (count, end) in [(20, None), (21, Some(" and 1 more")), (500, Some(" and 480 more"))] {
        let session = fold([values(count)]);
        let error = session.config().check_set("o", "?".repeat(1000).as_str()).unwrap_err();
        let message = error.to_string();
        match end {
            Some(end) => assert!(message.ends_with(end), "{message}"),
            None => assert!(!message.contains(" more"), "{message}"),
        }
        assert!(message.chars().count() < 2500 && !message.contains(char::is_control), "{message}");
        let SetError::UnknownValue { allowed, .. } = error else { panic!("{error}") };
        assert_eq!(allowed.len(), count, "the error's field has all of them");
    }
    let none = fold([select("o", "_x", "v0", "[]")]).config().check_set("o", "a").unwrap_err();
    assert_eq!(none.to_string(), r#"the config option "o" does not take "a"; it has no values"#);
    let nothing = Session::new("s").config().check_set("o", "a").unwrap_err();
    assert_eq!(nothing.to_string(), r#"there is no config option "o"; the session has none"#);
}

/// CONF-02, CONF-06: a current value outside the list is shown as received, refused when it is set,
/// and added to the list when it is sent.
#[test]
fn an_unlisted_current_value_is_shown_and_not_settable_and_is_listed_when_sent() {
    for (options, places) in [(FLAT, 3), (GROUPED, 3), ("[]", 1)] {
        let session = fold([select("o", "mode", "gone", options)]);
        assert_eq!(current(&session, "o"), "gone");
        assert!(session.config().check_set("o", "gone").is_err());
        assert!(
            session.config().with_value("o", &"gone".into(), &ClientCapabilities::new()).is_err()
        );
        let sent = options_for(session.config().options(), &ClientCapabilities::new());
        assert_eq!(sent[0].current_value(), Some("gone".into()));
        assert!(sent[0].accepts(&"gone".into()));
        assert_eq!(sent[0].values().count(), places);
        assert_eq!(options_for(&sent, &ClientCapabilities::new()), sent, "once is enough");
        let modes = session.config().modes().unwrap();
        assert!(modes.available_modes.iter().any(|mode| mode.id == modes.current_mode_id));
    }
}

/// CONF-04, CONF-24, MODE-06: options that are missing in the last list are gone, and modes are
/// shown again.
#[test]
fn an_empty_list_removes_all_options_and_shows_the_modes_again() {
    let session = fold([
        modes("ask"),
        update(OPTIONS),
        update(r#"{"sessionUpdate":"config_option_update","configOptions":[]}"#),
    ]);
    assert!(session.config().options().is_empty());
    let shown: Vec<_> = session.config().visible().map(|option| option.id.as_str()).collect();
    assert_eq!(shown, ["mode"]);
    assert_eq!(current(&session, "mode"), "ask");
}

/// CONF-16, MODE-05: of two selects of the category `mode`, the first counts. A switch does not
/// count.
#[test]
fn the_first_select_of_a_category_represents_modes_and_models() {
    let two = |category: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"config_option_update","configOptions":[
                {{"id":"w","name":"N","category":"{category}","type":"boolean","currentValue":true}},
                {{"id":"1","name":"N","category":"{category}","type":"select","currentValue":"ask","options":[{{"value":"ask","name":"A"}},{{"value":"code","name":"B"}}]}},
                {{"id":"2","name":"N","category":"{category}","type":"select","currentValue":"ask","options":[{{"value":"ask","name":"A"}},{{"value":"code","name":"B"}}]}}]}}"#
        ))
    };
    let session = fold([two("mode"), EventBody::CurrentMode("code".into())]);
    assert_eq!(
        (current(&session, "1"), current(&session, "2")),
        ("code".to_owned(), "ask".to_owned())
    );
    let models = |current: &str| {
        let text = format!(
            r#"{{"currentModelId":"{current}","availableModels":[{{"modelId":"ask","name":"A"}},{{"modelId":"code","name":"B"}}]}}"#
        );
        EventBody::Models(decode::<SessionModelState>(&text).unwrap())
    };
    let session = fold([two("model"), models("code")]);
    assert_eq!(
        (current(&session, "1"), current(&session, "2")),
        ("code".to_owned(), "ask".to_owned())
    );
    let session = fold([models("code"), two("model")]);
    assert_eq!(session.config().models().unwrap().current_model_id.as_str(), "ask");
    assert_eq!(session.config().visible().count(), 3, "models are not shown beside their option");
}

/// Requirements §1.4: an option with the id of the models option replaces it.
#[test]
fn no_two_options_are_shown_under_one_id_when_models_are_retired() {
    let text = r#"{"currentModelId":"x","availableModels":[{"modelId":"x","name":"X"}]}"#;
    let models = EventBody::Models(decode::<SessionModelState>(text).unwrap());
    let session = fold([models, select("model", "_other", "a", FLAT)]);
    assert_eq!(session.config().visible().count(), 1);
    assert_eq!(session.config().source(&"model".into()), OptionSource::ConfigOption);
}
