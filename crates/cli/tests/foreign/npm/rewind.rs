//! What an agent changed by its edit tool and by a command is brought back by
//! `attache checkpoints`.

use super::home::Home;
use super::{GEMINI, NpmAgent, PATIENCE, QWEN};
use crate::project::{Project, text};
use serde_json::Value;
use std::fs;

async fn is_rewound(agent: NpmAgent) {
    let project = Project::new();
    let home = Home::new(&project).await;
    tokio::time::timeout(PATIENCE, rewinds(agent, &project, &home)).await.unwrap();
    home.nothing_is_left().await;
}

async fn rewinds(agent: NpmAgent, project: &Project, home: &Home) {
    fs::write(project.file("kept.txt"), "kept\n").unwrap();
    let prompts = project.file("prompts.md");
    fs::write(&prompts, "make made.txt\n---\nchange by a command\n").unwrap();
    let (cwd, prompts) = (text(project.cwd()), text(&prompts));
    let ended = home
        .attache_keeping(&[
            "run", "--agent", agent.name, "--yes", "--cwd", &cwd, "--file", &prompts,
        ])
        .await;
    assert_eq!(ended.code(), 0, "{ended:#?}");
    assert_eq!(fs::read_to_string(project.file("made.txt")).unwrap(), "made\n", "{ended:#?}");
    assert!(!project.file("kept.txt").exists(), "{ended:#?}");
    assert!(project.file("by-command.txt").exists(), "{ended:#?}");

    let listed = home.attache_keeping(&["checkpoints", "--cwd", &cwd, "--json"]).await;
    assert_eq!(listed.code(), 0, "{listed:#?}");
    let listed: Vec<Value> =
        listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let start = listed.iter().find(|it| it["turn"] == 1 && it["reason"] == "before-prompt");
    let start = start.unwrap_or_else(|| panic!("{listed:#?}"))["id"].as_str().unwrap();
    let restored = home.attache_keeping(&["checkpoints", "restore", start, "--yes"]).await;
    assert_eq!(restored.code(), 0, "{restored:#?}");
    assert_eq!(fs::read_to_string(project.file("kept.txt")).unwrap(), "kept\n", "{restored:#?}");
    for made in ["made.txt", "by-command.txt"] {
        assert!(!project.file(made).exists(), "{made}: {restored:#?}");
    }
}

#[tokio::test]
async fn gemini_cli_is_rewound() {
    is_rewound(GEMINI).await;
}

#[tokio::test]
async fn qwen_code_is_rewound() {
    is_rewound(QWEN).await;
}
