//! The list of a server's tools. A tool that cannot be used is left out, and not its whole server.

use crate::tools::fit::one_line;
use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool,
};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};
use serde_json::Value;

/// The maximum number of tools of one server.
const MAX_TOOLS: usize = 1000;

/// The maximum number of pages in which a server may list its tools.
const MAX_PAGES: usize = 50;

/// The maximum length of a tool's name in a message, in characters.
const NAME: usize = 60;

/// The member of `_meta` with the reason why a tool is left out. [`mark`] adds it.
const MARK: &str = "attache/leftOut";

/// The tools of a server.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Tool>,
    /// The tools that cannot be used, each with the reason.
    pub(super) left_out: Vec<String>,
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
        let mark = tool.meta.as_mut().and_then(|meta| meta.0.remove(MARK));
        match mark {
            Some(why) => {
                let why = why.as_str().unwrap_or_default();
                self.left_out.push(format!("{} {why}", one_line(&tool.name, NAME)));
            }
            None if self.tools.len() < MAX_TOOLS => self.tools.push(tool),
            None => {}
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
                Err(_) => self.left_out.push(format!("{name} {why}")),
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
        let meta = tool.as_object_mut()?.entry("_meta").or_insert_with(|| serde_json::json!({}));
        meta.as_object_mut()?
            .insert(MARK.to_owned(), "needs MCP tasks, which are not supported".into());
        marked = true;
    }
    marked.then(|| serde_json::to_vec(&message).ok()).flatten()
}
