//! `attache agent`: the built-in agent on stdin and stdout.

use crate::args;
use crate::checkpoints;
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::log;
use crate::settings::Settings;
use crate::store::Place;
use attache_coder::Coder;
use attache_connection::{Direction, Tap};
use attache_protocol::envelope::Message;
use attache_store::Sqlite;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AT_A_TERMINAL: &str = "\
attache agent speaks ACP on stdin and stdout, one JSON message per line. Clients start it:
  attache run \"help\"     this program's own client
  an editor              set its ACP agent to the command `attache agent`
It reads messages from this terminal now; Ctrl-D ends it.";

/// Serves the agent until the client closes stdin.
pub(crate) async fn agent(arguments: &args::Agent) -> Result<Exit, Failure> {
    if arguments.add_key {
        return crate::config::add_key().await;
    }
    if io::stdin().is_terminal() {
        log::line(AT_A_TERMINAL);
    }
    let settings = Settings::read()
        .with("ATTACHE_MODEL", arguments.model.as_deref())
        .with("ATTACHE_FALLBACK", arguments.fallback.as_deref())
        .with("ATTACHE_MODE", arguments.mode.as_deref());
    let coder = coder(&settings).private(private(&settings, arguments.store.as_deref()));
    let mut serving = attache_agent::serve(coder);
    if let Some(store) = kept(arguments.store.as_deref()) {
        serving = serving.store(store);
    }
    if arguments.verbose || log::shows_traffic() {
        serving = serving.tap(traffic());
    }
    match serving.stdio().await {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Failure::new(
            Exit::Internal,
            format!("the connection to the client ended: {error}"),
        )),
    }
}

/// Returns the agent with the person's settings. Unusable settings are reported on stderr and to
/// the client that opens a session.
fn coder(settings: &Settings) -> Coder {
    let (models, why) = crate::models::models(settings);
    let answers = folder::cache().map(|cache| cache.join("models"));
    let mut coder = Coder::with(models.and_live(answers));
    if let Some(mode) = settings.variable("ATTACHE_MODE") {
        coder = coder.mode(mode.trim());
    }
    if let Some(level) = settings.variable("ATTACHE_THOUGHT_LEVEL") {
        coder = coder.thought_level(level.trim());
    }
    if let Some(text) = folder::instructions() {
        coder = coder.instructions(text);
    }
    if let Some(file) = settings.permissions() {
        coder = coder.permissions(file);
    }
    let list = why.map(|why| format!("your own list of models is ignored: {why}"));
    for trouble in settings.troubles().iter().cloned().chain(list) {
        log::line(&format!("attache agent: {trouble}"));
        coder = coder.trouble(trouble);
    }
    coder
}

/// Returns the program's own files (settings, keys, stored sessions, checkpoints, sockets of hubs),
/// which commands run by a model cannot read.
fn private(settings: &Settings, store: Option<&Path>) -> Vec<PathBuf> {
    let mut private = folder::private();
    private.extend(settings.permissions());
    private.extend(Place::of(store).iter().flat_map(Place::files));
    if let Ok(checkpoints::place::Place::Folder(path)) = checkpoints::place::Place::of(settings) {
        private.push(path);
    }
    private
}

/// Opens the store. If that fails, prints the reason on stderr, and the agent runs without a store:
/// the client learns that sessions cannot be loaded.
fn kept(given: Option<&Path>) -> Option<Sqlite> {
    let why = match Place::of(given).and_then(|place| place.open_writable()) {
        Ok(store) => return store,
        Err(error) => error,
    };
    let why = why.to_string();
    log::line(&format!(
        "attache agent: sessions are not stored: {}",
        attache_view::sanitize::visible(&why)
    ));
    None
}

/// Returns an observer that logs the method, id and size of each message. The content is not
/// logged, because it can include files and keys, such as the environment variables and headers of
/// MCP servers.
fn traffic() -> Tap {
    Arc::new(|direction, line: &[u8]| {
        let arrow = match direction {
            Direction::Sent => "->",
            Direction::Received => "<-",
        };
        let size = line.len();
        log::line(&format!(
            "{arrow} {}, {size} bytes",
            attache_view::sanitize::visible(&summary(line))
        ));
    })
}

fn summary(line: &[u8]) -> String {
    match Message::read(line) {
        Ok(Message::Call { id, method, .. }) => format!("{method}, call {id}"),
        Ok(Message::Notification { method, .. }) => method.into_owned(),
        Ok(Message::Reply { id, outcome: Ok(_) }) => format!("reply to call {id}"),
        Ok(Message::Reply { id, outcome: Err(error) }) => {
            format!("error {} to call {id}", error.code)
        }
        Err(_) => "a line that is not a message".to_owned(),
    }
}
