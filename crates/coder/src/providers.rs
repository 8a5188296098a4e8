//! The providers of models in ACP: `providers/list`, `providers/set`, `providers/disable`.

use attache_agent::{Error, Result};
use attache_models::{ConfigurableProvider, Models, Secret, Wire};
use attache_protocol::v1::{LlmProtocol, ProviderCurrentConfig, ProviderInfo, SetProviderRequest};

/// The name of the API format in ACP. ACP has no name for Gemini's format.
fn protocol(wire: Wire) -> LlmProtocol {
    match wire {
        Wire::Anthropic => LlmProtocol::Anthropic,
        Wire::Chat | Wire::Responses => LlmProtocol::OpenAi,
        Wire::Gemini => LlmProtocol::from("_gemini"),
    }
}

/// The providers that a client may configure. None of them is required.
pub(crate) fn list(models: &Models) -> Vec<ProviderInfo> {
    let info = |provider: ConfigurableProvider| {
        let mut info =
            ProviderInfo::new(provider.id.as_str(), vec![protocol(provider.wire)], false);
        let current = provider.current;
        info.current = current.map(|(wire, url)| ProviderCurrentConfig::new(protocol(wire), url));
        info
    };
    models.configurable().into_iter().map(info).collect()
}

/// Sets the address and the headers of a provider.
///
/// # Errors
/// Returns an error if the provider is unknown, or if a request with these values would be invalid.
pub(crate) fn set(models: &Models, request: &SetProviderRequest) -> Result<()> {
    let headers = request.headers.0.iter();
    let headers = headers.map(|(name, value)| (name.clone(), Secret::from(value.expose())));
    models
        .set_provider(request.provider_id.as_str(), &request.base_url, headers.collect())
        .map_err(Error::invalid)
}
