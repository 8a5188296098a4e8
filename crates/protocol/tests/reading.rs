//! Tests of the reader, the decode marks and the reports.
use attache_protocol::v1::*;
use attache_protocol::*;

#[test]
fn a_tag_is_found_at_any_place() {
    for text in [
        r#"{"type":"text","text":"hi"}"#,
        r#"{"text":"hi","_meta":{"a":[1,{"type":"x"}]},"type":"text"}"#,
    ] {
        let block: ContentBlock = decode(text).unwrap();
        assert!(matches!(block, ContentBlock::Text(text) if text.text == "hi"));
    }
}

#[test]
fn an_unknown_variant_is_kept_unchanged_or_refused() {
    let text = r#"{"frames":[1, 2],"type":"video"}"#;
    let block: ContentBlock = decode(text).unwrap();
    assert_eq!(block.tag(), "video");
    assert_eq!(encode(&block), r#"{"frames":[1, 2],"type":"video"}"#);
    assert_eq!(
        decode_known::<ContentBlock>(text).unwrap_err().to_string(),
        r#"not a known ContentBlock: {"frames":[1, 2],"type":"video"}"#
    );
}

#[test]
fn dropped_values_are_reported_by_path() {
    let text = r#"{"type":"text","text":"a\u00e9\n","annotations":{"audience":["user","robot",3],"priority":"x"}}"#;
    let (block, notices) = decode_reporting::<ContentBlock>(text, UnknownValues::Refuse);
    let ContentBlock::Text(block) = block.unwrap() else { panic!() };
    assert_eq!(block.text, "aé\n");
    assert_eq!(block.annotations.unwrap().audience, [Role::User]);
    let seen: Vec<String> =
        notices.iter().map(|notice| format!("{}: {}", notice.path, notice.error.message)).collect();
    assert_eq!(
        seen,
        [
            "annotations.audience[1]: not a known Role: \"robot\"",
            "annotations.audience[2]: expected a string, found a number",
            "annotations.priority: expected a number, found a string",
        ]
    );
}

#[test]
fn an_error_names_the_path_and_what_was_expected() {
    let error = decode::<ToolCall>(r#"{"toolCallId":"a","title":null}"#).unwrap_err();
    assert_eq!(error.to_string(), "title: expected a string, found null");
    let error = decode::<ToolCall>(r#"{"toolCallId":"a"}"#).unwrap_err();
    assert_eq!(error.to_string(), "the required field \"title\" is missing");
    for (version, found) in
        [("2.5", "2.5"), ("-1", "-1"), ("65536", "65536"), ("\"2\"", "a string")]
    {
        let text = format!(r#"{{"protocolVersion":{version}}}"#);
        assert_eq!(
            decode::<InitializeRequest>(&text).unwrap_err().to_string(),
            format!("protocolVersion: expected a whole number from 0 to 65535, found {found}")
        );
    }
    assert!(decode::<ToolCall>("{bad").unwrap_err().not_json);
}

#[test]
fn deep_json_is_skipped_without_recursion() {
    let deep = format!(
        r#"{{"toolCallId":"a","title":"t","rawInput":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert_eq!(decode::<ToolCall>(&deep).unwrap().raw_input.unwrap().get().len(), 20_000);
    assert!(decode::<ToolCall>(&deep[..15_000]).is_err());
}
