//! Calls of methods that the client does not offer (INIT-17).

use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, skipped};
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile, Method, TerminalCreate};

probes! { ClientRun:
    "INIT-17" unoffered_methods_are_not_found;
}

pub(super) async fn unoffered_methods_are_not_found(run: &mut ClientRun) -> Probed {
    let path = run.new_path();
    let (talk, turn) = run.turn(&["allow", "prompt"]).await?;
    let session = &turn.session;
    let content = json!({"sessionId": session, "path": path, "content": "x"});
    let command = json!({"sessionId": session, "command": "true", "args": []});
    let mut asked = 0;
    for (capability, method, params) in [
        ("/fs/readTextFile", FsReadTextFile::ROW.name, json!({"sessionId": session, "path": path})),
        ("/fs/writeTextFile", FsWriteTextFile::ROW.name, content),
        ("/terminal", TerminalCreate::ROW.name, command),
    ] {
        if !talk.offers(capability) {
            asked += 1;
            talk.wire.ask(method, params).await?.is_error(-32601)?;
        }
    }
    if asked == 0 { skipped("the client offers files and terminals") } else { Ok(()) }
}
