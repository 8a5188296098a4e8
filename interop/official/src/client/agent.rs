//! The way to the agent: a process, or an address for WebSocket or streamable HTTP.

use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Client, DynConnectTo, Error, LineDirection, Result,
};
use agent_client_protocol_http::HttpClient;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use crate::client::command_line::{AgentPlace, Work};

/// The variable with the bearer token of a server.
const TOKEN: &str = "ACP_PEER_TOKEN";

/// Returns the transport to the agent of the command line. A process prints its stderr on ours.
pub fn transport(work: &Work) -> Result<DynConnectTo<Client>> {
    match &work.agent {
        AgentPlace::Process { program, arguments } => {
            let agent = AcpAgent::new(AcpAgentConfig::new(program).args(arguments.iter().cloned()));
            Ok(DynConnectTo::new(agent.with_debug(|line, direction| {
                if direction == LineDirection::Stderr {
                    eprintln!("{line}");
                }
            })))
        }
        AgentPlace::Server(url) => {
            let headers = headers()?;
            let client = HttpClient::builder(url)
                .configure_http(|http| http.no_proxy().default_headers(headers))
                .build();
            Ok(DynConnectTo::new(client.map_err(Error::into_internal_error)?))
        }
    }
}

fn headers() -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Ok(token) = std::env::var(TOKEN) {
        let value = HeaderValue::try_from(format!("Bearer {token}"));
        headers.insert(AUTHORIZATION, value.map_err(Error::into_internal_error)?);
    }
    Ok(headers)
}
