//! `attache check agent`: tests which rules an agent keeps.

use super::arguments::Agent;
use super::judging::judge_and_report;
use super::peer::environment::Environment;
use super::peer::tasks::relay;
use crate::chosen_agent::cannot_judge;
use crate::exit::{Exit, Failure};
use attache_check::{Link, McpServers, ModelServer, Run, ToolNames};
use attache_host::Launch;
use attache_protocol::method::Side;

/// Runs `attache check agent`.
pub(super) async fn agent(arguments: &Agent) -> Result<Exit, Failure> {
    let internal = |error: std::io::Error| Failure::new(Exit::Internal, error);
    let mut names = ToolNames::default();
    for mapping in &arguments.tool {
        names.add(mapping).map_err(|error| Failure::usage(format!("--tool: {error}")))?;
    }
    judge_and_report(Side::Agent, &arguments.judging, &arguments.command, async |round| {
        let folder = tempfile::tempdir().map_err(internal)?;
        // Symbolic links are resolved here, because a peer that resolves them would otherwise
        // report a different path.
        let path = folder.path().canonicalize().map_err(internal)?;
        let command = arguments.command.clone();
        let model = ModelServer::start_with(names.clone()).await.map_err(internal)?;
        let servers = McpServers::listen(relay()?).map_err(internal)?;
        let (led, set) = (&arguments.model_env, &arguments.env);
        let environment = Environment::new(&command, &model.url(), led, set)?;
        let start = move || {
            let mut words = command.iter();
            let launch = Launch::new(words.next().cloned().unwrap_or_default()).args(words);
            Link::start(environment.around(launch))
        };
        let run =
            Run::new(path, start).patience(arguments.judging.timeout).prompt(&arguments.prompt);
        let run = run.protocol(arguments.protocol);
        let mut run = run.seed(round.seed).model(model).mcp(servers);
        if let Some(method) = &arguments.login {
            run = run.login(method);
        }
        let judged = run.judge(round.only, |event| round.listener.handle(&event)).await;
        let verdicts = judged.map_err(cannot_judge)?;
        if let Some(why) = run.other_version() {
            let advice = "judge it by the version that it speaks, with --protocol";
            return Err(Failure::usage(format!("{why}: {advice}")));
        }
        Ok((verdicts, run.support().clone()))
    })
    .await
}
