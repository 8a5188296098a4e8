//! The well-known providers, and how the environment configures them.

use crate::address::{is_loopback, is_within};
use crate::catalogue::provider_variables::ProviderVariables;
use crate::environment::Environment;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;

/// A well-known provider.
struct KnownProvider {
    id: &'static str,
    name: &'static str,
    wire: Wire,
    dialect: Dialect,
    base_url: &'static str,
    /// The environment variables that may contain the key; the first one that is set is used.
    keys: &'static [&'static str],
    /// The environment variables that may replace the base URL; the first one that is set is used.
    base_urls: &'static [&'static str],
}

const KNOWN: &[KnownProvider] = &[
    KnownProvider {
        id: "anthropic",
        name: "Anthropic",
        wire: Wire::Anthropic,
        dialect: Dialect::Plain,
        base_url: "https://api.anthropic.com",
        keys: &["ANTHROPIC_API_KEY"],
        base_urls: &["ANTHROPIC_BASE_URL"],
    },
    KnownProvider {
        id: "openai",
        name: "OpenAI",
        wire: Wire::Responses,
        dialect: Dialect::OpenAi,
        base_url: OPENAI,
        keys: &["OPENAI_API_KEY"],
        base_urls: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    },
    KnownProvider {
        id: "gemini",
        name: "Gemini",
        wire: Wire::Gemini,
        dialect: Dialect::Plain,
        base_url: "https://generativelanguage.googleapis.com",
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base_urls: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
    },
    KnownProvider {
        id: "openrouter",
        name: "OpenRouter",
        wire: Wire::Chat,
        dialect: Dialect::OpenRouter,
        base_url: "https://openrouter.ai/api/v1",
        keys: &["OPENROUTER_API_KEY"],
        base_urls: &["OPENROUTER_BASE_URL"],
    },
    KnownProvider {
        id: "deepseek",
        name: "DeepSeek",
        wire: Wire::Chat,
        dialect: Dialect::DeepSeek,
        base_url: "https://api.deepseek.com/v1",
        keys: &["DEEPSEEK_API_KEY"],
        base_urls: &["DEEPSEEK_BASE_URL"],
    },
    KnownProvider {
        id: "qwen",
        name: "Qwen",
        wire: Wire::Chat,
        dialect: Dialect::Qwen,
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        keys: &["DASHSCOPE_API_KEY"],
        base_urls: &["DASHSCOPE_BASE_URL"],
    },
    KnownProvider {
        id: "moonshot",
        name: "Moonshot",
        wire: Wire::Chat,
        dialect: Dialect::Moonshot,
        base_url: "https://api.moonshot.ai/v1",
        keys: &["MOONSHOT_API_KEY"],
        base_urls: &["MOONSHOT_BASE_URL"],
    },
    KnownProvider {
        id: "mistral",
        name: "Mistral",
        wire: Wire::Chat,
        dialect: Dialect::Mistral,
        base_url: "https://api.mistral.ai/v1",
        keys: &["MISTRAL_API_KEY"],
        base_urls: &["MISTRAL_BASE_URL"],
    },
];

/// OpenAI's own base URL.
const OPENAI: &str = "https://api.openai.com/v1";

/// The domains of OpenAI and of OpenAI on Azure. Servers elsewhere are assumed to support only Chat
/// Completions.
const OF_OPENAI: [&str; 2] = ["openai.com", "openai.azure.com"];

/// The variable with the wire of a server that stands in for OpenAI: `chat` or `responses`.
const OPENAI_WIRE: &str = "OPENAI_WIRE";

/// The port of Ollama.
pub(crate) const OLLAMA_PORT: u16 = 11434;

/// Returns the providers that have a key in the environment, or a base URL on this machine. Sends
/// nothing over the network.
///
/// If `OPENAI_BASE_URL` is not an address of OpenAI, the server is assumed to support only Chat
/// Completions; `OPENAI_WIRE` says otherwise. `ANTHROPIC_AUTH_TOKEN` is sent as
/// `Authorization: Bearer`. `OPENAI_ORG_ID` and `OPENAI_PROJECT_ID` are sent as headers.
/// `OLLAMA_HOST` is the address of an Ollama server, in any form that Ollama accepts.
pub(crate) fn providers(environment: Environment<'_>) -> Vec<Provider> {
    let value = |name: &str| {
        environment(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let mut providers: Vec<Provider> =
        KNOWN.iter().filter_map(|known| provider(known, &value)).collect();
    providers.extend(value("OLLAMA_HOST").map(|host| ollama(&host)));
    providers
}

/// Returns the environment variables of the well-known providers.
pub(crate) fn known_variables() -> Vec<ProviderVariables> {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let of = |known: &KnownProvider| {
        let mut keys: Vec<String> = names(known.keys);
        keys.extend((known.id == "anthropic").then(|| "ANTHROPIC_AUTH_TOKEN".to_owned()));
        let (id, name) = (known.id.to_owned(), known.name.to_owned());
        let wire = (known.id == "openai").then(|| OPENAI_WIRE.to_owned());
        ProviderVariables { id, name, keys, base_urls: names(known.base_urls), wire }
    };
    KNOWN.iter().map(of).collect()
}

fn provider(known: &KnownProvider, value: &dyn Fn(&str) -> Option<String>) -> Option<Provider> {
    let base_url = known.base_urls.iter().find_map(|name| value(name));
    let mut provider = elsewhere(known.provider(), base_url.as_deref().unwrap_or(known.base_url));
    provider.key_variable = known.keys.first().map(|&name| name.to_owned());
    if let Some((name, key)) = known.keys.iter().find_map(|name| Some((name, value(name)?))) {
        provider = provider.key(Some(name), key);
    }
    match known.id {
        "openai" => openai(&mut provider, value),
        "anthropic" => {
            if let Some(token) = value("ANTHROPIC_AUTH_TOKEN").filter(|_| provider.key.is_none()) {
                provider = provider.key(Some("ANTHROPIC_AUTH_TOKEN"), token);
                provider.bearer = true;
            }
        }
        _ => {}
    }
    // A server on this machine may need no key.
    let named = base_url.is_some_and(|base_url| is_loopback(&base_url));
    (provider.key.is_some() || named).then_some(provider)
}

/// Returns the well-known providers at their own addresses, without keys.
pub(crate) fn known_providers() -> Vec<Provider> {
    KNOWN.iter().map(KnownProvider::provider).collect()
}

/// Returns whether this is a well-known provider at its own address.
pub(crate) fn is_own_address(provider: &Provider) -> bool {
    KNOWN.iter().any(|known| known.id == provider.id && known.base_url == provider.base_url)
}

/// Returns whether the address is one of OpenAI, or of OpenAI on Azure.
pub(crate) fn is_of_openai(base_url: &str) -> bool {
    is_within(base_url, &OF_OPENAI)
}

/// Returns the provider at another base URL. A server that stands in for OpenAI is assumed to
/// support only Chat Completions.
pub(crate) fn elsewhere(provider: Provider, base_url: &str) -> Provider {
    let base_url = base_url.trim_end_matches('/').to_owned();
    match provider.id == "openai" && !is_of_openai(&base_url) {
        true => Provider { base_url, wire: Wire::Chat, dialect: Dialect::Plain, ..provider },
        false => Provider { base_url, ..provider },
    }
}

impl KnownProvider {
    fn provider(&self) -> Provider {
        let provider = Provider::new(self.id, self.name, self.wire, self.base_url);
        Provider { dialect: self.dialect, ..provider }
    }
}

fn openai(provider: &mut Provider, value: &dyn Fn(&str) -> Option<String>) {
    for (variable, header) in
        [("OPENAI_ORG_ID", "openai-organization"), ("OPENAI_PROJECT_ID", "openai-project")]
    {
        provider
            .headers
            .extend(value(variable).map(|value| (header.to_owned(), Secret::from(value))));
    }
    match value(OPENAI_WIRE).as_deref() {
        Some("responses") => {
            (provider.wire, provider.dialect) = (Wire::Responses, Dialect::OpenAi);
        }
        Some("chat") => provider.wire = Wire::Chat,
        _ => {}
    }
}

/// Returns the Ollama server at `host`: `localhost`, `:11434`, `box:8080`, `http://box`. `0.0.0.0`,
/// an address for servers to listen on, stands for this machine.
pub(crate) fn ollama(host: &str) -> Provider {
    let host_names_scheme = host.contains("://");
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/');
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let port =
        |host: &str| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let default = match scheme {
        _ if port(host) && !host.ends_with(']') => None,
        "https" => Some(443),
        "http" if host_names_scheme => Some(80),
        _ => Some(OLLAMA_PORT),
    };
    let port = default.map(|port| format!(":{port}")).unwrap_or_default();
    let host = host.replace("0.0.0.0", "127.0.0.1");
    let host =
        if host.is_empty() || host.starts_with(':') { format!("127.0.0.1{host}") } else { host };
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    Provider::new("ollama", "Ollama", Wire::Chat, &format!("{scheme}://{host}{port}{path}/v1"))
}

#[cfg(test)]
mod tests {
    use super::{ollama, providers};
    use crate::provider::Provider;
    use crate::secret::Secret;
    use crate::wire::Wire;
    use crate::wire::chat::dialect::Dialect;

    fn found(variables: &[(&str, &str)]) -> Vec<Provider> {
        let value = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        providers(&value)
    }

    #[test]
    fn each_key_finds_its_provider() {
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[("OPENAI_API_KEY", " ")]), []);
        for (variable, id, url) in [
            ("ANTHROPIC_API_KEY", "anthropic", "https://api.anthropic.com"),
            ("OPENAI_API_KEY", "openai", "https://api.openai.com/v1"),
            ("GEMINI_API_KEY", "gemini", "https://generativelanguage.googleapis.com"),
            ("GOOGLE_API_KEY", "gemini", "https://generativelanguage.googleapis.com"),
            ("OPENROUTER_API_KEY", "openrouter", "https://openrouter.ai/api/v1"),
            ("DEEPSEEK_API_KEY", "deepseek", "https://api.deepseek.com/v1"),
            ("DASHSCOPE_API_KEY", "qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
            ("MOONSHOT_API_KEY", "moonshot", "https://api.moonshot.ai/v1"),
            ("MISTRAL_API_KEY", "mistral", "https://api.mistral.ai/v1"),
        ] {
            let found = found(&[(variable, "sk-123456")]);
            let [provider] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((provider.id.as_str(), provider.base_url.as_str()), (id, url));
            assert_eq!(provider.key_variable.as_deref(), Some(variable));
            assert!(!format!("{provider:?}").contains("sk-123456"));
        }
    }

    #[test]
    fn another_address_of_openai_speaks_chat_unless_it_is_openais_or_the_setting_says_so() {
        let own =
            &found(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "https://api.openai.com/v1/")])
                [0];
        assert_eq!((own.wire, own.dialect), (Wire::Responses, Dialect::OpenAi));
        let local = &found(&[("OPENAI_BASE_URL", "http://localhost:8000/v1")])[0];
        assert_eq!((local.wire, local.dialect, &local.key), (Wire::Chat, Dialect::Plain, &None));
        assert!(local.is_local());
        assert_eq!(found(&[("OPENAI_BASE_URL", "https://example.org/v1")]), []);
        let wire = |url: &str, wire: &str| {
            let given = [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", url), ("OPENAI_WIRE", wire)];
            let provider = &found(&given)[0];
            (provider.wire, provider.dialect)
        };
        let (responses, chat) = ((Wire::Responses, Dialect::OpenAi), (Wire::Chat, Dialect::Plain));
        for (url, given, expected) in [
            ("https://eu.api.openai.com/v1", "", responses),
            ("https://us.api.openai.com:443/v1/", "", responses),
            ("https://work.openai.azure.com/openai/v1", "", responses),
            ("https://work.openai.azure.com/openai/v1", "chat", (Wire::Chat, Dialect::OpenAi)),
            ("https://notopenai.com/v1", "", chat),
            ("https://openai.com.example.org/v1", "", chat),
            ("https://gateway.example/api.openai.com/v1", "", chat),
            ("https://gateway.example/v1", "responses", responses),
            ("https://gateway.example/v1", "chat", chat),
            ("https://gateway.example/v1", "soap", chat),
        ] {
            assert_eq!(wire(url, given), expected, "{url} {given}");
        }
        let organized = &found(&[("OPENAI_API_KEY", "k"), ("OPENAI_ORG_ID", "org-1")])[0];
        assert_eq!(organized.headers, [("openai-organization".to_owned(), Secret::from("org-1"))]);
    }

    #[test]
    fn a_token_of_anthropic_is_sent_as_bearer() {
        let provider = &found(&[
            ("ANTHROPIC_AUTH_TOKEN", "t"),
            ("ANTHROPIC_BASE_URL", "https://gateway.example/"),
        ])[0];
        assert!(provider.bearer);
        assert_eq!(provider.base_url, "https://gateway.example");
        assert!(!found(&[("ANTHROPIC_AUTH_TOKEN", "t"), ("ANTHROPIC_API_KEY", "k")])[0].bearer);
    }

    #[test]
    fn ollama_host_is_read_as_ollama_reads_it() {
        for (host, url) in [
            ("localhost", "http://localhost:11434/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            (":8080", "http://127.0.0.1:8080/v1"),
            ("box:8080", "http://box:8080/v1"),
            ("http://box", "http://box:80/v1"),
            ("http://box:1", "http://box:1/v1"),
            ("https://box", "https://box:443/v1"),
            ("https://box/ollama/", "https://box:443/ollama/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
            ("[::1]:5", "http://[::1]:5/v1"),
        ] {
            assert_eq!(ollama(host).base_url, url, "{host}");
        }
    }
}
