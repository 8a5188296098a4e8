//! `attache login` and `attache logout`: runs a login method of an agent, as a call or as a program
//! in this terminal, and checks the result.

mod advice;
pub(crate) mod arguments;

use crate::chosen_agent::{ChosenAgent, cannot_start};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::probe::{Probe, probe};
use crate::remote_agent::without_tokens;
use crate::run::waiting::waiting;
use arguments::{Login, Logout};
use attache_client::{AgentProcess, Login as Way, LoginError, Options};
use attache_host::Launch;
use attache_protocol::v1::AuthMethod;
use attache_view::sanitize;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

pub(crate) use advice::advice;

/// An agent that `login` or `logout` started.
struct Started {
    agent: AgentProcess,
    name: String,
    word: String,
    needs: Option<&'static str>,
}

/// Runs `attache login`.
pub(crate) async fn login(arguments: Login) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let again =
        || Ok::<_, Failure>(ChosenAgent::of(Some(&arguments.agent))?.with_env(&arguments.env));
    let started = start(again()?, &interrupts).await?;
    let methods = started.agent.auth_methods().to_vec();
    if arguments.method.is_none()
        && let Probe::Opened(_) = probed(&started.agent, &interrupts).await?
    {
        return finish(
            &format!("{} needs no login: it already opens sessions", started.name),
            started.agent,
        )
        .await;
    }
    let method = chosen(&methods, arguments.method.as_deref(), &started)?;
    let agent = match Way::of(method, again()?.into_launch()?) {
        Way::ByAgent => {
            by_agent(&started, method, &interrupts).await?;
            started.agent
        }
        Way::InTerminal(launch) => {
            started.agent.stop().await;
            in_terminal(launch, method, &interrupts).await?;
            // AUTH-08: the agent is restarted, because it reads its login when it starts.
            start(again()?, &interrupts).await?.agent
        }
    };
    let name = &started.name;
    match probed(&agent, &interrupts).await? {
        Probe::Opened(took) => {
            finish(
                &format!("{name} is logged in: it opened a session in {:.1} s", took.as_secs_f64()),
                agent,
            )
            .await
        }
        Probe::LoginNeeded(said) => Err(Failure::new(
            Exit::LoginNeeded,
            format!(
                "the login succeeded, but {name} still needs a login ({said}){}",
                needs(started.needs)
            ),
        )),
        Probe::Failed(why) => Err(Failure::new(
            Exit::AgentFailed,
            format!("the login succeeded, but {name} opens no session: {why}"),
        )),
    }
}

/// Runs `attache logout`.
pub(crate) async fn logout(arguments: Logout) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let chosen = ChosenAgent::of(Some(&arguments.agent))?.with_env(&arguments.env);
    let Started { agent, name, .. } = start(chosen, &interrupts).await?;
    if agent.capabilities().auth.logout.is_none() {
        return Err(Failure::usage(format!(
            "{name} offers no logout: log out with its own program, or remove its key from the environment"
        )));
    }
    let out = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the agent replied")),
        out = agent.logout() => out,
    };
    out.map_err(|error| {
        Failure::new(Exit::AgentFailed, format!("{name} did not log out: {error}"))
    })?;
    match probed(&agent, &interrupts).await? {
        // AUTH-11: a key in the agent's environment usually keeps it logged in.
        Probe::Opened(_) => {
            finish(&format!("{name} is logged out, but still opens sessions: it needs no login, or its environment has a key"), agent).await
        }
        Probe::LoginNeeded(_) | Probe::Failed(_) => finish(&format!("{name} is logged out"), agent).await,
    }
}

async fn start(chosen: ChosenAgent, interrupts: &Interrupts) -> Result<Started, Failure> {
    let (name, word) = (chosen.name.clone(), chosen.word.clone());
    let (known, protocol) = (chosen.known, chosen.protocol);
    let launch = chosen.into_launch()?;
    let options = Options::default().protocol(protocol);
    let options = if in_a_terminal() { options.terminal_login() } else { options };
    let notice = io::stderr().is_terminal().then(|| format!("starting {name}"));
    let agent = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the agent started")),
        agent = waiting(AgentProcess::launch_with(launch, options), notice) => {
            agent.map_err(|error| cannot_start(&error, known))?
        }
    };
    let about =
        agent.about().map(|about| about.title.clone().unwrap_or_else(|| about.name.clone()));
    let name = sanitize::line(&about.unwrap_or(name));
    Ok(Started { agent, name, word, needs: known.map(|known| known.login) })
}

/// Returns whether a program can interact with the person in this terminal.
fn in_a_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Returns the method with this id, or the only method if there is no id.
fn chosen<'m>(
    methods: &'m [AuthMethod],
    id: Option<&str>,
    started: &Started,
) -> Result<&'m AuthMethod, Failure> {
    let Started { name, word, .. } = started;
    let ways = || advice(word, methods, started.needs);
    match (id, methods) {
        (_, []) => Err(Failure::usage(format!(
            "{name} offers no login to its clients: log in with its own program{}",
            needs(started.needs)
        ))),
        (None, [only]) => Ok(only),
        (None, _) => {
            Err(Failure::usage(format!("{name} offers several logins: choose one.{}", ways())))
        }
        (Some(id), _) => {
            methods.iter().find(|method| method.id().as_str() == id).ok_or_else(|| {
                Failure::usage(format!("{name} offers no login {}.{}", sanitize::line(id), ways()))
            })
        }
    }
}

async fn by_agent(
    started: &Started,
    method: &AuthMethod,
    interrupts: &Interrupts,
) -> Result<(), Failure> {
    let what = format!(
        "{} is logging in with {}; it may open a page; Ctrl-C cancels",
        started.name,
        method.name()
    );
    say(&what)?;
    let logged_in = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "the login was cancelled")),
        logged_in = started.agent.authenticate(method.id().clone()) => logged_in,
    };
    logged_in.map_err(|error| match error {
        LoginError::Call(error) => {
            let unset = advice::unset(method);
            Failure::new(Exit::LoginNeeded, format!("the login failed: {error}{unset}"))
        }
        other => Failure::usage(other),
    })
}

/// Runs the login program in this terminal.
async fn in_terminal(
    launch: Launch,
    method: &AuthMethod,
    interrupts: &Interrupts,
) -> Result<(), Failure> {
    let line = sanitize::line(&launch.shown());
    if !in_a_terminal() {
        let name = sanitize::line(method.name());
        return Err(Failure::usage(format!(
            "the login {name} needs a terminal: run this command in one, or\n  {line}"
        )));
    }
    say(&format!("in this terminal: {line}"))?;
    let failed =
        |why: String| Failure::new(Exit::LoginNeeded, format!("the login failed: {line} {why}"));
    let mut child = without_tokens(launch)
        .in_terminal()
        .spawn()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    let ended = tokio::task::spawn_blocking(move || child.wait()).await;
    let status = ended.map_err(io::Error::other).and_then(|status| status);
    let status = status.map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    let given_up = tokio::time::timeout(Duration::ZERO, interrupts.cancel()).await.is_ok();
    match status.success() {
        _ if given_up => Err(Failure::new(Exit::Cancelled, "the login was cancelled")),
        true => Ok(()),
        false => Err(failed(format!("ended with {status}"))),
    }
}

async fn probed(agent: &AgentProcess, interrupts: &Interrupts) -> Result<Probe, Failure> {
    let notice =
        io::stderr().is_terminal().then(|| "opening a session to check the login".to_owned());
    tokio::select! {
        () = interrupts.cancel() => Err(Failure::new(Exit::Cancelled, "cancelled before the login was checked")),
        probe = waiting(probe(agent), notice) => Ok(probe),
    }
}

fn needs(needs: Option<&str>) -> String {
    needs.map(|needs| format!("; it needs {needs}")).unwrap_or_default()
}

/// Prints the result on stderr and ends the agent.
async fn finish(text: &str, agent: AgentProcess) -> Result<Exit, Failure> {
    say(text)?;
    agent.stop().await;
    Ok(Exit::Done)
}

fn say(text: &str) -> Result<(), Failure> {
    writeln!(io::stderr(), "{}", sanitize::line(text)).map_err(|error| Failure::output(&error))
}
