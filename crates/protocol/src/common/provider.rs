//! The providers of an agent's models (requirements §4.18, PROV); everything here is unstable.

use crate::Map;
use crate::Secret;
use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one provider of models.
    pub struct ProviderId;
}

wire_struct! {
    /// Params of `providers/list`.
    pub struct ListProvidersRequest {}
}

wire_struct! {
    /// Result of `providers/list`.
    pub struct ListProvidersResponse {
        /// All providers, including disabled ones.
        must providers: Vec<ProviderInfo> = "providers",
    }
}

wire_struct! {
    /// One provider that can be configured.
    pub struct ProviderInfo {
        /// The id for `providers/set` and `providers/disable`.
        must provider_id: ProviderId = "providerId",
        /// The protocols it can be configured for.
        must_items supported: Vec<LlmProtocol> = "supported",
        /// Whether it must not be disabled.
        must required: bool = "required",
        /// Its current configuration, which never contains headers; `None` while it is disabled.
        strict current: Option<ProviderCurrentConfig> = "current",
    }
}

wire_struct! {
    /// The configuration of a provider.
    pub struct ProviderCurrentConfig {
        /// The protocol of the provider.
        must api_type: LlmProtocol = "apiType",
        /// The address.
        must base_url: String = "baseUrl",
    }
}

wire_struct! {
    /// Params of `providers/set`: replaces protocol, address and headers together.
    pub struct SetProviderRequest {
        /// The provider.
        must provider_id: ProviderId = "providerId",
        /// One of its supported protocols.
        must api_type: LlmProtocol = "apiType",
        /// The address.
        must base_url: String = "baseUrl",
        /// All headers to send there. They are secrets, and must never be stored, echoed or logged.
        strict headers: Map<Secret> = "headers",
    }
}

wire_struct! {
    /// Result of `providers/set`.
    pub struct SetProviderResponse {}
}

wire_struct! {
    /// Params of `providers/disable`.
    pub struct DisableProviderRequest {
        /// The provider; an unknown one counts as disabled.
        must provider_id: ProviderId = "providerId",
    }
}

wire_struct! {
    /// Result of `providers/disable`.
    pub struct DisableProviderResponse {}
}

wire_string! {
    /// The protocol that an agent uses with a provider.
    pub enum LlmProtocol open {
        /// Anthropic's.
        Anthropic = "anthropic",
        /// OpenAI's.
        OpenAi = "openai",
        /// Azure OpenAI.
        Azure = "azure",
        /// Google Vertex AI.
        Vertex = "vertex",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
    }
}
