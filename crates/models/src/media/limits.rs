//! The limits of providers for images, audio and documents.

use crate::catalogue::known_model::KnownModel;
use crate::provider::Provider;
use crate::wire::Wire;

/// The formats of pictures that nearly all models accept.
const USUAL_PICTURES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The formats of audio that nearly all models with audio accept.
const USUAL_SOUNDS: &[&str] = &["audio/wav", "audio/mp3"];

/// The context window from which Anthropic accepts more pictures and pages, in tokens.
const LARGE_WINDOW: u64 = 500_000;

/// What a provider accepts in one request. Sizes are in bytes of base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaLimits {
    /// The MIME types of pictures.
    pub(crate) pictures: &'static [&'static str],
    /// The MIME types of audio.
    pub(crate) sounds: &'static [&'static str],
    /// The maximum size of a picture.
    pub(crate) picture_size: usize,
    /// The maximum size of everything together.
    pub(crate) total_size: usize,
    /// The maximum number of pictures.
    pub(crate) count: usize,
    /// The maximum width and height of a picture, in pixels.
    pub(crate) side: u32,
    /// The number of pictures above which `many_side` applies to each of them.
    pub(crate) many: usize,
    /// The maximum width and height of each of many pictures, in pixels.
    pub(crate) many_side: u32,
    /// The maximum number of pixels of a picture.
    pub(crate) pixels: u64,
    /// The maximum number of pages of a document.
    pub(crate) pages: u64,
}

/// The limits of OpenAI, which apply also to a provider about which nothing is known: 500 pictures
/// and 50 MB for the request.
///
/// Sources: <https://developers.openai.com/api/docs/guides/images-vision>,
/// <https://developers.openai.com/api/docs/guides/file-inputs>.
impl Default for MediaLimits {
    fn default() -> Self {
        Self {
            pictures: USUAL_PICTURES,
            sounds: USUAL_SOUNDS,
            picture_size: 20 << 20,
            total_size: 50 << 20,
            count: 500,
            side: u32::MAX,
            many: usize::MAX,
            many_side: u32::MAX,
            pixels: u64::MAX,
            pages: u64::MAX,
        }
    }
}

impl MediaLimits {
    /// Returns the limits for this provider's model. A Claude keeps its limits behind a gateway.
    pub(crate) fn of(provider: &Provider, known: &KnownModel) -> Self {
        let name = known.id.name.to_lowercase();
        match (provider.wire, provider.id.as_str()) {
            (Wire::Anthropic, _) => Self::anthropic(known.window),
            _ if name.contains("claude") => Self::anthropic(known.window),
            (Wire::Gemini, _) => Self::gemini(),
            _ if name.contains("gemini") => Self { sounds: GEMINI_SOUNDS, ..Self::default() },
            (_, "groq") => Self::groq(),
            // Source: <https://docs.x.ai/developers/model-capabilities/images/understanding>.
            (_, "xai") => Self { pictures: &["image/png", "image/jpeg"], ..Self::default() },
            _ => Self::default(),
        }
    }

    /// Anthropic: 5 MiB of base64 for a picture, 8,000 pixels on a side, and 2,000 if there are
    /// more than 20 pictures; 600 pictures and 600 pages, or 100 of each if the window has 200,000
    /// tokens; 32 MB for the request, of which 2 MB are kept for the text.
    ///
    /// Sources: <https://platform.claude.com/docs/en/build-with-claude/vision> and
    /// <https://platform.claude.com/docs/en/build-with-claude/pdf-support>. The size in base64 is
    /// what errors of the API state.
    fn anthropic(window: u64) -> Self {
        let count = if window > LARGE_WINDOW { 600 } else { 100 };
        Self {
            picture_size: 5 << 20,
            total_size: 30_000_000,
            count,
            side: 8_000,
            many: 20,
            many_side: 2_000,
            pages: count as u64,
            ..Self::default()
        }
    }

    /// Gemini: no limit of pixels, no GIF, and 100 MB for the request.
    ///
    /// Sources: <https://firebase.google.com/docs/ai-logic/input-file-requirements>,
    /// <https://docs.cloud.google.com/vertex-ai/docs/generative-ai/image/image-captioning> for the
    /// formats and the number, and Google's announcement of 12 January 2026 for the size.
    fn gemini() -> Self {
        Self {
            pictures: &["image/png", "image/jpeg", "image/webp", "image/heic"],
            sounds: GEMINI_SOUNDS,
            picture_size: 90_000_000,
            total_size: 90_000_000,
            count: 3_000,
            pages: 1_000,
            ..Self::default()
        }
    }

    /// Groq: 4 MB for a request with base64, 33,177,600 pixels and 5 pictures.
    ///
    /// Source: <https://console.groq.com/docs/vision>.
    fn groq() -> Self {
        Self {
            picture_size: 3_900_000,
            total_size: 3_900_000,
            count: 5,
            pixels: 33_177_600,
            ..Self::default()
        }
    }
}

/// The formats of audio that Gemini accepts.
///
/// Source: <https://ai.google.dev/gemini-api/docs/audio>.
const GEMINI_SOUNDS: &[&str] =
    &["audio/wav", "audio/mp3", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"];

#[cfg(test)]
mod tests {
    use super::MediaLimits;
    use crate::catalogue::known_model::KnownModel;
    use crate::message::ModelId;
    use crate::provider::Provider;
    use crate::wire::Wire;

    fn limits(provider: &str, wire: Wire, model: &str, window: u64) -> MediaLimits {
        let known = KnownModel::unknown(ModelId::new(provider, model), 128_000);
        let provider = Provider::new(provider, provider, wire, "https://example.org");
        MediaLimits::of(&provider, &known.with_window(Some(window)))
    }

    #[test]
    fn claude_keeps_its_limits_behind_a_gateway() {
        let direct = limits("anthropic", Wire::Anthropic, "claude-haiku-4-5", 200_000);
        assert_eq!((direct.count, direct.side, direct.picture_size), (100, 8_000, 5_242_880));
        let gateway = limits("openrouter", Wire::Chat, "anthropic/Claude-Haiku-4.5", 200_000);
        assert_eq!(gateway, direct);
        assert_eq!(limits("anthropic", Wire::Anthropic, "claude-x", 1_000_000).count, 600);
    }

    #[test]
    fn formats_differ_by_provider() {
        let takes = |limits: MediaLimits, mime: &str| limits.pictures.contains(&mime);
        let gemini = limits("gemini", Wire::Gemini, "gemini-3", 1_000_000);
        assert!(takes(gemini, "image/heic") && !takes(gemini, "image/gif"));
        assert!(!takes(limits("xai", Wire::Chat, "grok", 1), "image/webp"));
        assert!(takes(limits("openai", Wire::Responses, "gpt", 1), "image/webp"));
        assert!(gemini.sounds.contains(&"audio/flac"));
    }
}
