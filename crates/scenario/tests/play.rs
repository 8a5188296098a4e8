//! The raw peer against a side with given lines: a play fails at the expected step and names its
//! line.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use attache_scenario::{Bindings, Failure, Scenario, play};
use tokio::io::{AsyncReadExt as _, sink};

async fn played(steps: &str, said: &str) -> Result<Vec<String>, Failure> {
    let text = format!("## A scenario\nRPC-01\n```acp\n{steps}\n```\n");
    let scenarios = Scenario::read_all(&text).unwrap();
    play(&scenarios[0], Bindings::default(), said.as_bytes(), sink()).await
}

#[tokio::test]
async fn a_matching_conversation_passes_and_returns_its_traffic() {
    let said = "{\"id\":\"a\",\"x\":1}\n{\"id\":\"b\"}\r\n{\"id\":\"a\"}\n";
    let traffic =
        played("-> hello\n<- {\"id\":\"$first\"}\n<~ {\"id\":\"$first\"}\n->|\n<-|", said)
            .await
            .unwrap();
    assert_eq!(
        traffic,
        ["-> hello", "<- {\"id\":\"a\",\"x\":1}", "<- {\"id\":\"b\"}", "<- {\"id\":\"a\"}", "->|"]
    );
}

#[tokio::test]
async fn a_mismatch_fails_at_its_line() {
    for (steps, said, line) in [
        ("<- {\"id\":1}", "{\"id\":2}\n", 4),
        ("<- {\"id\":1}", "", 4),
        ("<- {\"id\":1}", "[{\"id\":1}]\n", 4),
        ("<- {\"id\":1}", "{\"id\":1\n", 4),
        ("<~ {\"id\":1}\n<- {\"id\":2}", "{\"id\":2}\n{\"id\":1}\n", 5),
        ("<- {\"id\":\"$a\"}\n<- {\"id\":\"$a\"}", "{\"id\":1}\n{\"id\":2}\n", 5),
        (
            "<! {\"id\":1,\"result\":\"*\"}\n<~ {\"id\":2}",
            "{\"id\":1,\"result\":null}\n{\"id\":2}\n",
            5,
        ),
        ("<! {\"id\":1}\n<- {\"id\":1}", "{\"id\":1}\n", 5),
        ("<& {\"id\":1}\n<& {\"id\":1}", "{\"id\":1}\n", 4),
        ("<-|", "{\"id\":1}\n", 4),
        ("-> {\"id\":\"$unknown\"}", "", 4),
        ("<! {\"id\":1}\n<~|", "{\"id\":1}\n", 5),
        (
            "<~ {\"id\":1,\"result\":\"*\"}",
            "{\"id\":1,\"error\":{}}\n{\"id\":1,\"result\":{}}\n",
            4,
        ),
        ("<~|", "bad\n", 4),
        ("->|\n-> {}", "", 5),
    ] {
        let failure = played(steps, said).await.unwrap_err();
        assert_eq!(failure.line, line, "{steps}: {failure}");
    }
}

#[tokio::test]
async fn forbidden_lines_may_occur_earlier() {
    let both = "{\"id\":1,\"method\":\"m\"}\n{\"id\":1,\"result\":2}\n";
    played("<~ {\"id\":1,\"result\":2}", both).await.unwrap();
    played("<- {\"id\":1}\n<! {\"id\":1}\n<- {\"id\":2}", "{\"id\":1}\n{\"id\":2}\n")
        .await
        .unwrap();
}

#[tokio::test]
async fn lines_in_any_order_each_have_their_own_pattern() {
    let steps = "<& {\"id\":1}\n<& {\"id\":2}\n<& {\"id\":1}\n<- {\"id\":4}";
    played(steps, "{\"id\":2}\n{\"id\":3}\n{\"id\":1}\n{\"id\":1}\n{\"id\":4}\n").await.unwrap();
    played("<- {\"id\":1}\n<~|", "{\"id\":1}\n{\"id\":2}\n").await.unwrap();
}

#[tokio::test]
async fn consecutive_lines_are_sent_unchanged() {
    let text = "## A scenario\nRPC-01\n```acp\n-> {bad\n->\n-> \"$x\"\n->|\n```\n";
    let scenarios = Scenario::read_all(text).unwrap();
    let mut bindings = Bindings::default();
    bindings.bind("x", "y");
    let (raw, mut ours) = tokio::io::duplex(64);
    play(&scenarios[0], bindings, tokio::io::empty(), raw).await.unwrap();
    let mut sent = String::new();
    ours.read_to_string(&mut sent).await.unwrap();
    assert_eq!(sent, "{bad\n\n\"y\"\n");
}
