//! The process of a hub.

use super::VERSION;
use super::arguments::Serve;
use super::log_file;
use super::notifying::Notifying;
use super::open_sessions::{self, OpenSessions};
use super::place::{HubPlace, stores};
use super::services::CliHubServices;
use super::web::{self, WebServer};
use crate::exit::{Exit, Failure};
use crate::front_end;
use crate::log;
use crate::permission::rules;
use crate::remote_agent::without_tokens;
use crate::signals::Signals;
use crate::store;
use attache_client::{Hub, LoginEnvironment, Options};
use attache_serve::socket::{self, Ending, HubEnd, HubFacts, HubSocket, SocketError};
use attache_serve::{Scope, SharedHub};
use attache_session::Store;
use serde_json::json;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How often the size of the log is looked at.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// How long clients may take to read what the hub sent before it ended.
const LAST_LINES: Duration = Duration::from_millis(200);

/// Runs a hub until it is asked to end.
pub(super) async fn run(place: &HubPlace, arguments: &Serve) -> Result<Exit, Failure> {
    let mut signals = Signals::listen().map_err(internal)?;
    // The socket refuses every process that an agent started, even one that killed its guardian.
    attache_host::adopt_orphans().map_err(internal)?;
    // After an update, the path leads to the new program.
    let program = std::env::current_exe().map_err(internal)?;
    place.create_state()?;
    let socket = HubSocket::bind(&place.create_sockets()?, &place.name).map_err(not_bound)?;
    let open = OpenSessions::read(place.open_sessions())?;
    let (shared, services) = hub(web::folders(&arguments.web)?).await?;
    let web = WebServer::bind(&arguments.web, place, &shared)?;
    let end = Arc::new(HubEnd::default());
    let facts = HubFacts {
        name: place.name.clone(),
        version: VERSION.to_owned(),
        since: Instant::now(),
        origin: web.as_ref().map(WebServer::origin),
        stores: stores(),
    };
    let notifying = Notifying::read(services.login())?;
    report(&socket, &facts, web.as_ref(), arguments)?;
    let mut tasks = JoinSet::new();
    if let Some(notifying) = notifying {
        let page = web.as_ref().map(WebServer::origin);
        tasks.spawn(notifying.run(shared.clone(), page));
    }
    if let Some(web) = web {
        let end = end.clone();
        tasks.spawn(web.server.run(async move {
            end.ended().await;
        }));
    }
    tasks.spawn(socket::serve(socket, shared.clone(), facts, end.clone()));
    let (hub, of_hub) = (shared.clone(), services.clone());
    tasks.spawn(async move {
        open.resume(&hub, &of_hub).await;
        open.follow(hub, of_hub).await;
    });
    if let Some(patience) = arguments.end_when_idle {
        let (hub, end) = (shared.clone(), end.clone());
        tasks.spawn(async move { end.end_when_idle(&hub, patience).await });
    }
    if arguments.detached {
        tasks.spawn(trim_log(place.log()));
    }
    let ending = tokio::select! {
        ending = end.ended() => ending,
        () = signals.next() => Ending::Stop,
    };
    let ended = tokio::select! {
        () = shared.hub.end() => true,
        () = signals.next() => false,
    };
    if ended {
        tokio::time::sleep(LAST_LINES).await;
    }
    // The socket and its lock go with the tasks.
    tasks.shutdown().await;
    drop((shared, services));
    if !ended {
        return Ok(Exit::Cancelled);
    }
    match ending {
        Ending::Restart => Err(again(program)),
        Ending::Stop | Ending::Idle => {
            open_sessions::remove(&place.open_sessions())?;
            Ok(Exit::Done)
        }
    }
}

/// Returns the hub with the person's rules, store and checkpoints, and without agents.
async fn hub(folders: Vec<PathBuf>) -> Result<(Arc<SharedHub>, Arc<CliHubServices>), Failure> {
    let login = LoginEnvironment::read().await;
    let login = login.map_err(|why| {
        log::line(&format!("attache: agents get the environment of this program: {why}"));
    });
    let store = store::open_user_store().map(|store| Arc::new(store) as Arc<dyn Store>);
    // Decisions by rules are in the audit; no front end of this process shows them.
    let rules = rules::open()?;
    let (mut options, _) = front_end::hub_options(Options::default(), rules.clone(), store.clone());
    let services = Arc::new(CliHubServices::new(store, login.ok(), rules, folders));
    if let Some(login) = services.login() {
        // Commands get the environment of the agents that ask for them.
        options.client =
            options.client.terminal_launches(move |launch| login.equip(without_tokens(launch)));
    }
    let shared = SharedHub::new(Hub::new(options), services.clone());
    Ok((Arc::new(shared.with_traces(services.traces())), services))
}

/// Prints where the hub listens, and how to log in.
fn report(
    socket: &HubSocket,
    facts: &HubFacts,
    web: Option<&WebServer>,
    arguments: &Serve,
) -> Result<(), Failure> {
    let (name, pid, path) = (facts.name.as_str(), std::process::id(), socket.path());
    let text = if arguments.json {
        let mut object = json!({ "name": name, "pid": pid, "version": VERSION, "socket": path });
        if let (Some(web), Some(object)) = (web, object.as_object_mut()) {
            web.describe(object);
        }
        object.to_string()
    } else {
        let login = match web {
            Some(web) => format!(
                "\nPage: {}\nOpen it on a device with this code, once, within five minutes. The \
                 device gets the scope {}.\n\n{}",
                web.origin(),
                Scope::from(arguments.web.scope),
                web.login(&arguments.web)?.trim_end()
            ),
            None => String::new(),
        };
        format!(
            "The hub {name} runs (process {pid}).\nSocket: {}\nConnect an editor with the \
             command `{}`. Ctrl-C ends the hub.{login}",
            path.display(),
            super::status::attach_command(&facts.name)
        )
    };
    writeln!(io::stdout().lock(), "{text}").map_err(|error| Failure::output(&error))
}

async fn trim_log(log: PathBuf) {
    loop {
        tokio::time::sleep(LOG_INTERVAL).await;
        if let Err(error) = log_file::trim(&log) {
            tracing::warn!(%error, "the log of the hub cannot be moved away");
        }
    }
}

/// Replaces this process by a new run of the program with the same arguments, and so with the same
/// terminal or log. Returns only on failure.
fn again(program: PathBuf) -> Failure {
    let error = Command::new(&program).args(std::env::args_os().skip(1)).exec();
    internal(format!("{} cannot be started again: {error}", program.display()))
}

fn not_bound(error: SocketError) -> Failure {
    match &error {
        SocketError::Running(name) => Failure::new(
            Exit::Busy,
            format!(
                "{error}: see `{}`, or choose another name with --name",
                super::status::status_command(name)
            ),
        ),
        _ => Failure::usage(error),
    }
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Internal, error)
}
