//! The decode vectors and golden exchanges of the specification catalogue (requirements §9 and §8).
//!
//! Intended differences: if unknown values are kept, the forms of the 2025 drafts are read:
//! `size: null` is an unknown size, and a group without a name gets its id as the name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "json/by_value.rs"]
mod by_value;
#[path = "json/typed.rs"]
#[allow(dead_code, reason = "used by the test of hostile input")]
mod typed;

use attache_protocol::envelope::Message;
use attache_protocol::method::{
    AuthStatus, Kind, Logout, Method, ProvidersList, Row, SessionList, SessionNew, Side,
};
use attache_protocol::{Error, RequestId, UnknownValues, Wire, decode_reporting, encode, v1};
use serde_json::{Value, json};
use std::collections::HashMap;
use typed::{TYPED, Typed};

/// What a text becomes when it is decoded as a type and written again.
type Rewrite = fn(&str, UnknownValues) -> Result<Value, String>;

fn rewrite<T: Wire>(text: &str, unknown: UnknownValues) -> Result<Value, String> {
    let value = decode_reporting::<T>(text, unknown).0.map_err(|error| error.to_string())?;
    serde_json::from_str(&encode(&value)).map_err(|error| error.to_string())
}

macro_rules! rewrites {
    ($($name:ident)*) => {
        &[
            $((stringify!($name), rewrite::<v1::$name>),)*
            ("Error", rewrite::<Error>),
            ("RequestId", rewrite::<RequestId>),
        ]
    };
}

const REWRITES: &[(&str, Rewrite)] = rewrites! {
    ClientCapabilities ContentBlock CreateElicitationRequest CreateElicitationResponse
    InitializeRequest InitializeResponse ListSessionsRequest ListSessionsResponse
    LoadSessionResponse NewSessionRequest NewSessionResponse PromptResponse
    RequestPermissionRequest RequestPermissionResponse SessionConfigOption SessionUpdate
    SetSessionConfigOptionRequest TerminalOutputResponse WriteTextFileResponse
};

#[test]
fn every_decode_vector_gives_the_result_of_the_catalogue() {
    let vectors = include_str!("fixtures/vectors.jsonl");
    let mut wrong = String::new();
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let (_, rewrite) = REWRITES.iter().find(|(name, _)| vector["of"] == *name).unwrap();
        let known = &vector["known"];
        for (mode, unknown, expected) in [
            ("refusing", UnknownValues::Refuse, known),
            ("keeping", UnknownValues::Keep, vector.get("kept").unwrap_or(known)),
        ] {
            let got = rewrite(&vector["text"].to_string(), unknown);
            if got.clone().unwrap_or(json!("ERR")) != *expected {
                wrong += &format!("\n{line}\n  {mode}: {got:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_null_result_is_empty_exactly_where_the_rule_lists_it() {
    // DEC-14, and `session/set_model` of §1.4, whose result was empty as well.
    const NULL: &[&str] = &[
        "authenticate",
        "logout",
        "session/load",
        "session/resume",
        "session/close",
        "session/delete",
        "session/set_mode",
        "session/set_model",
        "session/archive",
        "session/unarchive",
        "providers/set",
        "providers/disable",
        "fs/write_text_file",
        "terminal/release",
        "terminal/kill",
        "terminal/wait_for_exit",
    ];
    for typed in TYPED {
        let Some(result) = typed.result else { continue };
        // A proxy forwards any result.
        if typed.row.name == "proxy/successor" {
            continue;
        }
        assert_eq!(result("null").is_ok(), NULL.contains(&typed.row.name), "{}", typed.row.name);
    }
}

/// RPC-25.
#[test]
fn absent_and_null_params_are_empty_where_all_of_them_are_optional() {
    let null: Vec<&str> =
        TYPED.iter().filter(|typed| typed.row.null_params).map(|typed| typed.row.name).collect();
    assert_eq!(null, ["logout", "auth/status", "providers/list", "session/list"]);
    fn check<M: Method>() {
        let name = M::ROW.name;
        let read = |params| M::decode_params(params).map(|params| encode(&params));
        let empty = read(Some("{}"));
        assert!(empty.is_ok(), "{name}");
        assert_eq!(read(None), empty, "{name}");
        assert_eq!(read(Some("null")), empty, "{name}");
    }
    check::<Logout>();
    check::<AuthStatus>();
    check::<ProvidersList>();
    check::<SessionList>();
    assert!(SessionNew::decode_params(Some("null")).is_err());
}

#[test]
fn the_golden_exchanges_are_read_and_written_unchanged() {
    let mut calls: HashMap<(bool, RequestId), Option<&'static Typed>> = HashMap::new();
    let mut refused: Option<Error> = None;
    for line in include_str!("fixtures/golden.txt").lines() {
        let (from, text) = line.split_once("> ").unwrap();
        let from = if from == "C" { Side::Client } else { Side::Agent };
        let message = match Message::read(text.as_bytes()) {
            Ok(message) => message,
            Err(why) => {
                refused = why.error();
                continue;
            }
        };
        match message {
            Message::Call { id, method, params } => {
                let typed = typed::typed(v1::ProtocolVersion::V1, from, &method, Kind::Call);
                assert_eq!(typed.is_none(), method == "nope");
                if let (Some(typed), Some(params)) = (typed, params) {
                    assert_eq!((typed.params)(params), Ok(()), "{text}");
                }
                assert!(calls.insert((from == Side::Client, id), typed).is_none());
            }
            Message::Notification { method, params } => {
                let typed =
                    typed::typed(v1::ProtocolVersion::V1, from, &method, Kind::Notification)
                        .unwrap();
                assert_eq!((typed.params)(params.unwrap()), Ok(()), "{text}");
            }
            Message::Reply { outcome: Err(error), id } => match refused.take() {
                Some(refused) => assert_eq!((id, error), (RequestId::Null, refused)),
                None => assert!(calls.remove(&(from == Side::Agent, id)).unwrap().is_none()),
            },
            Message::Reply { outcome: Ok(result), id } => {
                let typed = calls.remove(&(from == Side::Agent, id)).unwrap().unwrap();
                assert_eq!(typed.result.unwrap()(result), Ok(()), "{text}");
            }
        }
    }
    assert!(calls.is_empty() && refused.is_none());
}

/// The methods of version 2 whose params or result may be null, as in the official types.
#[test]
fn null_means_an_empty_object_where_version_2_says_so() {
    use attache_protocol::method::v2::METHODS;
    let names = |is_wanted: fn(&Row) -> bool| -> Vec<&str> {
        METHODS.iter().filter(|row| is_wanted(row)).map(|row| row.name).collect()
    };
    assert_eq!(
        names(|row| row.null_params),
        ["auth/logout", "auth/status", "providers/list", "session/list"]
    );
    assert_eq!(
        names(|row| row.null_result),
        [
            "auth/login",
            "auth/logout",
            "providers/set",
            "providers/disable",
            "session/resume",
            "session/close",
            "session/delete",
            "session/archive",
            "session/unarchive",
            "tool_call/cancel",
            "terminal/cancel"
        ]
    );
    for typed in typed::TYPED_IN_V2 {
        if typed.row.null_params {
            assert_eq!((typed.params)("{}"), Ok(()));
        }
        if let Some(result) = typed.result.filter(|_| typed.row.null_result) {
            assert_eq!(result("null"), Ok(()), "{}", typed.row.name);
        }
    }
}
