//! The agent's side: responds immediately, and writes updates in blocks of 64 KiB.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Result, Write};
use std::os::fd::AsFd;

use bench_peers::flood::Flood;
use bench_peers::stats::Stats;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::lines::Lines;

const WRITE_AT: usize = 64 * 1024;

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Prompt {
    prompt: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    text: String,
}

pub(crate) fn run() -> Result<()> {
    // Rust's own stdout would split each block at line ends.
    let mut output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let mut input = Lines::new(File::from(std::io::stdin().as_fd().try_clone_to_owned()?));
    let mut out = Vec::with_capacity(2 * WRITE_AT);
    loop {
        let line = match input.next() {
            Ok(line) => line,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        // Messages without an id are notifications, which this agent ignores.
        let Ok(call) = serde_json::from_slice::<Call>(line) else { continue };
        let result = match &*call.method {
            "initialize" => r#"{"protocolVersion":1}"#.into(),
            "session/new" => r#"{"sessionId":"sess-0123456789abcdef"}"#.into(),
            "session/prompt" => {
                let prompt = call
                    .params
                    .and_then(|params| serde_json::from_str::<Prompt>(params.get()).ok());
                let text = prompt.and_then(|prompt| Some(prompt.prompt.into_iter().next()?.text));
                if let Some(flood) = text.as_deref().and_then(Flood::parse) {
                    send(flood, &mut out, &mut output)?;
                }
                r#"{"stopReason":"end_turn"}"#.into()
            }
            "_bench/stats" => json!(Stats::now()).to_string(),
            _ => "{}".to_owned(),
        };
        writeln!(out, r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, call.id.get())?;
        output.write_all(&out)?;
        out.clear();
    }
}

/// Each update is serialized separately; only the text is shared.
fn send(flood: Flood, out: &mut Vec<u8>, output: &mut File) -> Result<()> {
    let text = flood.text();
    for _ in 0..flood.count {
        out.extend_from_slice(
            br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess-0123456789abcdef","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"#,
        );
        serde_json::to_writer(&mut *out, &text)?;
        out.extend_from_slice(b"}}}}\n");
        if out.len() >= WRITE_AT {
            output.write_all(out)?;
            out.clear();
        }
    }
    Ok(())
}
