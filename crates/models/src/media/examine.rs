//! The check of one piece of media.

use super::content::{Content, bytes, pages_at_least, start};
use super::limits::MediaLimits;
use crate::message::Media;
use crate::model::Model;
use crate::text::{counted, grouped};

/// The kind of a piece of media, as its sender stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stated {
    Picture,
    /// A picture in the result of a tool, where no other media can be.
    ToolPicture,
    Sound,
    Document,
}

/// A piece that the provider accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Examined {
    pub(super) content: Content,
    /// The longer side of a picture in pixels, 0 if it is unknown; `None` for anything else.
    pub(super) side: Option<u32>,
    /// The size in base64.
    pub(super) size: usize,
}

/// The reason why a piece is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What the piece is.
    pub(super) piece: String,
    pub(super) why: String,
    pub(super) advice: &'static str,
}

const SMALLER: &str = "Attach a smaller copy.";
const OTHER_MODEL: &str = "Choose a model that accepts it, or attach the content as text.";
const AGAIN: &str = "Attach it again if the model needs it, after `/compact` or in a new session.";

impl Refusal {
    fn new(piece: impl Into<String>, why: impl Into<String>, advice: &'static str) -> Self {
        Self { piece: piece.into(), why: why.into(), advice }
    }

    /// There are newer pictures than the request may contain.
    pub(super) fn count(title: &str, limit: usize) -> Self {
        let limit = counted(limit as u64, "picture");
        Self::new("an older picture", format!("{title} accepts at most {limit}"), AGAIN)
    }

    /// There are many pictures, and one of them is large.
    pub(super) fn many(title: &str, limit: usize, side: u32) -> Self {
        let (limit, side) = (counted(limit as u64, "picture"), grouped(side));
        let why = format!(
            "{title} accepts at most {limit} if one of them has more than {side} pixels on a side"
        );
        Self::new("an older picture", why, AGAIN)
    }

    /// There are newer pieces that fill the request.
    pub(super) fn total(title: &str, limit: usize) -> Self {
        let limit = counted(in_bytes(limit), "byte");
        let why = format!("{title} accepts at most {limit} of attachments");
        Self::new("an older attachment", why, AGAIN)
    }
}

impl Stated {
    /// Returns the piece with its article.
    fn words(self) -> &'static str {
        match self {
            Self::Picture | Self::ToolPicture => "a picture",
            Self::Sound => "a sound",
            Self::Document => "a PDF document",
        }
    }

    fn not_recognized(self) -> &'static str {
        match self {
            Self::Picture | Self::ToolPicture => {
                "its content is not a PNG, JPEG, GIF or WebP picture"
            }
            Self::Sound => "its content is not audio in a known format",
            Self::Document => "its content is not a PDF document",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Picture | Self::ToolPicture => "Attach it as a PNG or JPEG picture.",
            Self::Sound => "Attach it as a WAV or MP3 file.",
            Self::Document => "Attach it as a PDF document.",
        }
    }
}

/// Returns whether the piece begins like a picture.
pub(super) fn is_picture(media: &Media) -> bool {
    let content = start(&media.base64).and_then(|start| Content::of(&start));
    matches!(content, Some(Content::Picture(_) | Content::Heic))
}

/// Checks one piece against everything that does not depend on the rest of the request.
pub(super) fn examine(
    model: &dyn Model,
    limits: &MediaLimits,
    media: &Media,
    stated: Stated,
) -> Result<Examined, Refusal> {
    let (base64, title) = (media.base64.as_str(), model.title());
    let refused = |why: &str| Err(Refusal::new(stated.words(), why, stated.advice()));
    if base64.is_empty() {
        return refused("it is empty");
    }
    let Some(start) = start(base64) else { return refused("its data is not valid base64") };
    let content = Content::of(&start).filter(|content| {
        stated != Stated::ToolPicture || matches!(content, Content::Picture(_) | Content::Heic)
    });
    let Some(content) = content else { return refused(stated.not_recognized()) };
    let (kind, accepted, most) = match content {
        Content::Picture(_) | Content::Heic => ("pictures", limits.pictures, limits.picture_size),
        Content::Sound(_) => ("sounds", limits.sounds, limits.total_size),
        Content::Pdf => ("PDF documents", &["application/pdf"][..], limits.total_size),
    };
    if !model.takes(&content.part(Media::empty(), None)) {
        return Err(Refusal::new(
            stated.words(),
            format!("{title} does not accept {kind}"),
            OTHER_MODEL,
        ));
    }
    if !accepted.contains(&content.mime()) {
        let why = format!("{title} does not accept this format");
        return Err(Refusal::new(content.words(), why, stated.advice()));
    }
    if base64.len() > most {
        let (length, most) = (counted(in_bytes(base64.len()), "byte"), grouped(in_bytes(most)));
        let why = format!("it has {length}, and {title} accepts at most {most}");
        return Err(Refusal::new(content.words(), why, SMALLER));
    }
    // The first bytes may lack the size of a JPEG picture.
    let Some(bytes) = bytes(base64) else { return refused("its data is not valid base64") };
    let content = Content::of(&bytes).unwrap_or(content);
    let side = match content {
        Content::Picture(picture) => Some(picture.checked(limits, title, stated.advice())?),
        Content::Heic => Some(0),
        Content::Sound(_) => None,
        Content::Pdf => pages_checked(&bytes, limits, title).map(|()| None)?,
    };
    Ok(Examined { content, side, size: base64.len() })
}

impl super::Picture {
    /// Returns the longer side, if the provider accepts the size.
    fn checked(
        &self,
        limits: &MediaLimits,
        title: &str,
        advice: &'static str,
    ) -> Result<u32, Refusal> {
        let Some((width, height)) = self.size else {
            return Err(Refusal::new(self.words(), "its header has no size", advice));
        };
        let side = width.max(height);
        let why = if side > limits.side {
            format!("{title} accepts at most {} pixels on a side", grouped(limits.side))
        } else if u64::from(width) * u64::from(height) > limits.pixels {
            format!("{title} accepts at most {} pixels", grouped(limits.pixels))
        } else {
            return Ok(side);
        };
        Err(Refusal::new(self.words(), why, SMALLER))
    }
}

fn pages_checked(pdf: &[u8], limits: &MediaLimits, title: &str) -> Result<(), Refusal> {
    let pages = pages_at_least(pdf);
    if pages <= limits.pages {
        return Ok(());
    }
    let (pages, most) = (counted(pages, "page"), grouped(limits.pages));
    Err(Refusal::new(
        "a PDF document",
        format!("it has {pages}, and {title} accepts at most {most}"),
        "Attach a document with only the pages that are needed.",
    ))
}

/// Returns the number of bytes in this many characters of base64.
fn in_bytes(base64: usize) -> u64 {
    base64 as u64 / 4 * 3
}
