//! A page to open.

use super::choices::{Choice, ChoiceAction};
use super::text::stated;
use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role, Span, Style};
use attache_client::PageAddress;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A page to open. Show the whole address and all warnings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageView {
    /// The agent's message.
    pub message: Vec<Arc<Block>>,
    /// The whole address; its host is strong.
    pub address: Line,
    /// The host, to which the address leads.
    pub host: Line,
    /// Why the address is suspicious.
    pub warnings: Vec<Line>,
    /// The answers.
    pub choices: Vec<Choice>,
}

impl PageView {
    /// Returns the view of a page that an agent wants the person to open.
    pub fn new(message: &str, address: &PageAddress) -> Self {
        let choice =
            |key, label: &str, action| Choice { key, label: Line::of(label, Role::Text), action };
        let warnings = address.warnings().iter();
        Self {
            message: stated(message),
            address: address_line(address),
            host: Line::of(sanitize::visible_line(address.host()), Role::Name),
            warnings: warnings.map(|why| Line::of(why.to_string(), Role::Warning)).collect(),
            choices: vec![
                choice('y', "open the page", ChoiceAction::Accept),
                choice('n', "decline", ChoiceAction::Decline),
                choice('c', "dismiss without an answer", ChoiceAction::Cancel),
            ],
        }
    }
}

/// Returns the address in parts: before the host, the host, after the host.
fn address_line(address: &PageAddress) -> Line {
    let text = sanitize::visible_line(address.as_str());
    let start = text.find("://").map_or(0, |at| at + 3);
    let end = text.get(start..).and_then(|rest| rest.find(['/', '?', '#']));
    let end = end.map_or(text.len(), |end| start + end);
    let user = text.get(start..end).and_then(|authority| authority.rfind('@'));
    let host = user.map_or(start, |at| start + at + 1);
    let part = |from, to, role| Span::new(text.get(from..to).unwrap_or_default(), role);
    let mut spans = vec![part(0, host, Role::Muted), part(host, end, Role::Name)];
    spans.push(part(end, text.len(), Role::Text));
    if let Some(host) = spans.get_mut(1) {
        host.style = Style { strong: true, ..Style::of(Role::Name) };
    }
    spans.retain(|span| !span.text.is_empty());
    Line { spans }
}
