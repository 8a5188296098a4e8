//! Model providers (PROV).

use crate::observer::finding::Report;
use crate::observer::seen::{Seen, entries, has, quoted, text};
use attache_protocol::method::{ProvidersDisable, ProvidersList, ProvidersSet};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The last list: the state of each provider.
    listed: HashMap<String, Value>,
    /// The later changes with their lines: the kind of API that was set, or `None` if the provider
    /// was disabled.
    done: HashMap<String, (Option<String>, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, _)) = seen.result::<ProvidersSet>() {
            let id = text(&call.params, "providerId").unwrap_or_default();
            let wire = text(&call.params, "apiType").unwrap_or_default();
            if let Some(listed) = self.listed.get(id) {
                let is_supported =
                    entries(listed, "supported").iter().any(|supported| supported == wire);
                report.agrees("PROV-02", (!is_supported).then_some(call.line), || {
                    format!(
                        "{} does not support {}, but setting it succeeds",
                        quoted(id),
                        quoted(wire)
                    )
                });
            } else if !self.listed.is_empty() {
                report.contradicts(
                    "PROV-02",
                    call.line,
                    format!("setting the unknown provider {} succeeds", quoted(id)),
                );
            }
            self.done.insert(id.to_owned(), (Some(wire.to_owned()), report.line()));
        }
        if let Some((call, outcome)) = seen.reply::<ProvidersDisable>() {
            let id = text(&call.params, "providerId").unwrap_or_default();
            if self.listed.get(id).is_some_and(|listed| listed["required"] == true) {
                report.agrees("PROV-03", outcome.is_ok().then_some(call.line), || {
                    format!("{} is required, but disabling it succeeds", quoted(id))
                });
            }
            if outcome.is_ok() {
                self.done.insert(id.to_owned(), (None, report.line()));
            }
        }
        if let Some((call, result)) = seen.result::<ProvidersList>() {
            self.listed(call.line, result, report);
        }
    }

    fn listed(&mut self, asked: usize, result: &Value, report: &mut Report) {
        let of =
            |provider: &Value| Some((text(provider, "providerId")?.to_owned(), provider.clone()));
        let before = std::mem::take(&mut self.listed);
        self.listed = entries(result, "providers").iter().filter_map(of).collect();
        for (id, provider) in &self.listed {
            let current = provider.get("current").unwrap_or(&Value::Null);
            let is_echoed = has(provider, "headers") || has(current, "headers");
            report.keeps("PROV-05", !is_echoed, || {
                format!("the headers of {} are reported", quoted(id))
            });
        }
        for (id, (wire, line)) in self.done.iter().filter(|(_, (_, line))| *line < asked) {
            let listed = self.listed.get(id);
            let current = listed
                .and_then(|provider| provider.get("current"))
                .filter(|current| !current.is_null());
            match wire {
                Some(wire) => {
                    let is_set =
                        current.is_some_and(|current| text(current, "apiType") == Some(wire));
                    report.agrees("PROV-02", (!is_set).then_some(*line), || {
                        format!("{} differs from the value that was set", quoted(id))
                    });
                }
                None if before.contains_key(id) => {
                    let is_kept = listed.is_some() && current.is_none();
                    report.agrees("PROV-04", (!is_kept).then_some(*line), || {
                        format!(
                            "{} was disabled, but is missing from the list or still in use",
                            quoted(id)
                        )
                    });
                }
                None => {}
            }
        }
    }
}
