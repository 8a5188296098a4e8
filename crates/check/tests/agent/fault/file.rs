//! Faults in using the client's files.

use crate::fault::{Fault, calls, fault, misheard};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    misheard("FS-01", &[], |h, m| {
        let fs = &h.params()["clientCapabilities"]["fs"];
        if h.is("initialize") && fs["writeTextFile"] == true && fs["readTextFile"] == false {
            m["params"]["clientCapabilities"]["fs"]["readTextFile"] = json!(true)
        }
    }),
    fault("FS-08", &["RPC-31"], |_, s| {
        let paths = calls(s, "fs/read_text_file").map(|call| &mut call["params"]["path"]);
        paths
            .filter(|path| path.as_str().unwrap().ends_with("/attache-relative.txt"))
            .for_each(|path| *path = json!("attache-relative.txt"))
    }),
    misheard("FS-11", &[], |h, m| {
        if h.answers == "fs/write_text_file" && h.message["result"].is_null() {
            *m = json!({"jsonrpc": "2.0", "id": h.message["id"], "error": {"code": -32603, "message": "no result"}})
        }
    }),
    fault("FS-12", &[], |_, s| {
        for call in calls(s, "fs/write_text_file") {
            let text = call["params"]["content"].as_str().unwrap().replace("\r\n", "\n");
            call["params"]["content"] = json!(text)
        }
    }),
];
