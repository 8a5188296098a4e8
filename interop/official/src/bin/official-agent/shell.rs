//! Runs a command line: in a terminal of the client if it supports terminals, otherwise in a child
//! process.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, ReleaseTerminalRequest, Terminal, TerminalOutputRequest,
    ToolCallContent, ToolCallUpdateFields, WaitForTerminalExitRequest,
};
use agent_client_protocol::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

use crate::tool_call::ToolCall;
use crate::turn::Turn;
use official_peers::process::Group;

/// The limit for stored output, in bytes. Only the end of longer output is stored.
const LIMIT: usize = 65_536;

/// The end of a command.
pub(crate) struct Ended {
    pub(crate) exit_code: Option<u32>,
    pub(crate) signal: Option<String>,
    pub(crate) output: String,
    /// Whether the client shows the output itself.
    pub(crate) is_shown: bool,
}

/// Runs the command to its end, or until the turn is cancelled.
pub(crate) async fn run(turn: &Turn, line: &str, call: &mut ToolCall) -> Result<Ended> {
    if turn.session.offered.terminal {
        in_terminal(turn, line, call).await
    } else {
        call.start(turn, ToolCallUpdateFields::new())?;
        as_child(turn, line).await
    }
}

/// The terminal is shown, and then released however the turn ends (TERM-10, TOOL-13).
async fn in_terminal(turn: &Turn, line: &str, call: &mut ToolCall) -> Result<Ended> {
    let session = &turn.session;
    let create = CreateTerminalRequest::new(session.id.clone(), "sh")
        .args(vec!["-c".into(), line.into()])
        .cwd(session.cwd())
        .output_byte_limit(LIMIT as u64);
    let terminal = turn.request(create).await?.terminal_id;
    let work = async {
        call.start_in(turn, ToolCallContent::Terminal(Terminal::new(terminal.clone())))?;
        let wait = WaitForTerminalExitRequest::new(session.id.clone(), terminal.clone());
        let exit = turn.request(wait).await?.exit_status;
        let output = turn
            .request(TerminalOutputRequest::new(session.id.clone(), terminal.clone()))
            .await?
            .output;
        Ok(Ended { exit_code: exit.exit_code, signal: exit.signal, output, is_shown: true })
    };
    let ended = work.await;
    turn.request_to_settle(ReleaseTerminalRequest::new(session.id.clone(), terminal.clone())).await;
    ended
}

async fn as_child(turn: &Turn, line: &str) -> Result<Ended> {
    let mut command = Command::new("sh");
    command.args(["-c", line]).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut group =
        Group::start(&mut command, &turn.session.cwd()).map_err(Error::into_internal_error)?;
    let pipes = group.child.stdout.take().zip(group.child.stderr.take());
    let (stdout, stderr) = pipes.ok_or_else(Error::internal_error)?;
    let work = async { tokio::join!(kept(stdout), kept(stderr), group.child.wait()) };
    let (stdout, stderr, status) = tokio::select! {
        ended = work => ended,
        () = turn.cancelled() => return Err(Error::request_cancelled()),
    };
    let status = status.map_err(Error::into_internal_error)?;
    let output = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    let exit_code = status.code().and_then(|code| code.try_into().ok());
    Ok(Ended {
        exit_code,
        signal: status.signal().map(|signal| signal.to_string()),
        output,
        is_shown: false,
    })
}

/// Reads a stream and returns its end.
async fn kept(mut from: impl AsyncRead + Unpin) -> Vec<u8> {
    let (mut kept, mut piece) = (Vec::new(), [0; 8192]);
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        kept.extend_from_slice(&piece[..read]);
        let surplus = kept.len().saturating_sub(LIMIT);
        kept.drain(..surplus);
    }
    kept
}
