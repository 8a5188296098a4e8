//! Taking a conversation back to an earlier prompt.

use crate::started::{Started, idle, started_with, texts};
use attache_client::{HubOptions, RewindMethod};
use attache_session::{MemoryStore, Session};
use serde_json::{Value, json};
use std::sync::Arc;

/// A stored session with the prompts `one` and `two`, and the position before `two`.
async fn two_turns(capabilities: Value) -> (Started, u64) {
    let options = HubOptions::default().store(Arc::new(MemoryStore::default()));
    let mut it = started_with(options, capabilities, json!({ "sessionId": "s1" })).await;
    let mut position = 0;
    for prompt in ["one", "two"] {
        position = it.session.snapshot().sequence();
        it.session.send(prompt).unwrap();
        let (call, _) = it.agent.prompted().await;
        it.agent.say(&format!("answer {prompt}")).await;
        it.agent.end_turn(&call).await;
        idle(&it.session).await;
    }
    (it, position)
}

#[tokio::test]
async fn an_agent_that_forks_without_prompts_goes_back_itself() {
    let fork = json!({ "_meta": { "attache/withoutLastPrompts": true } });
    let (mut it, position) = two_turns(json!({ "sessionCapabilities": { "fork": fork } })).await;
    let answering = async {
        let call = it.agent.expect("session/fork").await;
        assert_eq!(call["params"]["sessionId"], "s1");
        assert_eq!(call["params"]["_meta"], json!({ "attache/withoutLastPrompts": 1 }));
        it.agent.reply(&call, json!({ "sessionId": "s2" })).await;
    };
    let (rewound, ()) = tokio::join!(it.session.rewind_conversation(position), answering);
    let rewound = rewound.unwrap();
    assert_eq!(rewound.method, RewindMethod::Forked);
    assert_eq!(rewound.session.draft(), "two");
    let texts = texts(&rewound.session);
    assert_eq!(texts[..2], ["one", "answer one"]);
    assert!(texts[2].contains("earlier prompt") && texts.len() == 3, "{texts:?}");
    assert_eq!(crate::started::texts(&it.session).len(), 4, "the old session does not change");
    rewound.session.commit().await.unwrap();
    let stored = rewound.session.snapshot();
    assert!(stored.sequence() > Session::new("x").sequence());
    rewound.session.send("three").unwrap();
    let (_, text) = it.agent.prompted().await;
    assert_eq!(text, "three");
}

#[tokio::test]
async fn another_agent_gets_a_summary_with_the_next_prompt() {
    let (mut it, position) = two_turns(json!({})).await;
    let answering = async {
        let call = it.agent.expect("session/new").await;
        it.agent.reply(&call, json!({ "sessionId": "s2" })).await;
    };
    let (rewound, ()) = tokio::join!(it.session.rewind_conversation(position), answering);
    let rewound = rewound.unwrap();
    assert_eq!(rewound.method, RewindMethod::Summarized);
    let shown = texts(&rewound.session);
    assert!(shown[0].contains("cannot go back"), "{shown:?}");
    for expected in [true, false] {
        rewound.session.send("three").unwrap();
        let call = it.agent.expect("session/prompt").await;
        let prompt = call["params"]["prompt"].as_array().unwrap().clone();
        assert_eq!(prompt.last().unwrap()["text"], "three");
        let summary = prompt[0]["text"].as_str().unwrap();
        assert_eq!(summary.contains("answer one"), expected, "{summary}");
        assert!(!summary.contains("answer two"), "{summary}");
        it.agent.end_turn(&call).await;
        idle(&rewound.session).await;
    }
}
