//! `attache check client`: starts a client with this program as its agent, and says which rules it
//! keeps.

use super::arguments::Client;
use super::by_hand::ByHand;
use super::judging::judge_and_tell;
use super::peer::errands::Commands;
use crate::exit::{Exit, Failure};
use attache_check::ClientRun;
use attache_protocol::method::Side;

/// Runs the command.
pub(super) async fn client(arguments: &Client) -> Result<Exit, Failure> {
    let our_fault = |error: std::io::Error| Failure::new(Exit::OurFault, error);
    let by_hand = if arguments.wait { Some(ByHand::begin(arguments.patience)?) } else { None };
    if by_hand.is_none() {
        Commands::of(&arguments.command, &arguments.to)?;
    }
    judge_and_tell(Side::Client, &arguments.judging, &arguments.command, async |round| {
        let folder = tempfile::tempdir().map_err(our_fault)?;
        // The folder behind a link would be another one to a client that resolves it. What lies
        // beside the session is not its own.
        let path = folder.path().canonicalize().map_err(our_fault)?.join("session");
        std::fs::create_dir(&path).map_err(our_fault)?;
        let run = match by_hand.clone() {
            Some(by_hand) => ClientRun::new(path, move |errand| Ok(by_hand.ask(errand))),
            None => {
                let commands = Commands::of(&arguments.command, &arguments.to)?;
                ClientRun::new(path, move |errand| commands.start(errand))
            }
        };
        let mut run = run.patience(arguments.judging.timeout).seed(round.seed);
        let judged = run.judge(round.only, |event| round.listener.hear(&event)).await;
        let verdicts = judged.map_err(|error| Failure::new(Exit::CannotStart, error))?;
        Ok((verdicts, run.support().clone()))
    })
    .await
}
