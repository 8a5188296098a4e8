//! The command `attache`: an agent and a client of the Agent Client Protocol.
//!
//! This crate handles terminals, pipes, signals and exit codes. The libraries that it uses
//! implement agents and clients.
//!
//! The command knows nothing about the wire of the protocol or of models.
//!
//! ```text
//! cargo install --locked attache
//!
//! attache demo                                      # a short tour that needs no key
//! attache                                           # the full-screen terminal
//! attache run "what does this project do?"          # one prompt, for scripts
//! attache run --agent "gemini --acp" "fix the test" # the same with any other agent
//! attache agent                                     # the built-in agent, for editors
//! attache serve                                     # one hub for terminals, editors and phones
//! attache check agent -- my-agent                   # tests an agent against the protocol's rules
//! attache new agent my-agent                        # a working agent in Rust, with a test
//! attache new client my-client                      # a working client in Rust, with a test
//! attache doctor                                    # finds out what is missing
//! ```

mod agent;
mod agent_choices;
mod agents;
mod args;
mod attach;
mod chat;
mod check;
mod checkpoints;
mod chosen_agent;
mod completions;
mod config;
mod demo;
mod doctor;
mod elicitation;
mod exit;
mod folder;
mod follow;
mod front_end;
mod interrupt;
mod key;
mod lines;
mod log;
mod login;
mod models;
mod new;
mod permission;
mod permissions;
mod probe;
mod question;
mod record;
mod remote_agent;
mod run;
mod say;
mod screen;
mod serve;
mod sessions;
mod settings;
mod setup;
mod show;
mod signals;
mod stop;
mod store;
mod terminal;
mod theme;
mod trace;
mod turn;
mod uninstall;

use clap::Parser;
use exit::{Exit, Failure};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// The allocator of musl lets one thread at a time allocate; docs/releases.md says what it costs.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The longest time that work in the background delays the end of the screen.
const SHUTDOWN: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let command = args::Command::parse();
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                return exit_code(Err(Failure::new(
                    Exit::Internal,
                    format!("the program cannot start: {error}"),
                )));
            }
        };
    if let Err(failure) = log::start() {
        return exit_code(Err(failure));
    }
    let Some(task) = command.task else {
        let ended = runtime.block_on(screen::screen(command.screen));
        // The screen stored its sessions. A long session that is still being read does not delay
        // the end.
        runtime.shutdown_timeout(SHUTDOWN);
        return exit_code(ended);
    };
    exit_code(runtime.block_on(async {
        match task {
            args::Task::Chat(arguments) => chat::chat(arguments).await,
            args::Task::Run(arguments) => run::run(*arguments).await,
            args::Task::Agents(arguments) => agents::agents(arguments).await,
            args::Task::Login(arguments) => login::login(arguments).await,
            args::Task::Logout(arguments) => login::logout(arguments).await,
            args::Task::Agent(arguments) => agent::agent(&arguments).await,
            args::Task::Serve(arguments) => serve::serve(arguments).await,
            args::Task::Attach(arguments) => attach::attach(arguments).await,
            args::Task::Demo(arguments) => demo::demo(arguments).await,
            args::Task::Sessions(arguments) => sessions::sessions(*arguments).await,
            args::Task::Checkpoints(arguments) => checkpoints::checkpoints(*arguments).await,
            args::Task::New(arguments) => new::new(&arguments),
            args::Task::Check(arguments) => check::check(&arguments).await,
            args::Task::Permissions(arguments) => permissions::permissions(arguments),
            args::Task::Trace(arguments) => trace::trace(arguments).await,
            args::Task::Config(arguments) => config::config(arguments).await,
            args::Task::Setup(arguments) => setup::setup(arguments).await,
            args::Task::Doctor(arguments) => doctor::doctor(&arguments).await,
            args::Task::Completions(arguments) => completions::completions(&arguments),
            args::Task::ManPages(arguments) => completions::man_pages(&arguments),
            args::Task::Uninstall(arguments) => uninstall::uninstall(arguments).await,
        }
    }))
}

/// Prints the failure on stderr and returns the exit code.
fn exit_code(ended: Result<Exit, Failure>) -> ExitCode {
    let failure = match ended {
        Ok(exit) => return exit.into(),
        Err(failure) => failure,
    };
    if !failure.message.is_empty() {
        let mut stderr = std::io::stderr().lock();
        let paint = show::paint::Paint::of(&stderr);
        let message = attache_view::sanitize::text(&failure.message);
        // The exit code also reports the failure if stderr is closed.
        let _ = writeln!(
            stderr,
            "{} {}",
            paint.paint(show::paint::RED, "attache:"),
            message.trim_end()
        );
    }
    failure.exit.into()
}
