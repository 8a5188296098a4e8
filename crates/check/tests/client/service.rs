//! Answers to permission requests, elicitations and MCP messages.

use crate::correct::{Correct, Kind, Refusal, Served, Version, invalid};
use serde_json::{Map, Value, json};

/// A call of the agent that waits for a person.
#[derive(Debug)]
pub(crate) struct Held {
    id: Value,
    /// The answer that is sent if the person decides nothing.
    settled: Value,
}

/// Returns the answer to a permission request if the person chooses no option.
fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

impl Correct {
    pub(crate) fn permission(&mut self, id: &Value, params: &Value) -> Served {
        const KINDS: [&str; 4] = ["allow_once", "allow_always", "reject_once", "reject_always"];
        self.session_of(params)?;
        let call = match self.version {
            Version::One => &params["toolCall"],
            Version::Two => {
                params["title"].as_str().ok_or_else(invalid)?;
                &params["subject"]["toolCall"]
            }
        };
        let options = params["options"].as_array().ok_or_else(invalid)?;
        let is_option = |option: &Value| {
            let kind = option["kind"].as_str().is_some_and(|kind| KINDS.contains(&kind));
            kind && option["optionId"].is_string() && option["name"].is_string()
        };
        let has_subject = self.version == Version::Two || call["toolCallId"].is_string();
        if !has_subject || !options.iter().all(is_option) {
            return Err(invalid());
        }
        let shown = self.screen.tool_call(call);
        self.said.extend(shown.into_iter().map(crate::correct::Said::Shown));
        if self.is_cancelled {
            return Ok(Some(cancelled()));
        }
        let wanted = match self.task.name() {
            // The person has not decided yet.
            "cancel" => {
                self.held.push(Held { id: id.clone(), settled: cancelled() });
                return Ok(None);
            }
            "allow" => "allow",
            _ => "reject",
        };
        let is_wanted =
            |option: &&Value| option["kind"].as_str().is_some_and(|kind| kind.starts_with(wanted));
        Ok(Some(match options.iter().find(is_wanted) {
            Some(option) => {
                json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}})
            }
            None => cancelled(),
        }))
    }

    pub(crate) fn elicit(&mut self, id: &Value, params: &Value) -> Served {
        let is_scoped = params["sessionId"].is_string() != params.get("requestId").is_some();
        if !is_scoped || !params["message"].is_string() {
            return Err(invalid());
        }
        if params.get("requestId").is_none() {
            self.session_of(params)?;
        }
        let answer = match params["mode"].as_str() {
            Some("form") => self.form(&params["requestedSchema"])?,
            Some("url") if self.kind == Kind::Full => self.url(params)?,
            _ => return Err(invalid()),
        };
        self.show(&format!("the agent asks: {}", params["message"]));
        if self.is_cancelled || !self.is_on("cancel") {
            return Ok(Some(if self.is_cancelled { json!({"action": "cancel"}) } else { answer }));
        }
        self.held.push(Held { id: id.clone(), settled: json!({"action": "cancel"}) });
        Ok(None)
    }

    /// Opens a page if the person agrees.
    fn url(&mut self, params: &Value) -> Result<Value, Refusal> {
        let url = params["url"].as_str().ok_or_else(invalid)?.to_owned();
        params["elicitationId"].as_str().ok_or_else(invalid)?;
        self.show(&format!("open {url}"));
        Ok(json!({"action": if self.is_on("allow") { "accept" } else { "decline" }}))
    }

    /// Fills in a form with its defaults. Values that do not match the form are never sent.
    fn form(&mut self, schema: &Value) -> Result<Value, Refusal> {
        let none = Map::new();
        let schema = schema.as_object().ok_or_else(invalid)?;
        let properties = match schema.get("properties") {
            None => &none,
            Some(properties) => properties.as_object().ok_or_else(invalid)?,
        };
        for property in properties.values() {
            check_property(property)?;
        }
        if self.is_on("decline") {
            return Ok(json!({"action": "decline"}));
        }
        if !self.is_on("form") {
            return Ok(json!({"action": "cancel"}));
        }
        let default = |(name, property): (&String, &Value)| {
            Some((name.clone(), property.get("default")?.clone()))
        };
        let answer: Map<String, Value> = properties.iter().filter_map(default).collect();
        let required =
            schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let has = |name: &Value| name.as_str().is_some_and(|name| answer.contains_key(name));
        if required.iter().all(has)
            && answer.iter().all(|(name, value)| fits(&properties[name], value))
        {
            return Ok(json!({"action": "accept", "content": answer}));
        }
        self.show("the defaults do not match the form");
        Ok(json!({"action": "cancel"}))
    }

    /// Answers a message to the MCP server of the client.
    pub(crate) fn mcp(&mut self, params: &Value) -> Result<Value, Refusal> {
        if params["serverId"] != "server-1" || !params["requestId"].is_string() {
            return Err(invalid());
        }
        Ok(match params["method"].as_str().ok_or_else(invalid)? {
            "initialize" => {
                json!({"result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "here", "version": "1"}}})
            }
            "ping" => json!({"result": {}}),
            _ => json!({"error": {"code": -32601, "message": "no such method"}}),
        })
    }

    /// Answers all calls that wait for the person, as if the person had decided nothing.
    pub(crate) fn settle(&mut self) {
        for held in std::mem::take(&mut self.held) {
            self.answer(&held.id, held.settled);
        }
    }

    /// Handles a request to cancel the call `id`.
    pub(crate) fn withdraw(&mut self, id: &Value) {
        if let Some(place) = self.held.iter().position(|held| held.id == *id) {
            let held = self.held.remove(place);
            self.answer(&held.id, held.settled);
        } else if self.terminals.withdraw(id) {
            self.refuse(id, (-32800, Value::Null));
        }
    }
}

/// Whether a property of a form is well-formed.
fn check_property(property: &Value) -> Result<(), Refusal> {
    let counts: &[&str] = match property["type"].as_str().ok_or_else(invalid)? {
        "string" => &["minLength", "maxLength"],
        "array" => &["minItems", "maxItems"],
        _ => &[],
    };
    let is_count = |key: &&str| match property.get(*key) {
        None | Some(Value::Null) => true,
        Some(count) => count.is_u64(),
    };
    if counts.iter().all(is_count) { Ok(()) } else { Err(invalid()) }
}

/// Whether a value may be sent for a property. Patterns are not evaluated, so no value matches a
/// property with a pattern.
fn fits(property: &Value, value: &Value) -> bool {
    let within = |number: f64, least: &str, most: &str| {
        property[least].as_f64().is_none_or(|least| number >= least)
            && property[most].as_f64().is_none_or(|most| number <= most)
    };
    match property["type"].as_str() {
        Some("string") => value.as_str().is_some_and(|text| {
            let is_listed = property["enum"].as_array().is_none_or(|all| all.contains(value));
            let length = text.chars().count() as f64;
            is_listed && within(length, "minLength", "maxLength") && property["pattern"].is_null()
        }),
        Some("integer") => {
            value.is_i64()
                && value.as_f64().is_some_and(|number| within(number, "minimum", "maximum"))
        }
        Some("number") => value.as_f64().is_some_and(|number| within(number, "minimum", "maximum")),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        _ => false,
    }
}
