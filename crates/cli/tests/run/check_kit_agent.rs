//! The rules about terminals do not apply to the built-in agent, which runs commands itself. This
//! test judges an agent of the kit that runs them in terminals of the client.

use attache_agent::{About, Author, Command, Opening, Result, StopReason, Turn, serve};
use attache_check::{Link, Outcome, Run, select};
use attache_protocol::v1::ToolKind;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// An agent that says and runs what the judge's prompt requests.
struct Shell;

impl Author for Shell {
    type Memory = ();

    fn about(&self) -> About {
        About::new("shell", "1")
    }

    async fn open(&self, _opening: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _memory: &mut (), turn: &Turn) -> Result<StopReason> {
        for act in acts(turn.text()) {
            if let Some(text) = act["say"].as_str() {
                turn.say(text).await?;
            }
            for call in act["call"].as_array().into_iter().flatten() {
                let line = call["command"].as_str().unwrap_or("false");
                let mut shown = turn.tool_call(line, ToolKind::Execute).start().await?;
                let ran = turn.run(&Command::shell(line), Some(&mut shown)).await?;
                if ran.success() {
                    shown.complete().await?
                } else {
                    shown.fail("it failed").await?
                }
            }
        }
        Ok(StopReason::EndTurn)
    }
}

fn acts(text: &str) -> Vec<Value> {
    let script = text
        .find(r#"{"acts":"#)
        .and_then(|start| serde_json::from_str::<Value>(&text[start..]).ok());
    script.and_then(|script| script["acts"].as_array().cloned()).unwrap_or_default()
}

#[tokio::test]
async fn an_agent_of_the_kit_keeps_the_rules_of_the_clients_terminals() {
    let folder = tempfile::tempdir().unwrap();
    let agents = Arc::new(Mutex::new(JoinSet::new()));
    let mut run = Run::new(folder.path(), {
        let agents = Arc::clone(&agents);
        move || {
            let (input, theirs) = tokio::io::duplex(1 << 16);
            let (output, ours) = tokio::io::duplex(1 << 16);
            agents.lock().unwrap().spawn(serve(Shell).over(theirs, ours));
            Ok(Link::over(output, input))
        }
    });
    let rules = ["TERM-01", "TERM-10", "TERM-16", "TOOL-13", "DEC-14", "DEC-15"];
    let verdicts = run.judge(rules.map(|rule| select(rule).unwrap()), |_| {}).await.unwrap();
    let judged: Vec<_> =
        verdicts.iter().map(|verdict| (verdict.rule.id, &verdict.outcome)).collect();
    assert!(judged.iter().all(|(_, outcome)| **outcome == Outcome::Pass), "{judged:#?}");
    assert_eq!(judged.len(), rules.len(), "{judged:#?}");
}
