//! Usage, cost and notices (USE, NOTE).

use super::finding::Report;
use super::seen::{Seen, quoted, text};
use serde_json::Value;
use std::collections::HashMap;

/// The severities of the specification; others begin with `_`.
const SEVERITIES: [&str; 3] = ["info", "warning", "error"];

/// The cost of each session and the line that reported it.
#[derive(Debug, Default)]
pub(super) struct Judge {
    costs: HashMap<String, (f64, String, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((session, update)) = seen.update_of("usage_update") {
            for key in ["used", "size"] {
                let is_whole = update.get(key).and_then(Value::as_u64).is_some();
                report.keeps("USE-02", is_whole, || format!("{key} is not a whole number"));
            }
            let is_known = update.get("size").is_some_and(|size| !size.is_null() && *size != 0);
            report.keeps("USE-03", is_known, || {
                "the size of the context window is reported although it is unknown".to_owned()
            });
            if let Some(cost) = update.get("cost").filter(|cost| !cost.is_null()) {
                self.cost(session, cost, report);
            }
        }
        if let Some((_, update)) = seen.update_of("notice") {
            let severity = text(update, "severity").unwrap_or_default();
            report.keeps(
                "NOTE-08",
                SEVERITIES.contains(&severity) || severity.starts_with('_'),
                || format!("the severity {} is not in the specification", quoted(severity)),
            );
            let has_title = text(update, "title").is_some_and(|title| !title.trim().is_empty());
            report.keeps("NOTE-06", has_title, || "the notice has no title".to_owned());
        }
    }

    fn cost(&mut self, session: &str, cost: &Value, report: &mut Report) {
        report.tests(&["USE-04", "USE-05"]);
        let (Some(amount), Some(currency)) =
            (cost.get("amount").and_then(Value::as_f64), text(cost, "currency"))
        else {
            return report.breaks("USE-04", "the cost lacks its amount or currency");
        };
        if currency.is_empty() || (currency.len() == 3 && currency != currency.to_uppercase()) {
            report.breaks("USE-05", format!("{} is not a currency of ISO 4217", quoted(currency)));
        }
        if let Some((before, of, line)) = self.costs.get(session)
            && of == currency
            && amount < *before
        {
            report.contradicts(
                "USE-04",
                *line,
                format!("the cost decreased from {before} to {amount} {currency}"),
            );
        }
        self.costs.insert(session.to_owned(), (amount, currency.to_owned(), report.line()));
    }
}
