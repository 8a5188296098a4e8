//! Rows that few sessions have: attachments, subagents, compactions, other plans.

use super::{FOLDER, apply, changed, prompt, said, text, update};
use attache_protocol::decode;
use attache_protocol::v1::ContentBlock;
use attache_session::{EventBody, Session};
use attache_view::SessionView;
use serde_json::{Value, json};

/// Returns the rows of a session with these entries.
pub(super) fn rows() -> Value {
    let mut session = Session::new("s4");
    let file = json!({"type": "resource_link", "name": "notes.md",
        "uri": format!("file://{FOLDER}/notes.md")});
    let photo = json!({"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="});
    let block = |json: &Value| -> ContentBlock { decode(&json.to_string()).unwrap() };
    let content = vec![ContentBlock::text("What does this show?"), block(&file), block(&photo)];
    apply(&mut session, EventBody::Prompt { content });
    for each in [
        json!({"sessionUpdate": "subagent_update", "sessionId": "s5", "title": "Read the notes",
            "state": {"state": "running"}}),
        json!({"sessionUpdate": "compaction_update", "compactionId": "k1", "status": "completed"}),
        json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "k1",
            "content": text("The parser was **fixed**.")}),
        json!({"sessionUpdate": "compaction_update", "compactionId": "k2", "status": "failed",
            "error": "the model is overloaded"}),
        json!({"sessionUpdate": "notice", "title": "The model is gone.", "severity": "error",
            "description": "Choose another one."}),
        said("It shows a bracket."),
    ] {
        update(&mut session, &each);
    }
    prompt(&mut session, "Thanks");
    changed(&session, &mut SessionView::new(FOLDER))["rows"].take()
}
