//! The login state and the addresses of models. The account starts logged in; nothing is stored.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthAccount, AuthMethod, AuthMethodAgent, AuthMethodTerminal, AuthState, AuthStatusResponse,
    AuthStatusUpdateNotification, AuthenticateRequest, ClientCapabilities, ListProvidersResponse,
    LlmProtocol, ProviderCurrentConfig, ProviderInfo, SetProviderRequest,
};
use agent_client_protocol::{Client, Error, Result};

use crate::store::locked;

#[derive(Default)]
pub(crate) struct Account {
    is_logged_out: AtomicBool,
}

impl Account {
    /// A terminal method is offered only to a client that can start the agent again for it
    /// (AUTH-05).
    pub(crate) fn methods(client: &ClientCapabilities) -> Vec<AuthMethod> {
        let login = AuthMethod::Agent(AuthMethodAgent::new("login", "Log in"));
        let terminal = AuthMethodTerminal::new("login-terminal", "Log in in a terminal")
            .args(vec!["login".into()]);
        let terminal = client.auth.terminal.then_some(AuthMethod::Terminal(terminal));
        [login].into_iter().chain(terminal).collect()
    }

    pub(crate) fn require(&self) -> Result<()> {
        if self.is_logged_out.load(Relaxed) { Err(Error::auth_required()) } else { Ok(()) }
    }

    fn state(&self) -> (AuthState, Vec<AuthAccount>) {
        if self.is_logged_out.load(Relaxed) {
            (AuthState::Unauthenticated, Vec::new())
        } else {
            (AuthState::Authenticated, vec![AuthAccount::new("A person").active(true)])
        }
    }

    pub(crate) fn status(&self) -> AuthStatusResponse {
        let (state, accounts) = self.state();
        AuthStatusResponse::new(state).accounts(accounts)
    }

    pub(crate) fn authenticate(
        &self,
        request: &AuthenticateRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<()> {
        if &*request.method_id.0 != "login" {
            let reason = format!("{} is not an authentication method", request.method_id.0);
            return Err(Error::invalid_params().data(reason));
        }
        self.become_logged(false, client)
    }

    pub(crate) fn logout(&self, client: &ConnectionTo<Client>) -> Result<()> {
        self.become_logged(true, client)
    }

    fn become_logged(&self, out: bool, client: &ConnectionTo<Client>) -> Result<()> {
        if self.is_logged_out.swap(out, Relaxed) == out {
            return Ok(());
        }
        let (state, accounts) = self.state();
        client.send_notification(AuthStatusUpdateNotification::new(state).accounts(accounts))
    }
}

struct Provider {
    id: &'static str,
    is_required: bool,
    supported: Vec<LlmProtocol>,
    current: Option<ProviderCurrentConfig>,
    /// Never sent to the client (PROV-05).
    headers: HashMap<String, String>,
}

/// The providers of models.
pub(crate) struct Providers(Mutex<Vec<Provider>>);

impl Default for Providers {
    fn default() -> Self {
        let current = ProviderCurrentConfig::new(LlmProtocol::OpenAi, "http://127.0.0.1:9/v1");
        let provider = |id, is_required, supported, current| Provider {
            id,
            is_required,
            supported,
            current,
            headers: HashMap::new(),
        };
        Self(Mutex::new(vec![
            provider(
                "main",
                true,
                vec![LlmProtocol::OpenAi, LlmProtocol::Anthropic],
                Some(current),
            ),
            provider("spare", false, vec![LlmProtocol::OpenAi], None),
        ]))
    }
}

impl Providers {
    pub(crate) fn list(&self) -> ListProvidersResponse {
        let told = |provider: &Provider| {
            ProviderInfo::new(
                provider.id,
                provider.supported.clone(),
                provider.is_required,
                provider.current.clone(),
            )
        };
        ListProvidersResponse::new(locked(&self.0).iter().map(told).collect())
    }

    pub(crate) fn set(&self, request: SetProviderRequest) -> Result<()> {
        let mut providers = locked(&self.0);
        let provider = providers.iter_mut().find(|provider| provider.id == &*request.provider_id.0);
        let provider = provider.filter(|provider| provider.supported.contains(&request.api_type));
        let refused =
            || Error::invalid_params().data("no provider with this id supports this API type");
        let provider = provider.ok_or_else(refused)?;
        provider.current = Some(ProviderCurrentConfig::new(request.api_type, request.base_url));
        provider.headers = request.headers;
        Ok(())
    }

    /// Disabling an unknown provider succeeds (PROV-03).
    pub(crate) fn disable(&self, id: &str) -> Result<()> {
        let mut providers = locked(&self.0);
        let Some(provider) = providers.iter_mut().find(|provider| provider.id == id) else {
            return Ok(());
        };
        if provider.is_required {
            return Err(Error::invalid_params().data(format!("{id} is required")));
        }
        provider.current = None;
        provider.headers.clear();
        Ok(())
    }
}
