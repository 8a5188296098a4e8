use super::{Client, Notes, acts};
use attache_agent::{
    About, Author, Error, Extensions, Opening, OptionalParts, Result, StopReason, Turn, serve,
};
use attache_protocol::{Meta, Raw};
use serde_json::json;
use std::sync::Arc;

struct Extended(Notes);

impl Author for Extended {
    type Memory = ();

    fn about(&self) -> About {
        let meta = Raw::from(json!({"example.com": {"shout": true}}));
        About::new("extended", "1").meta(Meta::new(meta).unwrap())
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().extensions(self)
    }
}

impl Extensions for Extended {
    async fn call(&self, method: &str, params: Option<Raw>) -> Result<Raw> {
        match method {
            "_example.com/shout" => {
                let said: String =
                    params.map(|params| params.get().to_uppercase()).unwrap_or_default();
                Ok(json!({"shouted": said}).into())
            }
            "_example.com/wait" => std::future::pending().await,
            "_example.com/panic" => panic!("as asked"),
            "_example.com/bad" => Err(Error::invalid("that makes no sense")),
            _ => Err(Error::MethodNotFound(method.to_owned())),
        }
    }

    fn notification(&self, method: &str, params: Option<Raw>) {
        self.0.add(format!("{method} {params:?}"));
    }
}

/// EXT-01, EXT-02, EXT-03, EXT-04, INIT-21.
#[tokio::test(start_paused = true)]
async fn extension_methods_reach_the_author() {
    let notes = Notes::default();
    let mut client = Client::silent(serve(Extended(notes.clone())));
    let answer = client.result("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(answer["agentCapabilities"]["_meta"], json!({"example.com": {"shout": true}}));
    let shouted = client.result("_example.com/shout", json!({"a": "b"})).await;
    assert_eq!(shouted, json!({"shouted": "{\"A\":\"B\"}"}));
    for (method, code) in [
        ("_example.com/panic", -32603),
        ("_example.com/bad", -32602),
        ("_example.com/none", -32601),
        ("example.com/shout", -32601),
    ] {
        assert_eq!(client.error(method, json!({})).await["code"], code, "{method}");
    }
    let waiting = client.start("_example.com/wait", json!({})).await;
    let withdrawn =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": waiting}});
    let note = |method: &str| json!({"jsonrpc": "2.0", "method": method, "params": [1]});
    client.send(&[withdrawn, note("_example.com/noted"), note("example.com/noted")]).await;
    assert_eq!(client.reply(waiting).await["error"]["code"], -32800, "CANCEL-14");
    client.settle().await;
    assert_eq!(notes.all(), ["_example.com/noted Some([1])"]);
    let mut client = Client::plain(acts(|_| async { Ok(()) })).await;
    assert_eq!(client.error("_example.com/shout", json!({})).await["code"], -32601);
}
