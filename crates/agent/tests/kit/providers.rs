use super::{Client, Notes};
use attache_agent::{
    About, Author, Error, Opening, OptionalParts, Providers, Result, StopReason, Turn,
};
use attache_protocol::v1::{
    LlmProtocol, ProviderCurrentConfig, ProviderId, ProviderInfo, SetProviderRequest,
};
use serde_json::json;
use std::sync::{Arc, Mutex};

struct Provided {
    notes: Notes,
    providers: Mutex<Vec<ProviderInfo>>,
}

impl Provided {
    fn new(notes: &Notes) -> Self {
        let info = |id: &str, required| {
            ProviderInfo::new(id, vec![LlmProtocol::OpenAi, LlmProtocol::from("ollama")], required)
        };
        Self {
            notes: notes.clone(),
            providers: Mutex::new(vec![info("main", true), info("spare", false)]),
        }
    }

    fn change(&self, id: &ProviderId, current: Option<ProviderCurrentConfig>) {
        let mut providers = self.providers.lock().unwrap();
        providers.iter_mut().find(|provider| provider.provider_id == *id).unwrap().current =
            current;
    }
}

impl Author for Provided {
    type Memory = ();

    fn about(&self) -> About {
        About::new("provided", "1")
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().providers(self)
    }
}

impl Providers for Provided {
    fn providers(&self) -> Vec<ProviderInfo> {
        self.providers.lock().unwrap().clone()
    }

    async fn set_provider(&self, provider: SetProviderRequest) -> Result<()> {
        let headers = &provider.headers.0;
        self.notes.add(format!("{} headers", headers.len()));
        if provider.base_url == "https://refuses" {
            let key = headers[0].1.expose();
            return Err(Error::caused(
                "it refused us",
                std::io::Error::other(format!("bad key {key}")),
            ));
        }
        self.change(
            &provider.provider_id,
            Some(ProviderCurrentConfig::new(provider.api_type, provider.base_url)),
        );
        Ok(())
    }

    async fn disable_provider(&self, provider: &ProviderId) -> Result<()> {
        self.change(provider, None);
        Ok(())
    }
}

/// PROV-01, PROV-02, PROV-03, PROV-04, PROV-05, PROV-06.
#[tokio::test(start_paused = true)]
async fn providers_are_listed_set_and_disabled() {
    let notes = Notes::default();
    let mut client = Client::plain(Provided::new(&notes)).await;
    let set =
        |id: &str, api: &str, url: &str| json!({"providerId": id, "apiType": api, "baseUrl": url});
    assert_eq!(
        client.result("providers/set", set("spare", "ollama", "http://here")).await,
        json!({})
    );
    let listed = client.result("providers/list", json!(null)).await;
    assert_eq!(
        listed["providers"][1]["current"],
        json!({"apiType": "ollama", "baseUrl": "http://here"})
    );
    assert!(listed["providers"][0].get("current").is_none_or(serde_json::Value::is_null));
    let mut secret = set("spare", "openai", "https://x.y");
    secret["headers"] = json!({"Authorization": "Bearer sk-123"});
    client.result("providers/set", secret.clone()).await;
    assert_eq!(notes.all(), ["0 headers", "1 headers"], "absent headers mean no headers");
    let listed = client.result("providers/list", json!({})).await.to_string();
    assert!(!listed.contains("sk-123") && !listed.contains("Authorization"), "{listed}");
    secret["baseUrl"] = json!("https://refuses");
    let error = client.error("providers/set", secret).await;
    assert_eq!(error["message"], "it refused us: bad key <hidden>");
    for bad in [
        set("none", "openai", "https://x.y"),
        set("spare", "anthropic", "https://x.y"),
        set("spare", "novel", "https://x.y"),
        set("spare", "openai", " "),
        json!({"providerId": "spare", "apiType": "openai", "baseUrl": "u", "headers": {"a": 1}}),
    ] {
        assert_eq!(client.error("providers/set", bad.clone()).await["code"], -32602, "{bad}");
    }
    assert_eq!(notes.all().len(), 3, "a provider that cannot be set does not reach the author");
    assert_eq!(
        client.error("providers/disable", json!({"providerId": "main"})).await["code"],
        -32602
    );
    for id in ["spare", "none", "spare"] {
        assert_eq!(client.result("providers/disable", json!({"providerId": id})).await, json!({}));
    }
    let listed = client.result("providers/list", json!({})).await;
    assert_eq!(listed["providers"].as_array().unwrap().len(), 2);
    assert!(listed["providers"][1].get("current").is_none_or(serde_json::Value::is_null));
}
