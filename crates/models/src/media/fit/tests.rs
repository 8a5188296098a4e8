//! Tests of the choice of media.

use super::{LeftOut, fit_media};
use crate::event::TokenUsage;
use crate::media::MediaLimits;
use crate::message::{Document, Media, Message, Part, ToolReply};
use crate::model::{Brief, EventStream, Model, ModelInput};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// A model that accepts all kinds of media within these limits.
#[derive(Debug)]
struct Claude(MediaLimits);

impl Model for Claude {
    fn title(&self) -> &str {
        "Claude"
    }
    fn window(&self) -> Option<u64> {
        None
    }
    fn size(&self) -> u64 {
        1
    }
    fn brief_tokens(&self, _: &Brief) -> u64 {
        0
    }
    fn writes(&self) -> bool {
        true
    }
    fn takes(&self, part: &Part) -> bool {
        !matches!(part, Part::Audio(_))
    }
    fn media_limits(&self) -> MediaLimits {
        self.0
    }
    fn cost(&self, _: &TokenUsage) -> Option<f64> {
        None
    }
    fn stream(&self, _: ModelInput) -> Box<dyn EventStream> {
        unreachable!()
    }
}

fn claude() -> Claude {
    Claude(MediaLimits {
        picture_size: 5 << 20,
        total_size: 30_000_000,
        count: 100,
        side: 8_000,
        many: 20,
        many_side: 2_000,
        pages: 100,
        ..MediaLimits::default()
    })
}

/// A PNG picture of this size, padded to a number of bytes.
fn png(width: u32, height: u32, bytes: usize) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.resize(bytes.max(png.len()), 0);
    png
}

fn media(mime: &str, bytes: &[u8]) -> Media {
    Media {
        mime: mime.to_owned(),
        base64: BASE64_STANDARD.encode(bytes),
        name: Some("a.png".to_owned()),
    }
}

fn image(bytes: &[u8]) -> Part {
    Part::Image(media("image/png", bytes))
}

fn fitted(parts: Vec<Part>) -> (Vec<Part>, Vec<LeftOut>) {
    let mut messages = [Message::user(parts)];
    let left_out = fit_media(&claude(), &mut messages);
    let [Message::User(user)] = messages else { panic!() };
    (user.parts, left_out)
}

/// The 14 variants of the report: each bad piece is replaced with a reason, and the text stays.
#[test]
fn bad_pieces_are_replaced_with_the_reason() {
    let (too_large, not_picture) = (png(100, 100, 4_500_138), &b"hello world"[..]);
    let word = |base64: &str| {
        Part::Image(Media { mime: "image/png".into(), base64: base64.into(), name: None })
    };
    for (part, why) in [
        (image(&too_large), "it has 4,500,138 bytes, and Claude accepts at most 3,932,160"),
        (image(&png(1, 30_000, 0)), "Claude accepts at most 8,000 pixels on a side"),
        (image(&png(9_000, 10, 0)), "Claude accepts at most 8,000 pixels on a side"),
        (image(&png(50_000, 50_000, 0)), "Claude accepts at most 8,000 pixels on a side"),
        (image(&png(0, 10, 0)), "its header has no size"),
        (image(&png(10, 10, 0)[..20]), "its header has no size"),
        (image(b"\0\0\0\x18ftypheic\0\0\0\0"), "Claude does not accept this format"),
        (image(not_picture), "its content is not a PNG, JPEG, GIF or WebP picture"),
        (word(""), "it is empty"),
        (word("not base64!"), "its data is not valid base64"),
        (word("iVBORw0KGgo"), "its data is not valid base64"),
        (word(&format!("{}%", BASE64_STANDARD.encode(png(1, 1, 30_000)))), "its data is not valid"),
        (Part::Audio(media("audio/wav", b"")), "it is empty"),
        (Part::Audio(media("audio/wav", b"RIFF\0\0\0\0WAVE")), "Claude does not accept sounds"),
        (Part::Audio(media("audio/wav", not_picture)), "its content is not audio"),
        (
            Part::Document(Document { name: "d".into(), media: media("application/pdf", b"hi") }),
            "its content is not a PDF document",
        ),
        (
            Part::Document(Document {
                name: "d".into(),
                media: media(
                    "application/pdf",
                    format!("%PDF-1.4 /Count 101 {}", "/Type/Page ".repeat(101)).as_bytes(),
                ),
            }),
            "it has 101 pages, and Claude accepts at most 100",
        ),
    ] {
        let (parts, left_out) = fitted(vec![Part::Text("look".into()), part.clone()]);
        let [Part::Text(look), Part::Text(said)] = parts.as_slice() else { panic!("{parts:?}") };
        assert!(look == "look" && said.contains(why), "{part:?}: {said}");
        assert!(left_out.len() == 1 && left_out[0].why.contains(why), "{left_out:?}");
    }
}

#[test]
fn good_pieces_are_sent_under_their_real_type() {
    let webp = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02";
    let gif = b"GIF89a\x20\x03\x58\x02";
    // The size comes after 60,000 bytes of metadata.
    let metadata = [&b"\xff\xd8\xff\xe1\xea\x60"[..], &[0; 60_000 - 2]].concat();
    let jpeg = [&metadata[..], b"\xff\xc0\0\x11\x08\x02\x58\x03\x20\x03"].concat();
    let pdf = b"%PDF-1.7";
    let parts = vec![image(webp), image(gif), image(&jpeg), image(pdf), image(&png(8_000, 1, 0))];
    let (parts, left_out) = fitted(parts);
    assert_eq!(left_out, []);
    let mimes: Vec<_> = parts
        .iter()
        .map(|part| match part {
            Part::Image(media) => media.mime.as_str(),
            Part::Document(document) => document.media.mime.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(mimes, ["image/webp", "image/gif", "image/jpeg", "application/pdf", "image/png"]);
}

/// Which of these pictures are sent, by their sides.
fn sent(sides: impl Iterator<Item = u32>) -> String {
    let (parts, _) = fitted(sides.map(|side| image(&png(side, 10, 0))).collect());
    parts.iter().map(|part| if matches!(part, Part::Image(_)) { '+' } else { '-' }).collect()
}

#[test]
fn newest_of_many_pictures_are_kept_in_steps() {
    assert_eq!(sent((0..20).map(|_| 2_500)), "+".repeat(20));
    // With each new picture, the beginning of the request stays the same, except once in five.
    for (count, left_out) in [(21, 5), (22, 5), (25, 5), (26, 10), (40, 20)] {
        let expected = "-".repeat(left_out) + &"+".repeat(count - left_out);
        assert_eq!(sent((0..count).map(|_| 2_500)), expected, "{count}");
    }
    assert_eq!(sent((0..30).map(|_| 2_000)), "+".repeat(30), "small pictures may be many");
    let large_once = (0..30).map(|at| if at == 3 { 2_500 } else { 2_000 });
    assert_eq!(sent(large_once), format!("+++-{}", "+".repeat(26)));
    assert_eq!(sent((0..103).map(|_| 10)), "-".repeat(5) + &"+".repeat(98));
    assert_eq!(sent((0..300).map(|_| 10)), "-".repeat(200) + &"+".repeat(100));
}

/// The limits on pictures are none on documents.
#[test]
fn documents_before_many_pictures_are_kept() {
    let pdf = || {
        let media = media("application/pdf", b"%PDF-1.7");
        Part::Document(Document { name: "d".into(), media })
    };
    for (pictures, side, kept) in [(21, 2_500, 18), (103, 10, 100), (300, 10, 97)] {
        let parts = [pdf(), image(b"%PDF-1.7")].into_iter();
        let parts = parts.chain((0..pictures).map(|_| image(&png(side, 10, 0))));
        let (parts, left_out) = fitted(parts.collect());
        assert!(matches!(parts[..2], [Part::Document(_), Part::Document(_)]), "{pictures}");
        let sent = parts.iter().filter(|part| matches!(part, Part::Image(_))).count();
        assert_eq!((sent, left_out.len()), (kept, pictures - kept), "{pictures}");
    }
}

#[test]
fn newest_pieces_are_kept_within_the_size_of_a_request() {
    let large = image(&png(10, 10, 3_700_000));
    let (parts, left_out) = fitted(vec![large; 9]);
    assert_eq!(left_out.len(), 3, "6 of 4.9 MB in base64 are less than 30 MB");
    assert!(matches!(parts[2], Part::Text(_)) && matches!(parts[3], Part::Image(_)));
    assert!(left_out[0].why.contains("accepts at most 22,500,000 bytes"), "{left_out:?}");
}

#[test]
fn pictures_of_tools_are_checked_too() {
    let reply = ToolReply {
        call_id: "1".into(),
        name: "shot".into(),
        text: "done".into(),
        images: vec![
            media("image/png", b"text"),
            media("image/gif", &png(1, 1, 0)),
            media("image/png", b"%PDF-1.7"),
        ],
        failed: false,
        data: None,
    };
    let mut messages = [Message::ToolReply(reply)];
    let left_out = fit_media(&claude(), &mut messages);
    let [Message::ToolReply(reply)] = messages else { panic!() };
    assert_eq!(reply.images, [media("image/png", &png(1, 1, 0))]);
    let why =
        "[a.png, a picture, was left out: its content is not a PNG, JPEG, GIF or WebP picture]";
    assert_eq!(reply.text, format!("done\n{why}\n{why}"));
    assert_eq!(left_out.len(), 2);
    assert_ne!(left_out[0].id, left_out[1].id);
}
