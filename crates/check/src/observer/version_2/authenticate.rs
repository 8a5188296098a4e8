//! Logins (V2-06 to V2-10, V2-84).

use super::super::finding::Report;
use super::super::seen::{Seen, entries, quoted, text};
use super::handshake;
use attache_protocol::method::v2::{AuthLogin, AuthLogout};
use attache_protocol::method::{Initialize, Method, Side};
use serde_json::Value;
use std::collections::HashSet;

/// The error code for an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// The methods of a login.
const METHODS: [&str; 2] = [AuthLogin::ROW.name, AuthLogout::ROW.name];

/// Judges whether a login fits the methods that the agent advertises.
pub(super) fn judge(seen: &Seen<'_>, known: &handshake::Judge, report: &mut Report) {
    if let Some((_, result)) = seen.result::<Initialize>() {
        advertised(entries(result, "authMethods"), known, report);
    }
    for name in METHODS {
        if let Some(asked) = seen.asked_named(Side::Client, name) {
            report.keeps("V2-06", !known.methods.is_empty(), || {
                format!("{name} is called although the agent has no authMethods")
            });
            if name == AuthLogin::ROW.name {
                login(text(&asked.params, "methodId").unwrap_or_default(), known, report);
            }
        }
        if let Some((call, outcome)) = seen.reply_named(Side::Agent, name)
            && !known.methods.is_empty()
        {
            let is_unknown = outcome.is_err_and(|error| error["code"] == UNKNOWN_METHOD);
            report.agrees("V2-09", is_unknown.then_some(call.line), || {
                format!("the agent has authMethods, but does not know {name}")
            });
        }
    }
}

fn login(id: &str, known: &handshake::Judge, report: &mut Report) {
    if known.methods.is_empty() {
        return;
    }
    let method = known.methods.iter().find(|(of, _)| of == id);
    report.keeps("V2-07", method.is_some(), || format!("the agent has no method {}", quoted(id)));
    let is_terminal = method.is_some_and(|(_, kind)| kind == "terminal");
    report
        .keeps("V2-08", !is_terminal, || format!("the method {} is a terminal login", quoted(id)));
}

/// Judges the logins that an agent advertises.
fn advertised(methods: &[Value], known: &handshake::Judge, report: &mut Report) {
    let mut ids = HashSet::new();
    for id in methods.iter().filter_map(|method| text(method, "methodId")) {
        report.keeps("V2-84", ids.insert(id), || format!("two methods have the id {}", quoted(id)));
    }
    for method in methods.iter().filter(|method| text(method, "type") == Some("terminal")) {
        let is_open = known
            .client
            .as_ref()
            .is_none_or(|client| client.auth.as_ref().is_some_and(|auth| auth.terminal.is_some()));
        let mut names = HashSet::new();
        let mut env = entries(method, "env").iter().filter_map(|variable| text(variable, "name"));
        let repeated = env.find(|name| !names.insert(*name));
        report.keeps("V2-10", is_open && repeated.is_none(), || match repeated {
            Some(name) => format!("the variable {} occurs twice", quoted(name)),
            None => "a terminal login, but capabilities.auth.terminal is not advertised".to_owned(),
        });
    }
}
