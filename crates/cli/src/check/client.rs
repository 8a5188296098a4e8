//! `attache check client`: tests which rules a client keeps, with this program as its agent.

use super::arguments::Client;
use super::judging::judge_and_report;
use super::manual_client::ManualClient;
use super::peer::tasks::Commands;
use crate::exit::{Exit, Failure};
use attache_check::{ClientRun, ClientRunError};
use attache_protocol::method::Side;

/// Runs `attache check client`.
pub(super) async fn client(arguments: &Client) -> Result<Exit, Failure> {
    let internal = |error: std::io::Error| Failure::new(Exit::Internal, error);
    let manual_client =
        if arguments.wait { Some(ManualClient::begin(arguments.patience)?) } else { None };
    if manual_client.is_none() {
        Commands::of(&arguments.command, &arguments.to)?;
    }
    judge_and_report(Side::Client, &arguments.judging, &arguments.command, async |round| {
        let folder = tempfile::tempdir().map_err(internal)?;
        // Symbolic links are resolved here, because a peer that resolves them would otherwise
        // report a different path. The session has its own folder, so that the judge can keep other
        // files next to it.
        let path = folder.path().canonicalize().map_err(internal)?.join("session");
        std::fs::create_dir(&path).map_err(internal)?;
        let run = match manual_client.clone() {
            Some(manual_client) => ClientRun::new(path, move |task| Ok(manual_client.ask(task))),
            None => {
                let commands = Commands::of(&arguments.command, &arguments.to)?;
                ClientRun::new(path, move |task| commands.start(task))
            }
        };
        let mut run = run.patience(arguments.judging.timeout).seed(round.seed);
        run = run.protocol(arguments.protocol);
        let judged = run.judge(round.only, |event| round.listener.handle(&event)).await;
        let verdicts = judged.map_err(|error| match error {
            ClientRunError::LowerVersion(_) => Failure::usage(error),
            error => Failure::new(Exit::CannotStart, error),
        })?;
        Ok((verdicts, run.support().clone()))
    })
    .await
}
