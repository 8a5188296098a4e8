//! Asks any agent one question: `cargo run --example one_shot -- 'gemini --acp' 'What is this
//! project?'`
#![allow(clippy::print_stdout, reason = "what it is for")]

use attache_client::{AgentProcess, Change, Permissions::Reject};
use std::{env::args, error::Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (Some(command), Some(question)) = (args().nth(1), args().nth(2)) else {
        return Err("give the agent's command line and a question".into());
    };
    let agent = AgentProcess::start(&command).await?; // returns after the handshake
    let session = agent.open(".").permissions(Reject).await?;
    let mut turn = session.prompt(question).await?;
    while let Some(change) = turn.next().await {
        if let Change::Text(new) = change {
            print!("{new}");
        }
    }
    println!("\n{:?}", turn.outcome().await?.stop_reason);
    Ok(())
}
