//! `attache check relay`: the program that a client under test starts as its agent, and that an
//! agent under test starts as an MCP server. It passes all bytes between the peer and the judge.

use crate::check::arguments::Relay;
use crate::exit::{Exit, Failure};
use attache_connection::stdio::{input, output};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::io::{self, Write};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::signal::unix::{SignalKind, signal};

/// The maximum number of bytes that are passed on at once.
const PIECE: usize = 64 * 1024;

/// Login programs and MCP servers send the environment variables with this prefix to the judge.
const SENT_PREFIX: &str = "ATTACHE_CHECK_";

/// Runs `attache check relay`, which ends when either side ends.
pub(in crate::check) async fn relay(arguments: &Relay) -> Result<Exit, Failure> {
    let ours = |error: io::Error| {
        Failure::new(Exit::Internal, format!("the judge cannot be reached: {error}"))
    };
    // Ctrl-C reaches every program in the terminal. This one ignores it, because the client decides
    // whether its agent ends.
    let _ignored = signal(SignalKind::interrupt()).map_err(ours)?;
    let first = first_line(arguments);
    let judge =
        attache_check::connect_relay(arguments.address, &arguments.token, first.as_deref()).await;
    let (mut from_judge, mut to_judge) = judge.map_err(ours)?.into_split();
    if !arguments.added.is_empty() {
        return login(from_judge).await.map_err(ours);
    }
    write_stderr(arguments.stderr);
    let (from_client, to_client) = (input().map_err(ours)?, output().map_err(ours)?);
    tokio::select! {
        () = pass(from_client, &mut to_judge) => drop(to_judge.shutdown().await),
        () = pass(&mut from_judge, to_client) => {}
    }
    Ok(Exit::OfChild(arguments.exit))
}

/// Acts as a login program, which ends when the judge tells it to, with the exit code that the
/// judge sends.
async fn login(mut from_judge: impl AsyncRead + Unpin) -> io::Result<Exit> {
    let mut said = String::new();
    from_judge.read_to_string(&mut said).await?;
    Ok(Exit::OfChild(said.trim().parse().unwrap_or(1)))
}

/// Returns the first line for the judge: for a login, the arguments that the client added; for an
/// MCP server, its name; and in both cases the variables that were set.
fn first_line(arguments: &Relay) -> Option<String> {
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let (name, said) = match &arguments.mcp {
        Some(server) => ("server", json!(server)),
        None if arguments.added.is_empty() => return None,
        None => ("arguments", arguments.added.iter().map(text).collect()),
    };
    let set: Map<String, Value> = std::env::vars_os()
        .map(|(name, value)| (text(&name), text(&value).into()))
        .filter(|(name, _)| name.starts_with(SENT_PREFIX))
        .collect();
    Some(json!({name: said, "environment": set}).to_string())
}

/// Passes bytes until the source ends or the sink is closed.
async fn pass(mut source: impl AsyncRead + Unpin, mut sink: impl AsyncWrite + Unpin) {
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = source.read(&mut piece).await {
        let piece = piece.get(..length).unwrap_or_default();
        if sink.write_all(piece).await.is_err() || sink.flush().await.is_err() {
            return;
        }
    }
}

/// Writes lines with this many bytes in total to stderr, as a talkative agent does. A client that
/// does not read them blocks this program.
fn write_stderr(mut bytes: usize) {
    let line = [b"x".repeat(127), b"\n".to_vec()].concat();
    let mut stderr = io::stderr().lock();
    while bytes > 0 {
        let written = stderr.write(line.get(..bytes.min(line.len())).unwrap_or_default());
        match written {
            Ok(written @ 1..) => bytes = bytes.saturating_sub(written),
            _ => return,
        }
    }
}
