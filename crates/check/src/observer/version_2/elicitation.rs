//! Elicitations (V2-69, V2-70).

use super::super::elicitation::mismatch;
use super::super::finding::Report;
use super::super::seen::{Seen, quoted, text};
use attache_protocol::method::{ElicitationComplete, ElicitationCreate};
use serde_json::Value;
use std::collections::HashSet;

/// The elicitations of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The ids of all pages.
    pages: HashSet<String>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<ElicitationCreate>() {
            self.pages.extend(text(&asked.params, "elicitationId").map(str::to_owned));
        }
        if let Some(asked) = seen.asked::<ElicitationComplete>() {
            let id = text(&asked.params, "elicitationId").unwrap_or_default();
            report.keeps("V2-70", self.pages.contains(id), || {
                format!("no page has the id {}", quoted(id))
            });
        }
        if let Some((call, result)) = seen.result::<ElicitationCreate>()
            && text(&call.params, "mode") == Some("form")
            && text(result, "action") == Some("accept")
            && let Some(content) = result.get("content").filter(|content| content.is_object())
        {
            let schema = call.params.get("requestedSchema").unwrap_or(&Value::Null);
            let wrong = mismatch(schema, content);
            report.agrees("V2-69", wrong.as_ref().map(|_| call.line), || {
                wrong.clone().unwrap_or_default()
            });
        }
    }
}
