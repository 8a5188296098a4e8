use super::{Failure, ProviderError, shown};
use crate::error::ModelError;
use crate::provider::Provider;
use crate::wire::Wire;
use serde_json::{Value, json};
use std::time::Duration;

fn failure(status: Option<u16>, body: Value) -> Failure {
    let provider =
        Provider::new("p", "P", Wire::Chat, "http://p/v1").key(Some("P_KEY"), "sk-123456789");
    let model = provider.model("m");
    let now = "2026-11-21T10:00:00Z".parse().unwrap();
    ProviderError {
        provider: &provider,
        model: &model,
        status,
        url: "http://p/v1/x",
        headers: &|_| None,
        body,
        now,
    }
    .failure()
}

/// Returns the kind of the error, and whether the request is retried.
fn kind(status: Option<u16>, body: &Value) -> String {
    let failure = failure(status, body.clone());
    let again = if failure.retry.is_some() { " again" } else { "" };
    let kind = match &failure.error {
        ModelError::Overflow { limit: Some(limit), .. } => format!("overflow {limit}"),
        ModelError::Overflow { limit: None, .. } => "overflow".to_owned(),
        other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_lowercase(),
    };
    kind + again
}

fn message(text: &str) -> Value {
    json!({"error": {"message": text}})
}

fn coded(code: &str, text: &str) -> Value {
    json!({"error": {"code": code, "message": text}})
}

fn typed(kind: &str, text: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": text}})
}

#[test]
fn a_too_long_conversation_is_recognised_for_every_provider() {
    for (status, body, expected) in [
        (
            400,
            coded(
                "context_length_exceeded",
                "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
            ),
            "overflow 128000",
        ),
        (
            400,
            coded(
                "context_length_exceeded",
                "Your input exceeds the context window of this model.",
            ),
            "overflow",
        ),
        (
            400,
            typed("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
            "overflow 200000",
        ),
        (
            400,
            typed(
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 190000 + 21000 > 200000",
            ),
            "overflow 200000",
        ),
        (
            400,
            json!([{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}]),
            "overflow 1048576",
        ),
        (
            400,
            json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size", "n_prompt_tokens": 5000, "n_ctx": 4096}}),
            "overflow 4096",
        ),
        (
            400,
            json!({"object": "error", "message": "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."}),
            "overflow 8192",
        ),
        (400, message("Range of input length should be [1, 258048]"), "overflow"),
        (
            400,
            message("Invalid request: Your request exceeded model token limit: 262144"),
            "overflow 262144",
        ),
        // The size of the request in bytes is not the length of the conversation in tokens.
        (413, typed("request_too_large", "Request exceeds the maximum size"), "toolarge"),
        (413, json!({"error": "413 Request Entity Too Large nginx"}), "toolarge"),
        (413, message("This model's maximum context length is 8192 tokens."), "overflow 8192"),
        (
            400,
            message(
                "Prompt contains 70000 tokens, too large for model with 32768 maximum context length",
            ),
            "overflow",
        ),
        // A comparison in the user's own words is not the limit.
        (400, message("The input exceeds the context window: if x > 5000 then"), "overflow"),
        (400, message("exceed context limit: the text > 5000"), "overflow"),
        // An error that names the pictures is about the length of the whole.
        (400, coded("context_length_exceeded", "the images are too large"), "overflow"),
    ] {
        assert_eq!(kind(Some(status), &body), expected, "{body}");
    }
}

/// Servers with a validation of their own repeat what they refuse.
#[test]
fn the_words_of_the_user_do_not_decide_what_an_error_is() {
    let echo = "prompt is too long, insufficient balance, image, `signature`, v1/responses";
    let detail = json!({"detail": [
        {"type": "extra", "loc": ["body", "messages", 0], "msg": "Not permitted", "input": echo},
        {"loc": ["body", "x"], "msg": "Field required", "ctx": {"given": echo}}]});
    let failed = failure(Some(422), detail);
    let text = failed.error.to_string();
    assert!(text.contains("body.messages.0: Not permitted; body.x: Field required"), "{text}");
    assert!(!failed.refusal.unwrap().text.contains("signature"));
    let long = format!("Bad request: {}{echo}", "x".repeat(500));
    let raw = json!({"error": {"message": "m", "metadata": {"raw": long}}});
    for body in [message(&long), json!({"error": long}), raw] {
        assert_eq!(kind(Some(400), &body), "badrequest");
        assert!(!failure(Some(400), body).refusal.unwrap().text.contains("signature"));
    }
}

/// LiteLLM writes the status as text, also into errors that it sends with status 500.
#[test]
fn a_status_in_the_body_counts() {
    for (code, text, expected) in [
        ("400", "m", "badrequest"),
        ("401", "m", "auth"),
        ("404", "m", "notfound"),
        ("429", "Too many tokens, please wait before trying again.", "overloaded again"),
        ("429", "m", "overloaded again"),
        ("400", "prompt is too long: 9 tokens > 5000 maximum", "overflow 5000"),
        ("7", "m", "overloaded again"),
        ("internal_error", "m", "overloaded again"),
    ] {
        for status in [None, Some(500)] {
            assert_eq!(kind(status, &coded(code, text)), expected, "{status:?} {code} {text}");
        }
    }
    let as_number = json!([{"error": {"code": 400, "message": "m"}}]);
    assert_eq!(kind(None, &as_number), "badrequest", "Gemini sends a list");
    assert_eq!(failure(Some(500), coded("400", "m")).refusal.unwrap().status, Some(400));
    assert_eq!(kind(Some(503), &coded("400", "m")), "overloaded again", "only 500 is vague");
    assert_eq!(kind(Some(429), &message("Too many tokens, please wait")), "overloaded again");
    assert_eq!(kind(None, &message("Too many tokens, please wait")), "overloaded again");
}

#[test]
fn errors_are_classified_by_their_cause() {
    let daily = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]}});
    let minute = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinute"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]}});
    for (status, body, expected) in [
        (Some(401), message("no"), "auth"),
        (Some(403), message("no"), "auth"),
        (
            Some(400),
            json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]),
            "auth",
        ),
        (Some(429), coded("insufficient_quota", "You exceeded your current quota"), "quota"),
        (Some(429), daily, "quota"),
        (Some(429), minute, "overloaded again"),
        (Some(402), message("Insufficient Balance"), "quota"),
        (
            Some(400),
            typed("invalid_request_error", "Your credit balance is too low to access the API"),
            "quota",
        ),
        (
            Some(429),
            json!({"error": {"type": "exceeded_current_quota_error", "message": "m"}}),
            "quota",
        ),
        (
            Some(429),
            message("Rate limit reached for gpt in tokens per min, too many tokens"),
            "overloaded again",
        ),
        (Some(500), json!({}), "overloaded again"),
        (Some(529), typed("overloaded_error", "Overloaded"), "overloaded again"),
        (Some(408), json!({}), "overloaded again"),
        (Some(409), json!({}), "overloaded again"),
        (Some(400), message("tools.0: bad"), "badrequest"),
        (
            Some(422),
            json!({"detail": [{"loc": ["body", "x"], "msg": "Extra inputs are not permitted"}]}),
            "badrequest",
        ),
        (
            Some(404),
            coded(
                "model_not_found",
                "The model `m` does not exist or you do not have access to it.",
            ),
            "unknownmodel",
        ),
        (Some(404), typed("not_found_error", "model: claude-x"), "unknownmodel"),
        (Some(404), json!({"error": "model 'x' not found, try pulling it first"}), "unknownmodel"),
        (
            Some(404),
            json!({"error": {"code": 404, "message": "models/x is not found for API version v1beta"}}),
            "unknownmodel",
        ),
        (
            Some(400),
            json!({"error": {"code": 400, "message": "x is not a valid model ID"}}),
            "unknownmodel",
        ),
        (Some(400), message("Model Not Exist"), "unknownmodel"),
        (Some(404), json!({"detail": "Not Found"}), "notfound"),
        (Some(405), json!({"detail": "Method Not Allowed"}), "notfound"),
        (Some(307), json!({}), "notfound"),
        (Some(400), coded("content_policy_violation", "m"), "refused"),
        // The budgets of LiteLLM.
        (
            Some(429),
            message(
                "No deployments available - crossed budget: Exceeded budget for provider openai",
            ),
            "quota",
        ),
        (
            Some(400),
            json!({"error": {"type": "budget_exceeded", "code": "400", "message": "Budget has been exceeded! Current cost: 2, Max budget: 1"}}),
            "quota",
        ),
        // An error in the middle of an answer has no HTTP status.
        (None, typed("overloaded_error", "Overloaded"), "overloaded again"),
        (None, typed("api_error", "Internal"), "overloaded again"),
        (None, typed("invalid_request_error", "m"), "badrequest"),
        (
            None,
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "m"}),
            "overloaded again",
        ),
        (None, json!({"error": {"code": "context_length_exceeded", "message": "m"}}), "overflow"),
        (
            None,
            json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}),
            "overloaded again",
        ),
        (None, json!({"error": {"code": 402, "message": "m"}}), "quota"),
        (None, json!({"error": {"code": "server_error", "message": "m"}}), "overloaded again"),
        (None, Value::Null, "overloaded again"),
        // The codes of a failed answer on the Responses wire.
        (None, coded("bio_policy", "m"), "refused"),
        (None, coded("image_content_policy_violation", "m"), "refused"),
        (None, coded("invalid_prompt", "m"), "refused"),
        (None, coded("data_residency_mismatch", "m"), "badrequest"),
        (None, coded("image_too_large", "m"), "refusedmedia"),
        (Some(400), coded("insufficient_quota", "no images are left"), "quota"),
        (None, coded("unsupported_image_media_type", "m"), "refusedmedia"),
        (None, coded("empty_image_file", "m"), "refusedmedia"),
        (None, coded("invalid_image_format", "m"), "refusedmedia"),
        (None, coded("rate_limit_exceeded", "m"), "overloaded again"),
        (None, coded("vector_store_timeout", "m"), "overloaded again"),
    ] {
        assert_eq!(kind(status, &body), expected, "{status:?} {body}");
    }
}

#[test]
fn the_wait_in_an_error_is_used() {
    let body =
        json!({"error": {"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "34s"}]}});
    assert_eq!(failure(Some(429), body).retry.unwrap().wait, Some(Duration::from_secs(34)));
    assert_eq!(failure(Some(429), json!({})).retry.unwrap().wait, None);
}

#[test]
fn a_providers_message_is_one_short_line_without_the_key() {
    let failure = failure(Some(401), message("bad key\n\u{1b}[31m sk-123456789\u{7} given"));
    let text = failure.error.to_string();
    assert!(text.contains("(\"bad key [31m <hidden> given\")"), "{text}");
    assert_eq!(shown(&"ä".repeat(400)).chars().count(), 301);
    assert_eq!(shown(&"ä".repeat(300)), "ä".repeat(300));
    let raw =
        json!({"error": {"message": "Provider returned error", "metadata": {"raw": "it broke"}}});
    assert!(super::words(&raw).message.ends_with("Provider returned error: it broke"));
}
