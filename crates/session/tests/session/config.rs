//! Config options, modes and models.

use crate::{fold, update};
use attache_protocol::decode;
use attache_protocol::v1::{
    ClientCapabilities, SessionConfigOptionValue, SessionModeState, SessionModelState,
};
use attache_session::{EventBody, OptionSource, Session, SetError};

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
    let id = |name| session.config().option_by_id_or_category(name).map(|option| option.id.to_string());
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
fn an_agent_takes_words_for_a_switch_only_from_clients_without_switches() {
    let session = fold([update(OPTIONS)]);
    let without = ClientCapabilities::new();
    let with: ClientCapabilities = decode(r#"{"session":{"configOptions":{"boolean":{}}}}"#).unwrap();
    let off = SessionConfigOptionValue::from("false");
    let options = session.config().with_value("web", &off, &without).unwrap();
    assert_eq!(options[5].current_value(), Some(false.into()));
    assert!(matches!(session.config().with_value("web", &off, &with), Err(SetError::UnknownValue { .. })));
    assert!(session.config().with_value("web", &false.into(), &with).is_ok());
    // An agent looks by id only: `configId` is no category.
    assert!(session.config().with_value("thought_level", &"high".into(), &with).is_err());
    assert!(session.config().with_value("slide", &"3".into(), &with).is_err());
}

/// MODE-05, MODE-07.
#[test]
fn a_changed_mode_shows_in_the_option_and_a_changed_option_in_the_modes() {
    let by_mode = fold([update(OPTIONS), modes("ask"), EventBody::CurrentMode("code".into())]);
    assert_eq!(current(&by_mode, "m"), "code");
    assert_eq!(by_mode.config().current_mode(), Some("code".into()));
    let by_option =
        fold([modes("ask"), update(&OPTIONS.replace(r#""currentValue":"ask""#, r#""currentValue":"code""#))]);
    assert_eq!(by_option.config().modes().unwrap().current_mode_id.as_str(), "code");
}

/// MODE-05: a value that one side does not have is not forced upon it.
#[test]
fn a_mode_that_the_option_does_not_have_leaves_the_option_alone() {
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
    let text =
        r#"{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"}]}"#;
    let session = fold([EventBody::Models(decode::<SessionModelState>(text).unwrap())]);
    assert_eq!(current(&session, "model"), "a");
    let request = session.config().check_set("model", "b").unwrap();
    assert_eq!(session.config().source(&request.config_id), OptionSource::Models);
}
