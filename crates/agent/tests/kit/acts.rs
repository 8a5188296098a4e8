//! An agent whose turns call a function.

use super::Client;
use attache_agent::{About, Author, Opening, Result, SessionHandle, StopReason, Turn};
use serde_json::{Value, json};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The notes of an author, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) struct Acts<F> {
    act: F,
    about: About,
}

/// Makes an agent that calls this function in each turn.
pub(crate) fn acts<F, W>(act: F) -> Acts<F>
where
    F: Fn(Turn) -> W + Send + Sync + 'static,
    W: Future<Output = Result<()>> + Send + 'static,
{
    Acts { act, about: About::new("acts", "1") }
}

impl<F, W> Author for Acts<F>
where
    F: Fn(Turn) -> W + Send + Sync + 'static,
    W: Future<Output = Result<()>> + Send + 'static,
{
    type Memory = ();

    fn about(&self) -> About {
        self.about.clone()
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
        (self.act)(turn.clone()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Makes an agent whose turns say something, and end 100 ms after they are cancelled.
pub(crate) fn slow_to_cancel() -> impl Author {
    acts(|turn| async move {
        turn.say("working").await?;
        turn.cancelled().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(())
    })
}

/// A turn that is still held after its end.
#[derive(Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Option<Turn>>>);

impl Kept {
    pub(crate) fn keep(&self, turn: &Turn) {
        *self.0.lock().unwrap() = Some(turn.clone());
    }

    pub(crate) fn handle(&self) -> SessionHandle {
        self.0.lock().unwrap().as_ref().expect("a turn was kept").session()
    }
}

impl Client {
    /// Answers a call of the agent.
    pub(crate) async fn answer(&mut self, call: &Value, result: Value) {
        self.send(&[json!({"jsonrpc": "2.0", "id": call["id"], "result": result})]).await;
    }

    /// Answers a call of the agent with an error.
    pub(crate) async fn refuse(&mut self, call: &Value, code: i32) {
        let error = json!({"code": code, "message": "no"});
        self.send(&[json!({"jsonrpc": "2.0", "id": call["id"], "error": error})]).await;
    }
}
