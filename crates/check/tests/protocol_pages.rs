//! The examples in `docs/protocol`: each is a message that the protocol crate reads and writes, in
//! a conversation that breaks no rule.
//!
//! `pages/page.rs` says how a page contains messages. The tests of the built-in agent and of the
//! client kit compare the examples with what these programs send.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "tests of other crates use the rest")]
#[path = "pages/page.rs"]
mod page;

use attache_check::{Observer, groups, rules};
use attache_protocol::method::{Call, Method};
use attache_protocol::{DecodeError, Wire, decode_known, each_method, each_v2_method, encode};
use page::{Message, Page, first, pages, whole};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The least number of messages that the pages show.
const MESSAGES: usize = 80;

/// Reads a value and writes it again.
type RoundTrip = fn(&str) -> Result<String, DecodeError>;

/// A method, its params, and its result if it is a request.
type Codec = (&'static str, RoundTrip, &'static [RoundTrip]);

fn round_trip<T: Wire>(text: &str) -> Result<String, DecodeError> {
    decode_known::<T>(text).map(|value| encode(&value))
}

macro_rules! codecs {
    ($($group:ident {
        $($function:ident $ty:ident $name:literal
            $params:ident $(=> $result:ident)? { $($rest:tt)* })*
    })*) => {
        &[$($((
            $name,
            round_trip::<<rows::$ty as Method>::Params>,
            &[$(round_trip::<codecs!(@ $result <rows::$ty as Call>::Result)>)?],
        ),)*)*]
    };
    (@ $result:ident $ty:ty) => { $ty };
}

const V1: &[Codec] = {
    use attache_protocol::method as rows;
    each_method! { codecs }
};

const V2: &[Codec] = {
    use attache_protocol::method::v2 as rows;
    each_v2_method! { codecs }
};

/// Returns what is wrong with the shape of each message.
fn misshapen(version: u8, messages: &[Message]) -> Vec<String> {
    let codecs = if version == 2 { V2 } else { V1 };
    let (mut calls, mut wrong) = (BTreeMap::new(), Vec::new());
    for Message { place, from, json, .. } in messages {
        let id = json.get("id").map(Value::to_string);
        let (name, params) = match (json["method"].as_str(), &json["result"]) {
            (Some(method), _) => {
                calls.insert((from.as_str(), id.clone()), method.to_owned());
                (method.to_owned(), true)
            }
            (None, Value::Null) => continue,
            (None, _) => match calls.get(&(from.other().as_str(), id.clone())) {
                Some(method) => (method.clone(), false),
                None => {
                    wrong.push(format!("{place}: no request has the id of this reply"));
                    continue;
                }
            },
        };
        let is_request = id.is_some();
        let of_name = codecs.iter().filter(|(known, _, result)| {
            *known == name && (result.is_empty() != is_request || name == "mcp/message")
        });
        let known = of_name.flat_map(|(_, of_params, of_result)| match params {
            true => std::slice::from_ref(of_params),
            false => of_result,
        });
        let Some(codec) = known.into_iter().next() else {
            if !name.starts_with('_') {
                wrong.push(format!("{place}: version {version} has no such message: {name}"));
            }
            continue;
        };
        let value = &json[if params { "params" } else { "result" }];
        match codec(&value.to_string()) {
            Err(error) => wrong.push(format!("{place}: {error}")),
            Ok(text) => {
                let again: Value = serde_json::from_str(&text).unwrap();
                if again != *value {
                    wrong.push(format!("{place}: the library writes {again}"));
                }
            }
        }
    }
    wrong
}

/// Returns the rules that a conversation breaks, with the place of each message at fault.
fn broken(messages: &[Message]) -> Vec<String> {
    let (mut observer, mut findings) = (Observer::default(), Vec::new());
    for (number, message) in (1..).zip(messages) {
        findings.extend(observer.line(number, message.from, message.json.to_string().as_bytes()));
    }
    findings.extend(observer.end());
    let told = |finding: &attache_check::Finding| {
        let place = finding.line.checked_sub(1).and_then(|line| messages.get(line));
        let place = place.map_or("at the end", |message| &message.place);
        format!("{place}: {}: {}", finding.rule.id, finding.seen)
    };
    findings.iter().map(told).collect()
}

#[test]
fn every_example_is_a_message_of_a_correct_conversation() {
    let pages = pages();
    let first = first(&pages);
    // Each page repeats the first conversation, so a fault of that is found several times.
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    for page in &pages {
        let conversations = match page.conversations() {
            Ok(conversations) => conversations,
            Err(unreadable) => {
                wrong.extend(unreadable);
                continue;
            }
        };
        for (version, messages) in conversations {
            count += messages.len();
            let messages = whole(&first[&version], &messages);
            wrong.extend(misshapen(version, &messages));
            wrong.extend(broken(&messages));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count >= MESSAGES, "{count} messages");
}

/// Returns the part of an address that names a heading, as GitHub and mdBook write it.
fn fragment(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns the ids in brackets, such as `[CONF-02]`.
fn cited(text: &str) -> BTreeSet<&str> {
    let parts = text.split('[').skip(1).filter_map(|part| part.split_once(']'));
    let is_id = |id: &str| {
        let parts = id.split_once('-');
        parts.is_some_and(|(prefix, number)| {
            groups().iter().any(|group| group.prefix == prefix)
                && number.chars().all(|c| c.is_ascii_digit())
        })
    };
    parts.map(|(id, _)| id).filter(|id| is_id(id)).collect()
}

#[test]
fn every_cited_rule_exists_and_is_linked() {
    let mut wrong = Vec::new();
    for page in pages() {
        let is_definition = |line: &&str| line.starts_with('[') && line.contains("]: ");
        let definitions: BTreeSet<&str> = page.text.lines().filter(is_definition).collect();
        let prose: Vec<&str> = page.text.lines().filter(|line| !is_definition(line)).collect();
        let link = |id: &str| {
            let rule = rules().iter().find(|rule| rule.id == id)?;
            let group = groups().iter().find(|group| group.prefix == rule.prefix())?;
            let fragment = fragment(&format!("{}: {}", group.prefix, group.title));
            Some(format!("[{id}]: ../rules.md#{fragment}"))
        };
        for id in cited(&prose.join("\n")) {
            match link(id) {
                None => wrong.push(format!("{}: no rule has the id {id}", page.name)),
                Some(link) if definitions.contains(&link.as_str()) => {}
                Some(link) => wrong.push(format!("{}: add the line {link}", page.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_wrong_example_names_its_line() {
    let page = |line: &str| Page {
        name: "a.md".to_owned(),
        text: format!("# A\n\n```acp v1\n-> {INITIALIZE}\n<- {line}\n```\n"),
    };
    let found = |line: &str| {
        let conversations = page(line).conversations()?;
        let messages = &conversations[&1];
        Err::<(), _>([misshapen(1, messages), broken(messages)].concat())
    };
    let not_json = found("{").unwrap_err();
    assert!(not_json[0].starts_with("docs/protocol/a.md:5: EOF"), "{not_json:?}");
    let unknown = found(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"x":1}}"#);
    let unknown = unknown.unwrap_err();
    assert!(unknown[0].starts_with("docs/protocol/a.md:5: the library writes"), "{unknown:?}");
    assert!(unknown[1].starts_with("docs/protocol/a.md:5: META-03"), "{unknown:?}");
    let string = found(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1"}}"#).unwrap_err();
    assert!(string[0].starts_with("docs/protocol/a.md:5: "), "{string:?}");
    assert_eq!(cited("see [CONF-02] and [TOOL] and [x](y)"), BTreeSet::from(["CONF-02"]));
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}}"#;
