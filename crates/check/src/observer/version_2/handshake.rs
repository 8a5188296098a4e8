//! The choice of the version and what both sides announce (V2-01 to V2-05).

use super::super::finding::Report;
use super::super::seen::{Body, Seen, entries, text};
use attache_protocol::decode;
use attache_protocol::method::{Initialize, Side};
use attache_protocol::v2::{
    AgentCapabilities, ClientCapabilities, InitializeRequest, InitializeResponse,
};
use serde_json::Value;

/// The result of the handshake.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The version of the last successful handshake, with the line of the reply.
    agreed: Option<(u64, usize)>,
    /// The line of the client's first call other than `initialize`.
    called: Option<usize>,
    /// The client's capabilities, or `None` if they could not be decoded.
    pub(super) client: Option<ClientCapabilities>,
    /// The agent's capabilities, or `None` if they could not be decoded.
    pub(super) agent: Option<AgentCapabilities>,
    /// The agent's login methods: the id and the type of each.
    pub(super) methods: Vec<(String, String)>,
}

impl Judge {
    /// Judges which version each side requests or chooses.
    pub(super) fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        match &seen.body {
            Body::Asked(asked) if seen.from == Side::Client && asked.is_call => {
                if seen.asked::<Initialize>().is_some() {
                    self.requested(version_in(&asked.params), report);
                } else {
                    self.called.get_or_insert(report.line());
                }
            }
            _ => {}
        }
        if let Some((call, result)) = seen.result::<Initialize>() {
            self.chosen(version_in(&call.params), version_in(result), report);
        }
    }

    fn requested(&self, version: Option<u64>, report: &mut Report) {
        let Some((agreed, line)) = self.agreed.filter(|(agreed, _)| *agreed > 1) else { return };
        let is_lower = version.is_some_and(|version| version < agreed);
        report.agrees("V2-03", is_lower.then_some(line), || {
            "a lower version is requested than the one in use".to_owned()
        });
        report.agrees("V2-04", self.called, || "initialize comes after another call".to_owned());
    }

    fn chosen(&mut self, requested: Option<u64>, given: Option<u64>, report: &mut Report) {
        let (Some(requested), Some(given)) = (requested, given) else { return };
        if requested > 1 {
            report.keeps("V2-02", given <= requested, || {
                format!("version {requested} is requested, and the agent answers with {given}")
            });
        }
        if let Some((agreed, line)) = self.agreed.filter(|(agreed, _)| *agreed > 1)
            && requested >= agreed
        {
            report.agrees("V2-03", (given < agreed).then_some(line), || {
                format!("the version was {agreed}, and is now {given}")
            });
        }
        self.agreed = Some((given, report.line()));
    }

    /// Notes what both sides announce, and judges whether the client gives its name.
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let Some((call, result)) = seen.result::<Initialize>() else { return };
        let info = call.params.get("info").unwrap_or(&Value::Null);
        if text(info, "name").is_none() || text(info, "version").is_none() {
            let seen = "the request for version 2 has no info with a name and a version";
            report.other_contradicts("V2-01", call.line, seen);
        }
        let request = decode::<InitializeRequest>(&call.params.to_string()).ok();
        self.client = request.map(|request| request.capabilities);
        let response = decode::<InitializeResponse>(&result.to_string()).ok();
        self.agent = response.map(|response| response.capabilities);
        let method = |method: &Value| {
            Some((text(method, "methodId")?.to_owned(), text(method, "type")?.to_owned()))
        };
        self.methods = entries(result, "authMethods").iter().filter_map(method).collect();
    }
}

fn version_in(holder: &Value) -> Option<u64> {
    holder.get("protocolVersion").and_then(Value::as_u64)
}
