//! Claude models whose thoughts are bound to the conversation before them.
//!
//! If `system`, `tools` or an earlier message has changed since such a model produced a thought,
//! the provider rejects the thought when it is sent back, unless the request says how to handle it.

use serde_json::{Value, json};

/// The value of `anthropic-beta` that allows [`drop_stale`].
pub(crate) const BETA: &str = "thinking-binding-controls-2026-08-01";

/// The last Claude version whose thoughts are not bound: 5.0.
const LAST_UNBOUND: (u32, u32) = (5, 0);

/// Returns whether the model with this name is a Claude model that may bind its thoughts. A name
/// without a version, such as `claude-opus-latest`, is taken for a new model.
pub(crate) fn binds_thoughts(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some((_, after)) = name.split_once("claude") else { return false };
    version(after).is_none_or(|version| version > LAST_UNBOUND) && !after.starts_with("-instant")
}

/// Returns whether the name has the version of a Claude model that binds its thoughts. A name
/// without a version may be a gateway's own name for any model.
pub(crate) fn surely_binds_thoughts(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let version = name.split_once("claude").and_then(|(_, after)| version(after));
    version.is_some_and(|version| version > LAST_UNBOUND)
}

/// Returns the version in what follows `claude` in a name.
fn version(after: &str) -> Option<(u32, u32)> {
    // Longer numbers are dates.
    let number = |word: &str| (word.len() <= 2).then(|| word.parse::<u32>().ok()).flatten();
    let mut words = after.split(['-', '.', '@', ':']).skip_while(|word| number(word).is_none());
    let major = words.next().and_then(number)?;
    Some((major, words.next().and_then(number).unwrap_or_default()))
}

/// Returns the member of `thinking` that makes the provider drop a thought whose conversation has
/// changed, where it would otherwise reject the request.
pub(crate) fn drop_stale() -> Value {
    json!({"prefix_mismatch_behavior": "drop_block"})
}

#[cfg(test)]
mod tests {
    use super::{binds_thoughts, surely_binds_thoughts};

    #[test]
    fn new_and_unknown_claude_models_bind_their_thoughts() {
        for (name, expected) in [
            ("claude-fable-5-1", true),
            ("claude-fable-5-2", true),
            ("claude-mythos-5-1", true),
            ("claude-opus-5-5", true),
            ("claude-opus-5-5-20260915", true),
            ("claude-sonnet-5-5@20260915", true),
            ("claude-haiku-5-5", true),
            ("anthropic.claude-opus-5-5-v1:0", true),
            ("anthropic/claude-opus-5.5", true),
            ("claude-opus-6", true),
            ("claude-opus-latest", true),
            ("claude-fable-5", false),
            ("claude-opus-5", false),
            ("claude-opus-5-20260401", false),
            ("claude-sonnet-5-v1:0", false),
            ("claude-opus-4-8", false),
            ("claude-haiku-4-5-20251001", false),
            ("claude-opus-4-20250514", false),
            ("claude-3-5-sonnet-latest", false),
            ("claude-instant-1.2", false),
            ("claude-2.1", false),
            ("MiniMax-M5.5", false),
            ("m", false),
        ] {
            assert_eq!(binds_thoughts(name), expected, "{name}");
            let has_version = name != "claude-opus-latest";
            assert_eq!(surely_binds_thoughts(name), expected && has_version, "{name}");
        }
    }
}
