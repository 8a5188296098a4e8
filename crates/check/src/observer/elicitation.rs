//! Elicitations: their modes, forms, pages and answers (ELIC).

use super::finding::Report;
use super::seen::{OpenCall, Seen, entries, has, quoted, text};
use attache_protocol::method::{ElicitationComplete, ElicitationCreate, SessionCancel};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The elicitations of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The open pages, with the line of each.
    pages: HashMap<String, usize>,
    /// The ids of all pages.
    known: HashSet<String>,
    /// The open forms by line, each with its session and the line of a later cancel.
    open: HashMap<usize, (String, Option<usize>)>,
}

/// The values that a form may ask for.
const PROPERTIES: [&str; 5] = ["string", "number", "integer", "boolean", "array"];

/// URL parameters that contain secrets.
const SECRETS: [&str; 7] =
    ["access_token", "refresh_token", "id_token", "client_secret", "password", "api_key", "apikey"];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<ElicitationCreate>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default().to_owned();
            self.open.insert(report.line(), (session, None));
            self.asked(&asked.params, report);
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            for (_, cancelled) in self.open.values_mut().filter(|(of, _)| of == session) {
                cancelled.get_or_insert(report.line());
            }
        }
        if let Some(asked) = seen.asked::<ElicitationComplete>() {
            let id = text(&asked.params, "elicitationId").unwrap_or_default();
            report.keeps("ELIC-19", self.known.contains(id), || {
                format!("no page has the id {}", quoted(id))
            });
            self.pages.remove(id);
        }
        if let Some((call, outcome)) = seen.reply::<ElicitationCreate>() {
            let cancelled = self.open.remove(&call.line).and_then(|(_, cancelled)| cancelled);
            let is_accepted = outcome.is_ok_and(|result| text(result, "action") == Some("accept"));
            // A page is open if it was accepted and is not complete. An answer that the recording
            // lacks may have ended it.
            if let Some(id) = text(&call.params, "elicitationId").filter(|_| is_accepted) {
                self.pages.entry(id.to_owned()).or_insert(call.line);
            }
            if let Ok(result) = outcome {
                answered(call, result, cancelled, report);
            }
        }
    }

    fn asked(&mut self, params: &Value, report: &mut Report) {
        let scopes = usize::from(has(params, "sessionId")) + usize::from(has(params, "requestId"));
        report.keeps("ELIC-04", has(params, "mode") && scopes == 1, || {
            format!("the request needs a mode and one scope, but has {scopes} scopes")
        });
        if text(params, "mode") == Some("form") {
            let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
            report.keeps("ELIC-07", is_flat(schema), || {
                "requestedSchema is not a flat object of strings, numbers, booleans and choices"
                    .to_owned()
            });
        }
        if let Some(url) = text(params, "url") {
            report.keeps("ELIC-12", !has_secret(url), || {
                "the page's URL contains a secret".to_owned()
            });
        }
        if let Some(id) = text(params, "elicitationId") {
            self.known.insert(id.to_owned());
            let earlier = self.pages.get(id).copied();
            report.agrees("ELIC-18", earlier, || {
                format!("the elicitation id {} was used before", quoted(id))
            });
        }
    }
}

fn answered(call: &OpenCall, result: &Value, cancelled: Option<usize>, report: &mut Report) {
    let action = text(result, "action").unwrap_or_default();
    let is_wordy = action != "accept" && has(result, "content");
    report.agrees("ELIC-13", is_wordy.then_some(call.line), || {
        format!("{action} comes with content")
    });
    if let Some(cancel) = cancelled {
        report.agrees("ELIC-26", (action != "cancel").then_some(cancel), || {
            format!("the turn was cancelled, and the answer is {action}")
        });
    }
    match text(&call.params, "mode") {
        Some("form") if action == "accept" => {
            let schema = call.params.get("requestedSchema").unwrap_or(&Value::Null);
            let wrong = mismatch(schema, result.get("content").unwrap_or(&Value::Null));
            report.agrees("ELIC-14", wrong.as_ref().map(|_| call.line), || {
                wrong.clone().unwrap_or_default()
            });
        }
        Some("form" | "url") | None => {}
        Some(mode) => report.agrees("ELIC-22", (action == "accept").then_some(call.line), || {
            format!("the unknown mode {} is accepted", quoted(mode))
        }),
    }
}

/// Whether a form asks only for single values.
fn is_flat(schema: &Value) -> bool {
    let is_known = |property: &Value| {
        text(property, "type")
            .is_some_and(|kind| PROPERTIES.contains(&kind) || kind.starts_with('_'))
    };
    text(schema, "type") == Some("object")
        && schema
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|all| all.values().all(is_known))
}

/// Whether a URL contains a login or a token.
fn has_secret(url: &str) -> bool {
    let (address, query) = url.split_once(['?', '#']).unwrap_or((url, ""));
    let host = address
        .split_once("://")
        .map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
    host.contains('@')
        || query.split(['&', '?', '#']).any(|pair| {
            pair.split_once('=').is_some_and(|(key, value)| {
                !value.is_empty() && SECRETS.contains(&key.to_ascii_lowercase().as_str())
            })
        })
}

/// Describes a difference between the content and the form, if there is one.
pub(super) fn mismatch(schema: &Value, content: &Value) -> Option<String> {
    let mut required = entries(schema, "required").iter().filter_map(Value::as_str);
    if let Some(missing) = required.find(|key| content.get(key).is_none()) {
        return Some(format!("the content lacks {}, which is required", quoted(missing)));
    }
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, property)| {
        let value = content.get(key)?;
        (!matches_property(property, value))
            .then(|| format!("the content's {} does not match the form", quoted(key)))
    })
}

/// Whether a value matches a property. Unclear cases count as a match.
fn matches_property(property: &Value, value: &Value) -> bool {
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    let within = |size: f64, least: &str, most: &str| {
        bound(least).is_none_or(|least| size >= least)
            && bound(most).is_none_or(|most| size <= most)
    };
    match text(property, "type").unwrap_or_default() {
        "string" => value.as_str().is_some_and(|text| {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            within(f64::from(length), "minLength", "maxLength")
                && is_offered(property, "oneOf", text)
        }),
        "integer" => {
            value.is_i64()
                && value.as_f64().is_some_and(|value| within(value, "minimum", "maximum"))
        }
        "number" => value.as_f64().is_some_and(|value| within(value, "minimum", "maximum")),
        "boolean" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|values| {
            let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
            let items = property.get("items").unwrap_or(&Value::Null);
            let is_choice =
                |value: &Value| value.as_str().is_some_and(|text| is_offered(items, "anyOf", text));
            within(f64::from(count), "minItems", "maxItems") && values.iter().all(is_choice)
        }),
        _ => true,
    }
}

/// Whether a choice was offered. If the form lists no choices, any choice counts.
fn is_offered(holder: &Value, titled: &str, chosen: &str) -> bool {
    let plain = entries(holder, "enum").iter().filter_map(Value::as_str);
    let mut all = plain
        .chain(entries(holder, titled).iter().filter_map(|choice| text(choice, "const")))
        .peekable();
    all.peek().is_none() || all.any(|choice| choice == chosen)
}
