//! Recognizes errors about an image, audio or a document in the request.

/// Codes that providers use only for such errors.
const CODES: [&str; 19] = [
    "invalid_image",
    "invalid_image_format",
    "invalid_image_mode",
    "invalid_image_url",
    "invalid_base64_image",
    "image_parse_error",
    "image_too_large",
    "image_too_small",
    "image_file_too_large",
    "image_content_policy_violation",
    "unsupported_image_media_type",
    "unsupported_image",
    "empty_image_file",
    "failed_to_download_image",
    "image_file_not_found",
    "sanitizer_server_error",
    "invalid_audio",
    "unsupported_file",
    "invalid_file",
];

/// Words that name the piece in an error about the request. Some say only where it is: in
/// `messages.7.content.2.image.source.base64`, `inline_data` or `image_url`.
const NAMES: [&str; 17] = [
    "image",
    "picture",
    "media type",
    "media_type",
    "mime type",
    "mime_type",
    "mimetype",
    "document",
    "audio",
    "pdf",
    "inline_data",
    "inlinedata",
    "input_file",
    "file_data",
    "multimodal",
    "mmproj",
    "base64",
];

/// Messages of servers that report missing support as a failure of their own, or as a missing
/// model: llama.cpp, Ollama and OpenRouter.
const UNSUPPORTED: [&str; 6] = [
    "image input is not supported",
    "audio input is not supported",
    "missing data required for image input",
    "support image input",
    "support audio input",
    "support input audio",
];

/// Returns whether an error is about media in the request. It may be wrong: the caller repeats the
/// request without the media, and keeps them if that does not help.
pub(super) fn is_about_media(
    status: u16,
    text: &str,
    named: &dyn Fn(&[&str]) -> bool,
    is_unknown_model: bool,
) -> bool {
    // An address, or a hint to the documentation, is not about a piece.
    let before_address = |word: &'_ str| word.split("://").next().unwrap_or_default().to_owned();
    let text: Vec<String> = text.split_whitespace().map(before_address).collect();
    let text = text.join(" ").replace("documentation", "");
    let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
    named(&CODES)
        || (matches!(status, 400 | 404 | 415 | 500 | 501) && says(&UNSUPPORTED))
        // The number of tokens in a document is a matter of the context window, and the name of a
        // model may contain such a word.
        || (matches!(status, 400 | 413 | 415 | 422)
            && says(&NAMES)
            && !says(&["token"])
            && !is_unknown_model)
}

#[cfg(test)]
mod tests {
    use super::is_about_media;

    #[test]
    fn errors_about_media_are_recognized_by_code_or_words() {
        for (status, code, message) in [
            (400, "invalid_request_error", "Could not process image"),
            (
                400,
                "invalid_request_error",
                "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000184 bytes > 5242880 bytes",
            ),
            (
                400,
                "invalid_request_error",
                "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
            ),
            (400, "invalid_request_error", "The PDF specified was not valid."),
            (400, "image_parse_error", "You uploaded an unsupported image."),
            (400, "unsupported_image_media_type", "bad"),
            (400, "INVALID_ARGUMENT", "Unable to process input image. Please retry or report"),
            (400, "INVALID_ARGUMENT", "Unsupported MIME type: image/heic"),
            (400, "INVALID_ARGUMENT", "Audio input modality is not enabled for models/x"),
            (400, "invalid", "unknown variant `image_url`, expected `text`"),
            (
                500,
                "server_error",
                "image input is not supported - hint: you may need to provide the mmproj",
            ),
            (404, "", "No endpoints found that support image input"),
            (413, "large", "The image is too large"),
        ] {
            let named = |known: &[&str]| known.contains(&code);
            assert!(
                is_about_media(status, &message.to_lowercase(), &named, code.is_empty()),
                "{message}"
            );
        }
        for (status, message) in [
            (400, "prompt is too long: 5 tokens > 4 maximum"),
            (400, "the image and the text have too many tokens"),
            (413, "request too large"),
            (400, "extra inputs are not permitted: see the documentation"),
            (400, "bad request: see https://docs.example/image/document.pdf"),
            (401, "invalid key for this image model"),
            (429, "too many images per minute"),
            (500, "internal error"),
        ] {
            assert!(!is_about_media(status, message, &|_| false, false), "{message}");
        }
        let unknown = "the model gpt-image-9 does not exist";
        assert!(!is_about_media(400, unknown, &|_| false, true), "{unknown}");
    }
}
