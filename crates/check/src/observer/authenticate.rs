//! Logins (AUTH, AUTHS).

use super::finding::Report;
use super::known::Known;
use super::seen::{Body, Seen, entries, quoted, text};
use attache_protocol::method::{
    AuthStatus, AuthStatusUpdate, Authenticate, Initialize, Logout, SessionNew,
};
use serde_json::Value;
use std::collections::HashMap;

/// The error code of a call that needs a login.
const NEEDED: i64 = -32000;

/// The login state of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The login methods, and whether each uses a terminal. `None` before the handshake.
    methods: Option<HashMap<String, bool>>,
    is_needed: bool,
    /// The line of the last logout without a later login.
    logged_out: Option<usize>,
    /// The last reported login state and its line.
    state: Option<(Value, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        if let Some((_, result)) = seen.result::<Initialize>() {
            let method = |method: &Value| {
                Some((text(method, "id")?.to_owned(), text(method, "type") == Some("terminal")))
            };
            self.methods = Some(entries(result, "authMethods").iter().filter_map(method).collect());
        }
        if let Some(asked) = seen.asked::<Authenticate>()
            && let Some(methods) = &self.methods
        {
            let id = text(&asked.params, "methodId").unwrap_or_default();
            let given = methods.get(id).copied();
            report.keeps("AUTH-02", given.is_some(), || {
                format!("the agent has no method {}", quoted(id))
            });
            report.keeps("AUTH-06", given != Some(true), || {
                format!("the method {} is a terminal login", quoted(id))
            });
        }
        self.logs_out(seen, report);
        if let Some((call, outcome)) = seen.reply::<AuthStatus>() {
            let is_refused = outcome.is_err_and(|error| error["code"] == NEEDED);
            report.agrees("AUTHS-01", is_refused.then_some(call.line), || {
                "the request for the login state fails without a login".to_owned()
            });
        }
        if let Some(asked) = seen.asked::<AuthStatusUpdate>() {
            // If the recording lacks the agent's capabilities, the agent may have offered this one.
            let offers = known.agent.as_ref().is_none_or(|agent| agent.auth.status.is_some());
            report.keeps("AUTHS-03", offers, || {
                "the update is sent although agentCapabilities.auth.status is not advertised"
                    .to_owned()
            });
            if let Some((state, line)) = self.state.replace((asked.params.clone(), report.line()))
                && state == asked.params
            {
                report.contradicts("AUTHS-03", line, "nothing has changed since the last update");
            }
        }
    }

    fn logs_out(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Body::Replied { outcome: Err(error), .. } = &seen.body
            && error["code"] == NEEDED
        {
            self.is_needed = true;
        }
        if seen.result::<Authenticate>().is_some() {
            self.logged_out = None;
        }
        if seen.result::<Logout>().is_some() {
            self.logged_out = Some(report.line());
        }
        if let Some((call, outcome)) = seen.reply::<SessionNew>()
            && let Some(line) = self.logged_out.filter(|line| self.is_needed && *line < call.line)
        {
            report.agrees("AUTH-11", outcome.is_ok().then_some(line), || {
                "a session opens without a login, which was required before".to_owned()
            });
        }
    }
}
