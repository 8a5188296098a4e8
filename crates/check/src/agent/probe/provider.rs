//! Model providers that the client configures (PROV).
//!
//! Each probe uses a separate agent process, so that the probe's changes are lost when that process
//! ends.

use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use attache_protocol::method::{Method, ProvidersDisable, ProvidersList, ProvidersSet};
use serde_json::Value;

probes! { Run:
    "PROV-01" providers_are_offered_only_if_usable;
    "PROV-02" setting_a_provider_replaces_its_configuration;
    "PROV-02" an_unknown_provider_cannot_be_set;
    "PROV-03" a_required_provider_cannot_be_disabled;
    "PROV-04" a_disabled_provider_stays_listed;
    "PROV-05" headers_are_never_shown;
    "PROV-05" a_provider_is_forgotten_when_the_process_ends;
    "PROV-06" an_unknown_protocol_does_not_end_the_connection;
}

const PROVIDERS: &str = "/providers";
/// A secret that the agent must not repeat.
const HEADER: &str = "attache-header-4f1c9";

async fn providers_are_offered_only_if_usable(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    if talk.offers(PROVIDERS) {
        return talk.call::<ProvidersList>(json!({})).await?.result().map(|_| ());
    }
    let talk = run.unwatched().await?;
    let reply = talk.call::<ProvidersList>(json!({})).await?;
    let seen = "providers/list succeeds, but agentCapabilities.providers is absent";
    expect(
        reply.result().is_err(),
        "no list of providers without agentCapabilities.providers",
        seen,
    )?;
    talk.needs(PROVIDERS)
}

async fn setting_a_provider_replaces_its_configuration(run: &mut Run) -> Probed {
    let addresses = addresses(run);
    let talk = providers(run).await?;
    let (id, protocol) = first(talk).await?;
    for address in addresses {
        set(talk, json!({"providerId": id, "apiType": protocol, "baseUrl": address})).await?;
        let now = current(talk, &id).await?;
        let is_set =
            now.get("baseUrl") == Some(&json!(address)) && now.get("apiType") == Some(&protocol);
        expect(is_set, format!("the provider has the URL {address}"), quoted(&now.to_string()))?;
    }
    Ok(())
}

async fn an_unknown_provider_cannot_be_set(run: &mut Run) -> Probed {
    let [address, _] = addresses(run);
    let talk = providers(run).await?;
    let (_, protocol) = first(talk).await?;
    let params =
        json!({"providerId": "attache-no-such-provider", "apiType": protocol, "baseUrl": address});
    talk.call::<ProvidersSet>(params).await?.is_refused()
}

async fn a_required_provider_cannot_be_disabled(run: &mut Run) -> Probed {
    let talk = providers(run).await?;
    let Some(provider) = by_need(talk, true).await? else {
        return not_tested("no provider of the agent is required");
    };
    talk.call::<ProvidersDisable>(json!({"providerId": provider})).await?.is_error(-32602)
}

async fn a_disabled_provider_stays_listed(run: &mut Run) -> Probed {
    let [address, _] = addresses(run);
    let talk = providers(run).await?;
    let (_, protocol) = first(talk).await?;
    let Some(id) = by_need(talk, false).await? else {
        return not_tested("every provider of the agent is required");
    };
    // The provider may not support this protocol, so the result does not matter.
    talk.call::<ProvidersSet>(json!({"providerId": id, "apiType": protocol, "baseUrl": address}))
        .await?;
    talk.call::<ProvidersDisable>(json!({"providerId": id})).await?.result()?;
    match list(talk).await?.iter().find(|provider| provider.get("providerId") == Some(&id)) {
        None => fail("a disabled provider stays listed", format!("{id} is not listed")),
        Some(provider) => expect(
            provider.get("current").is_none_or(Value::is_null),
            "a disabled provider has no current",
            quoted(&provider.to_string()),
        ),
    }
}

async fn headers_are_never_shown(run: &mut Run) -> Probed {
    let [address, _] = addresses(run);
    let talk = providers(run).await?;
    let (id, protocol) = first(talk).await?;
    let headers = json!({"x-attache": HEADER});
    let first = talk.now();
    set(
        talk,
        json!({"providerId": id, "apiType": protocol, "baseUrl": address, "headers": headers}),
    )
    .await?;
    list(talk).await?;
    match talk.heard(first).find(|line| line.text.contains(HEADER)) {
        Some(line) => fail("no headers in the list of providers", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn a_provider_is_forgotten_when_the_process_ends(run: &mut Run) -> Probed {
    let [_, address] = addresses(run);
    let talk = providers(run).await?;
    let (id, protocol) = first(talk).await?;
    set(talk, json!({"providerId": id, "apiType": protocol, "baseUrl": address})).await?;
    let talk = providers(run).await?;
    let now = current(talk, &id).await?;
    let is_kept = now.get("baseUrl") == Some(&json!(address));
    expect(
        !is_kept,
        "a new process does not have the settings of an earlier one",
        quoted(&now.to_string()),
    )
}

async fn an_unknown_protocol_does_not_end_the_connection(run: &mut Run) -> Probed {
    let [address, _] = addresses(run);
    let talk = providers(run).await?;
    let (id, _) = first(talk).await?;
    // The agent may refuse or accept the protocol. It must answer, and must still list the
    // provider.
    talk.call::<ProvidersSet>(json!({"providerId": id, "apiType": "_attache", "baseUrl": address}))
        .await?;
    let is_listed =
        list(talk).await?.iter().any(|provider| provider.get("providerId") == Some(&id));
    expect(is_listed, "the provider stays listed", format!("{id} is not listed"))
}

/// Returns two base URLs for a provider. They lead to the judge's model server, because an agent
/// may query a URL before it accepts it. If there is no model server, nothing listens at these
/// URLs.
fn addresses(run: &Run) -> [String; 2] {
    let base = run.model_url().unwrap_or_else(|| "http://127.0.0.1:9".to_owned());
    ["attache", "attache-other"].map(|path| format!("{base}/{path}"))
}

async fn providers(run: &mut Run) -> Probed<&mut Conversation> {
    run.talk().await?.needs(PROVIDERS)?;
    run.fresh_with(capabilities()).await
}

async fn list(talk: &mut Conversation) -> Probed<Vec<Value>> {
    let result = talk.call::<ProvidersList>(json!({})).await?.result()?;
    match result.get("providers") {
        Some(Value::Array(providers)) => Ok(providers.clone()),
        _ => fail(
            format!("the result of {} has providers", ProvidersList::ROW.name),
            quoted(&result.to_string()),
        ),
    }
}

/// Returns a configurable provider and a protocol that it supports.
async fn first(talk: &mut Conversation) -> Probed<(Value, Value)> {
    for provider in list(talk).await? {
        if let (Some(id), Some(protocol)) =
            (provider.get("providerId"), provider.pointer("/supported/0"))
        {
            return Ok((id.clone(), protocol.clone()));
        }
    }
    not_tested("the agent lists no configurable provider")
}

/// Returns the id of the first required provider or, if `is_required` is false, of the first
/// optional one.
async fn by_need(talk: &mut Conversation, is_required: bool) -> Probed<Option<Value>> {
    let all = list(talk).await?;
    let found =
        all.iter().find(|provider| provider.get("required") == Some(&Value::Bool(is_required)));
    Ok(found.and_then(|provider| provider.get("providerId").cloned()))
}

async fn set(talk: &mut Conversation, params: Value) -> Probed<Value> {
    talk.call::<ProvidersSet>(params).await?.result()
}

/// Returns the current configuration of a provider; null if it has none.
async fn current(talk: &mut Conversation, id: &Value) -> Probed<Value> {
    let all = list(talk).await?;
    let provider = all.iter().find(|provider| provider.get("providerId") == Some(id));
    Ok(provider.and_then(|provider| provider.get("current").cloned()).unwrap_or_default())
}
