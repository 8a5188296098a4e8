//! ELIC-14, ELIC-15, ELIC-22, ELIC-24: answers to forms.

use super::*;
use attache_protocol::decode;

fn form(properties: &str) -> Form {
    let text = format!(r#"{{"type":"object","properties":{properties},"required":["name"]}}"#);
    Form::new(decode(&text).unwrap())
}

fn sample() -> Form {
    form(
        r#"{
            "name": {"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$","default":"ab"},
            "age": {"type":"integer","minimum":0,"maximum":150,"default":200},
            "size": {"type":"number","maximum":2.5},
            "ok": {"type":"boolean","default":true},
            "colour": {"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
            "tags": {"type":"array","items":{"type":"string","enum":["x","y","z"]},"minItems":1,"maxItems":2},
            "new": {"type":"colour","default":"red"}
        }"#,
    )
}

fn content(text: &str) -> Map<Value> {
    decode(text).unwrap()
}

fn problem(text: &str) -> Option<String> {
    sample().check(&content(text)).err().map(|misfilled| misfilled.field)
}

/// ELIC-14.
#[test]
fn only_answers_that_fit_the_form_pass() {
    assert_eq!(problem(r#"{"name":"abc"}"#), None);
    let all = r#"{"name":"abc","age":7,"size":2,"ok":false,"colour":"g","tags":["x","z"]}"#;
    assert_eq!(problem(all), None);
    for (wrong, field) in [
        (r#"{}"#, "name"),
        (r#"{"name":"a"}"#, "name"),
        (r#"{"name":"abcde"}"#, "name"),
        (r#"{"name":"AB"}"#, "name"),
        (r#"{"name":1}"#, "name"),
        (r#"{"name":"ab","age":-1}"#, "age"),
        (r#"{"name":"ab","age":1.5}"#, "age"),
        (r#"{"name":"ab","size":3}"#, "size"),
        (r#"{"name":"ab","ok":"yes"}"#, "ok"),
        (r#"{"name":"ab","colour":"Red"}"#, "colour"),
        (r#"{"name":"ab","tags":[]}"#, "tags"),
        (r#"{"name":"ab","tags":["x","y","z"]}"#, "tags"),
        (r#"{"name":"ab","tags":["q"]}"#, "tags"),
        (r#"{"name":"ab","other":1}"#, "other"),
    ] {
        assert_eq!(problem(wrong).as_deref(), Some(field), "{wrong}");
    }
}

/// ELIC-15.
#[test]
fn defaults_are_filled_in_where_they_fit() {
    let expected = content(r#"{"name":"ab","ok":true}"#);
    assert_eq!(
        sample().defaults(),
        expected,
        "200 is not a valid age, and the type of colours is unknown"
    );
}

/// ELIC-22.
#[test]
fn a_field_of_an_unknown_type_is_never_filled_in() {
    assert_eq!(problem(r#"{"name":"ab","new":"red"}"#).as_deref(), Some("new"));
    assert!(sample().read("new", "red").is_err());
    let items = form(r#"{"name":{"type":"array","items":{"type":"colour","enum":["red"]}}}"#);
    assert!(items.check(&content(r#"{"name":["red"]}"#)).is_err());
    assert_eq!(Form::choices(items.schema().properties.get("name").unwrap()), None);
}

/// ELIC-24.
#[test]
fn a_pattern_that_cannot_be_evaluated_is_reported_as_unchecked() {
    let form = form(r#"{"name":{"type":"string","pattern":"^(?!x)"}}"#);
    assert!(
        form.is_unchecked("name")
            && !sample().is_unchecked("name")
            && !sample().is_unchecked("age")
    );
    assert!(form.check(&content(r#"{"name":"x"}"#)).is_ok());
}

#[test]
fn typed_text_is_read_by_the_type_of_the_field() {
    let form = sample();
    let read = |name, typed| form.read(name, typed).ok();
    assert_eq!(read("name", "abc"), Some(Value::String("abc".into())));
    assert_eq!(
        (read("age", " 7 "), read("age", "7.5"), read("age", "151")),
        (Some(Value::Integer(7)), None, None)
    );
    assert_eq!((read("size", "2.5"), read("size", "NaN")), (Some(Value::Number(2.5)), None));
    assert_eq!((read("ok", "Yes"), read("ok", "maybe")), (Some(Value::Boolean(true)), None));
    for typed in ["g", "Green", "2"] {
        assert_eq!(read("colour", typed), Some(Value::String("g".into())), "{typed}");
    }
    assert_eq!((read("colour", "3"), read("colour", "0")), (None, None));
    assert_eq!(read("tags", "1, z"), Some(Value::StringArray(vec!["x".into(), "z".into()])));
    assert_eq!(read("tags", "1,4"), None);
}

#[test]
fn formats_refuse_certain_mismatches() {
    let field =
        |format: &str| form(&format!(r#"{{"name":{{"type":"string","format":"{format}"}}}}"#));
    for (format, good, bad) in [
        ("email", &["a@b.c"][..], &["a", "@b", "a b@c", "a@b@c"][..]),
        ("uri", &["https://x", "mailto:a"], &["x", ":x", "1a:b", "a:b c"]),
        (
            "date",
            &["2024-02-29", "2026-12-31"],
            &["2023-02-29", "2026-13-01", "2026-1-1", "2026-11-2é"],
        ),
        (
            "date-time",
            &["2026-11-21T08:30:00Z", "2026-11-21T08:30:00.25+01:00"],
            &["2026-11-21", "2026-11-21T25:00:00Z", "2026-11-21T08:30:00", "2026-11-21T08:30Z"],
        ),
    ] {
        for text in good {
            assert!(field(format).read("name", text).is_ok(), "{format} {text}");
        }
        for text in bad {
            assert!(field(format).read("name", text).is_err(), "{format} {text}");
        }
    }
}
