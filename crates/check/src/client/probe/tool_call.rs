//! How a client shows tool calls (TOOL), including those in permission requests (PERM).

use crate::client::run::ClientRun;
use crate::client::screen::Screen;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, not_tested};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { ClientRun:
    "TOOL-04" an_update_of_an_unknown_call_creates_it;
    "TOOL-05" an_update_keeps_the_members_that_it_omits;
    "TOOL-06" content_is_replaced;
    "TOOL-14" unknown_kinds_and_statuses_are_accepted;
    "PERM-10" a_permission_request_updates_its_tool_call;
}

/// Starts a turn and returns its screen. The rule is not tested if the client does not show tool
/// calls.
async fn screen(run: &mut ClientRun) -> Probed<Screen<'_>> {
    let screen = run.screen(&["reject", "prompt"]).await?;
    if screen.shows_tool_calls { Ok(screen) } else { not_tested("the client shows no tool calls") }
}

/// Returns a running tool call.
fn call(title: &str) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": "judged", "title": title, "kind": "other", "status": "in_progress"})
}

/// Returns an update of the tool call that [`call`] creates.
fn change(mut fields: Value) -> Value {
    if let Value::Object(fields) = &mut fields {
        fields.insert("sessionUpdate".to_owned(), json!("tool_call_update"));
        fields.insert("toolCallId".to_owned(), json!("judged"));
    }
    fields
}

fn text(text: &str) -> Value {
    json!([{"type": "content", "content": {"type": "text", "text": text}}])
}

pub(super) async fn an_update_of_an_unknown_call_creates_it(run: &mut ClientRun) -> Probed {
    let [title] = run.several();
    let mut screen = screen(run).await?;
    let untitled = change(json!({"toolCallId": "untitled", "status": "completed"}));
    screen.shows([untitled]).await?;
    let seen = screen.shows([change(json!({"title": title, "status": "completed"}))]).await?;
    expect(seen.contains(&title), "the call is shown by its title", quoted(seen.trim()))
}

async fn an_update_keeps_the_members_that_it_omits(run: &mut ClientRun) -> Probed {
    let [title] = run.several();
    let mut screen = screen(run).await?;
    screen.shows([call(&title)]).await?;
    let seen = screen
        .shows([change(json!({"status": "pending"})), change(json!({"status": "in_progress"}))])
        .await?;
    let is_whole = seen.contains(&title);
    let end = change(
        json!({"title": null, "kind": null, "content": null, "locations": null, "status": "completed"}),
    );
    let seen = screen.shows([end]).await?;
    if seen.contains(&title) {
        return Ok(());
    }
    if !is_whole || seen.trim().is_empty() {
        return not_tested("the client does not show an updated tool call");
    }
    expect(false, "the tool call keeps its title after an update without one", quoted(seen.trim()))
}

pub(super) async fn content_is_replaced(run: &mut ClientRun) -> Probed {
    let [title, first, second] = run.several();
    let mut screen = screen(run).await?;
    screen.shows([call(&title), change(json!({"content": text(&first)}))]).await?;
    let end = change(json!({"content": text(&second), "status": "completed"}));
    let seen = screen.shows([end]).await?;
    if !seen.contains(&second) {
        return not_tested("the client does not show the content of a tool call");
    }
    expect(!seen.contains(&first), "only the later content", quoted(seen.trim()))
}

pub(super) async fn unknown_kinds_and_statuses_are_accepted(run: &mut ClientRun) -> Probed {
    let [title] = run.several();
    let mut screen = screen(run).await?;
    let mut odd = call(&title);
    if let Value::Object(odd) = &mut odd {
        odd.extend([
            ("kind".to_owned(), json!("teleport")),
            ("status".to_owned(), json!("cancelled")),
        ]);
    }
    let mut seen = screen.shows([odd]).await?;
    seen += &screen
        .shows([change(json!({"status": "evaporated"})), change(json!({"status": "completed"}))])
        .await?;
    expect(
        seen.contains(&title),
        "a call of an unknown kind and status is shown",
        quoted(seen.trim()),
    )
}

async fn a_permission_request_updates_its_tool_call(run: &mut ClientRun) -> Probed {
    let [first, second, third] = run.several();
    let mut screen = screen(run).await?;
    screen.shows([call(&first)]).await?;
    let seen = screen.shows([change(json!({"title": second}))]).await?;
    if !seen.contains(&second) {
        return not_tested("the client does not show a tool call again when its title changes");
    }
    let asked = json!({
        "toolCall": {"toolCallId": "judged", "title": third},
        "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}],
    });
    let Screen { talk, turn, .. } = &mut screen;
    talk.call::<SessionRequestPermission>(turn, asked).await?;
    let seen = screen.settles().await?;
    expect(
        seen.contains(&third),
        "the new title of the tool call in the permission request",
        quoted(seen.trim()),
    )
}
