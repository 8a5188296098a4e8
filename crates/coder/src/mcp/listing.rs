//! The list of a server's tools. A tool that cannot be used is left out, and not its whole server.

use crate::conversation::note_token::random_word;
use crate::tools::fit::one_line;
use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool,
};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};
use serde_json::Value;
use std::sync::LazyLock;

/// The maximum number of tools of one server.
const MAX_TOOLS: usize = 1000;

/// The maximum number of pages in which a server may list its tools.
const MAX_PAGES: usize = 50;

/// The maximum length of a tool's name in a message, in characters.
const NAME: usize = 60;

/// The maximum number of tools that are left out and named.
const SHOWN: usize = 10;

/// The member of `_meta` of a tool that needs tasks. [`mark`] adds it. It is random, so that a
/// server cannot add it.
static MARK: LazyLock<String> = LazyLock::new(|| format!("attache/leftOut/{}", random_word()));

/// The tools of a server.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Tool>,
    pub(super) left_out: LeftOut,
}

/// The tools that cannot be used.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// The first of them, each with the reason.
    pub(super) shown: Vec<String>,
    /// The number of all of them.
    pub(super) count: usize,
}

impl LeftOut {
    fn add(&mut self, name: &str, why: &str) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(format!("{name} {why}"));
        }
    }
}

/// All tools of a server, up to the limits.
pub(super) async fn tools(peer: &Peer<RoleClient>) -> Result<Listing, ServiceError> {
    let mut listing = Listing::default();
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(listing);
    }
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page));
        cursor = match peer.send_request(request).await? {
            ServerResult::ListToolsResult(page) => {
                page.tools.into_iter().for_each(|tool| listing.add(tool));
                page.next_cursor
            }
            // The library could not read one of the tools.
            ServerResult::CustomResult(CustomResult(page)) => listing.add_each(page)?,
            _ => return Err(ServiceError::UnexpectedResponse),
        };
        if cursor.is_none() {
            break;
        }
    }
    Ok(listing)
}

impl Listing {
    fn add(&mut self, mut tool: Tool) {
        let is_marked = tool.meta.as_mut().and_then(|meta| meta.0.remove(MARK.as_str())).is_some();
        if is_marked {
            let why = "needs MCP tasks, which are not supported";
            self.left_out.add(&one_line(&tool.name, NAME), why);
        } else if self.tools.len() < MAX_TOOLS {
            self.tools.push(tool);
        }
    }

    /// Adds the tools of a page that can be read, and returns the cursor of the next page.
    fn add_each(&mut self, mut page: Value) -> Result<Option<String>, ServiceError> {
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(ServiceError::UnexpectedResponse);
        };
        for (index, tool) in tools.into_iter().enumerate() {
            let name = match tool.get("name").and_then(Value::as_str) {
                Some(name) => one_line(name, NAME),
                None => format!("tool number {}", index + 1),
            };
            let why = match tool.get("inputSchema") {
                None => "has no inputSchema".to_owned(),
                Some(Value::Object(_)) => "cannot be read".to_owned(),
                Some(_) => "has an inputSchema that is not an object".to_owned(),
            };
            match serde_json::from_value(tool) {
                Ok(tool) => self.add(tool),
                Err(_) => self.left_out.add(&name, &why),
            }
        }
        Ok(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
    }
}

/// Marks the tools in a server's message that need tasks, which are not supported: each of their
/// calls would fail. The library drops the member that says so. Returns `None` if the message stays
/// unchanged.
pub(super) fn mark(message: &[u8]) -> Option<Vec<u8>> {
    // Most messages list no tools, and need not be read twice.
    let word = b"\"taskSupport\"";
    message.windows(word.len()).find(|part| part == word)?;
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let tools = message.pointer_mut("/result/tools")?.as_array_mut()?;
    let mut marked = false;
    for tool in tools {
        if tool.pointer("/execution/taskSupport") != Some(&Value::from("required")) {
            continue;
        }
        let Some(tool) = tool.as_object_mut() else { continue };
        let meta = tool.entry("_meta").or_insert(Value::Null);
        if !meta.is_object() {
            *meta = serde_json::json!({});
        }
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(MARK.clone(), true.into());
            marked = true;
        }
    }
    marked.then(|| serde_json::to_vec(&message).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Listing, MARK, SHOWN, mark};
    use serde_json::{Value, json};

    /// The tools and the tools left out of a server that sends these tools.
    fn listed(tools: &Value) -> Listing {
        let message = json!({ "result": { "tools": tools } }).to_string();
        let message = mark(message.as_bytes()).unwrap_or(message.into_bytes());
        let mut page: Value = serde_json::from_slice(&message).unwrap();
        let mut listing = Listing::default();
        listing.add_each(page["result"].take()).unwrap();
        listing
    }

    #[test]
    fn a_server_cannot_mark_a_tool() {
        let meta = json!({ "attache/leftOut": "\u{1b}[2J" });
        let listing = listed(&json!([{ "name": "a", "inputSchema": {}, "_meta": meta }]));
        assert_eq!((listing.tools.len(), listing.left_out.count), (1, 0));
        assert!(MARK.len() > "attache/leftOut/".len());
    }

    #[test]
    fn a_meta_that_is_no_object_does_not_stop_the_marking() {
        let execution = json!({ "taskSupport": "required" });
        let tool = |name: &str, meta: Value| json!({ "name": name, "inputSchema": {}, "execution": execution, "_meta": meta });
        let listing =
            listed(&json!([tool("a", json!(5)), tool("b", json!(null)), 5, tool("c", json!({}))]));
        assert!(listing.tools.is_empty(), "{listing:?}");
        let mut shown = listing.left_out.shown;
        assert_eq!(shown.remove(2), "tool number 3 has no inputSchema");
        assert_eq!(
            shown,
            ["a", "b", "c"].map(|name| format!("{name} needs MCP tasks, which are not supported"))
        );
    }

    #[test]
    fn tools_left_out_are_counted_and_the_first_are_named() {
        let listing = listed(&json!(vec![json!({ "name": "a" }); 2000]));
        assert_eq!((listing.left_out.shown.len(), listing.left_out.count), (SHOWN, 2000));
    }
}
