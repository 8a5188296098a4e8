//! What is assumed about a model that is in no list.

use crate::catalogue::known_model::{ASSUMED_WINDOW, KnownModel, Level};
use crate::catalogue::known_providers::is_own_address;
use crate::message::Thinking;
use crate::provider::Provider;
use crate::wire::Wire;

/// The window of Anthropic's models since version 4.6, in tokens.
const CLAUDE_WINDOW: u64 = 1_000_000;

/// The maximum answer of Anthropic's models since version 4.6, in tokens.
const CLAUDE_OUTPUT: u64 = 128_000;

/// The version of the first Anthropic models with this window.
const FIRST_LARGE_CLAUDE: (u32, u32) = (4, 6);

/// The levels that all Anthropic models since version 4.6 have.
const CLAUDE_EFFORTS: [&str; 4] = ["low", "medium", "high", "max"];

/// Returns what is assumed about a model of this provider.
///
/// Ollama silently cuts what is longer than its window, so the smallest usual window is assumed
/// there. Every other server reports an error, from which the window is learned.
pub(crate) fn model(provider: &Provider, name: &str) -> KnownModel {
    let unknown = KnownModel::unknown(provider.model(name), ASSUMED_WINDOW);
    if provider.is_ollama() {
        return unknown.with_window_of_ollama();
    }
    let is_large = provider.wire == Wire::Anthropic
        && claude_version(name).is_some_and(|version| version >= FIRST_LARGE_CLAUDE);
    if !is_large {
        return unknown;
    }
    let level = |id: &str| Level { id: id.to_owned(), thinking: Thinking::Effort(id.to_owned()) };
    KnownModel {
        // A gateway may limit the window.
        window: if is_own_address(provider) { CLAUDE_WINDOW } else { unknown.window },
        max_output: Some(CLAUDE_OUTPUT),
        levels: CLAUDE_EFFORTS.map(level).to_vec(),
        default_level: Some("high".to_owned()),
        takes_images: true,
        takes_documents: true,
        ..unknown
    }
}

/// Returns the version in a name such as `claude-opus-4-8` or `claude-sonnet-5-20260801`.
fn claude_version(name: &str) -> Option<(u32, u32)> {
    let parts = name.strip_prefix("claude-")?.split(['-', '.']);
    let mut numbers = parts
        .skip_while(|part| !part.starts_with(|first: char| first.is_ascii_digit()))
        // A longer number is a date.
        .map_while(|part| part.parse().ok().filter(|_| part.len() <= 2));
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::{claude_version, model};
    use crate::provider::Provider;
    use crate::wire::Wire;

    #[test]
    fn versions_are_read_from_names() {
        for (name, version) in [
            ("claude-opus-4-8", Some((4, 8))),
            ("claude-sonnet-6", Some((6, 0))),
            ("claude-sonnet-6-20270801", Some((6, 0))),
            ("claude-fable-5.2-latest", Some((5, 2))),
            ("claude-3-7-sonnet-latest", Some((3, 7))),
            ("claude-opus-20270801", None),
            ("claude-next", None),
            ("gpt-5", None),
        ] {
            assert_eq!(claude_version(name), version, "{name}");
        }
    }

    #[test]
    fn a_new_claude_has_a_large_window_except_behind_a_gateway() {
        for (url, name, window, output, levels) in [
            ("https://api.anthropic.com", "claude-opus-7", 1_000_000, Some(128_000), 4),
            ("https://api.anthropic.com", "claude-opus-4-6", 1_000_000, Some(128_000), 4),
            ("https://api.anthropic.com", "claude-opus-4-5", 128_000, None, 0),
            ("https://gateway.example", "claude-opus-7", 128_000, Some(128_000), 4),
            ("http://127.0.0.1:4000", "claude-opus-7", 128_000, Some(128_000), 4),
        ] {
            let provider = Provider::new("anthropic", "Anthropic", Wire::Anthropic, url);
            let known = model(&provider, name);
            assert_eq!(
                (known.window, known.max_output, known.levels.len()),
                (window, output, levels),
                "{url} {name}"
            );
            assert!(known.window_assumed && known.takes_images == (levels > 0));
            assert_eq!(known.default_level.is_some(), levels > 0);
        }
    }

    #[test]
    fn only_ollama_has_a_small_window() {
        for (id, url, window) in [
            ("ollama", "http://box:11434/v1", 4096),
            ("openai", "http://localhost:11434/v1", 4096),
            ("openai", "http://localhost:4000/v1", 128_000),
            ("llama.cpp", "http://127.0.0.1:8080/v1", 128_000),
            ("openai", "https://gateway.example/v1", 128_000),
        ] {
            let known = model(&Provider::new(id, id, Wire::Chat, url), "some-model");
            assert_eq!((known.window, known.window_assumed), (window, true), "{id} {url}");
            assert_eq!(known.is_cut_silently, window == 4096, "{id} {url}");
        }
    }
}
