//! The choice of the media that a request may contain.

use super::examine::{Examined, Refusal, Stated, examine, is_picture};
use super::limits::MediaLimits;
use crate::message::{Media, Message, Part};
use crate::model::Model;
use crate::text::one_line;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// When a limit of the whole request is reached, how many of the oldest pieces are left out at a
/// time. If it were one at a time, every new picture would change the beginning of the request, and
/// the provider's cache could not be used.
const STEP: usize = 5;

/// The smallest limit to which [`STEP`] applies.
const LEAST_FOR_STEP: usize = 20;

/// A piece of media that is left out of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// A number that is the same for the same piece and reason, so that the user is told once.
    pub id: u64,
    /// The name of the file if it is known, and what the piece is.
    pub piece: String,
    /// The reason, without a full stop.
    pub why: String,
    /// What the user can do: a sentence.
    pub advice: &'static str,
}

/// What becomes of one piece of media.
type Verdict = Result<Examined, Refusal>;

/// Replaces media that the model's provider would refuse with a text that says why, and corrects
/// stated MIME types. The newest pieces are kept. Returns what was left out, the oldest first.
pub fn fit_media(model: &dyn Model, messages: &mut [Message]) -> Vec<LeftOut> {
    let limits = model.media_limits();
    let media: Vec<_> = messages.iter().flat_map(media_in).collect();
    if media.is_empty() {
        return Vec::new();
    }
    let mut verdicts = examined(model, &limits, &media);
    limit_request(&limits, model.title(), &mut verdicts);
    let left_out = media.iter().zip(&verdicts);
    let left_out = left_out.filter_map(|((media, _), verdict)| {
        verdict.as_ref().err().map(|refusal| left_out_of(media, refusal))
    });
    let left_out = left_out.collect();
    let mut verdicts = verdicts.into_iter();
    messages.iter_mut().for_each(|message| apply(message, &mut verdicts));
    left_out
}

/// Returns the media of a message, in order, with the kind that their sender stated.
fn media_in(message: &Message) -> Vec<(&Media, Stated)> {
    match message {
        Message::User(user) => user.parts.iter().filter_map(media_of).collect(),
        Message::ToolReply(reply) => {
            reply.images.iter().map(|image| (image, Stated::ToolPicture)).collect()
        }
        Message::Assistant(_) => Vec::new(),
    }
}

fn media_of(part: &Part) -> Option<(&Media, Stated)> {
    match part {
        Part::Text(_) => None,
        Part::Image(media) => Some((media, Stated::Picture)),
        Part::Audio(media) => Some((media, Stated::Sound)),
        Part::Document(document) => Some((&document.media, Stated::Document)),
    }
}

/// Examines the pieces, the newest first. Those that are beyond the limits of the request in any
/// case are not decoded.
fn examined(model: &dyn Model, limits: &MediaLimits, media: &[(&Media, Stated)]) -> Vec<Verdict> {
    let (mut pictures, mut size) = (0, 0);
    let mut verdicts: Vec<Verdict> = Vec::with_capacity(media.len());
    for (media, stated) in media.iter().rev() {
        let verdict = if pictures > limits.count && is_picture(media) {
            Err(Refusal::count(model.title(), limits.count))
        } else if size > limits.total_size {
            Err(Refusal::total(model.title(), limits.total_size))
        } else {
            examine(model, limits, media, *stated)
        };
        if let Ok(piece) = &verdict {
            pictures += usize::from(piece.side.is_some());
            size += piece.size;
        }
        verdicts.push(verdict);
    }
    verdicts.reverse();
    verdicts
}

/// Applies the limits of the whole request.
fn limit_request(limits: &MediaLimits, title: &str, verdicts: &mut [Verdict]) {
    let pictures = pictures(verdicts);
    if let Some((first, _)) = oldest_kept(&pictures, limits.count) {
        refuse_pictures_before(verdicts, stepped(first, limits.count), &|| {
            Refusal::count(title, limits.count)
        });
    }
    let pictures = self::pictures(verdicts);
    if let Some((first, newest)) = oldest_kept(&pictures, limits.many) {
        let is_large = |side: u32| side > limits.many_side;
        let why = || Refusal::many(title, limits.many, limits.many_side);
        if newest.iter().any(|(_, side)| is_large(*side)) {
            refuse_pictures_before(verdicts, stepped(first, limits.many), &why);
        } else {
            for (at, _) in pictures.iter().filter(|(_, side)| is_large(*side)) {
                if let Some(verdict) = verdicts.get_mut(*at) {
                    *verdict = Err(why());
                }
            }
        }
    }
    let mut size = 0;
    let fits = verdicts.iter().rev().take_while(|verdict| {
        size += verdict.as_ref().map_or(0, |piece| piece.size);
        size <= limits.total_size
    });
    let too_old = verdicts.len() - fits.count();
    for verdict in verdicts.iter_mut().take(too_old).filter(|verdict| verdict.is_ok()) {
        *verdict = Err(Refusal::total(title, limits.total_size));
    }
}

/// Refuses the pictures before this index. Other pieces do not count as pictures, so they stay.
fn refuse_pictures_before(verdicts: &mut [Verdict], before: usize, why: &dyn Fn() -> Refusal) {
    let is_picture =
        |verdict: &&mut Verdict| verdict.as_ref().is_ok_and(|piece| piece.side.is_some());
    for verdict in verdicts.iter_mut().take(before).filter(is_picture) {
        *verdict = Err(why());
    }
}

/// Returns the index and the longer side of each picture, the newest first.
fn pictures(verdicts: &[Verdict]) -> Vec<(usize, u32)> {
    let side = |(at, verdict): (usize, &Verdict)| Some((at, verdict.as_ref().ok()?.side?));
    verdicts.iter().enumerate().rev().filter_map(side).collect()
}

/// Returns the index of the oldest of the `limit` newest pictures, and these pictures, if there are
/// more.
fn oldest_kept(pictures: &[(usize, u32)], limit: usize) -> Option<(usize, &[(usize, u32)])> {
    let (newest, _) = pictures.split_at_checked(limit).filter(|(_, older)| !older.is_empty())?;
    newest.last().map(|(at, _)| (*at, newest))
}

/// Returns the index from which pieces are kept, if the limit demands that those before `first` are
/// left out.
fn stepped(first: usize, limit: usize) -> usize {
    if limit >= LEAST_FOR_STEP { first.next_multiple_of(STEP) } else { first }
}

fn left_out_of(media: &Media, refusal: &Refusal) -> LeftOut {
    let mut hasher = DefaultHasher::new();
    (&media.base64, &refusal.why).hash(&mut hasher);
    let Refusal { piece, why, advice } = refusal.clone();
    LeftOut { id: hasher.finish(), piece: named(media, &piece), why, advice }
}

/// Returns what the piece is, after its name.
fn named(media: &Media, what: &str) -> String {
    match &media.name {
        Some(name) => format!("{}, {what}", one_line(name, 200)),
        None => what.to_owned(),
    }
}

/// Corrects the media of a message, or replaces them with text.
fn apply(message: &mut Message, verdicts: &mut impl Iterator<Item = Verdict>) {
    match message {
        Message::User(user) => {
            for part in &mut user.parts {
                let name = match part {
                    Part::Document(document) => Some(document.name.clone()),
                    _ => None,
                };
                let Some(media) = take(part) else { continue };
                *part = match verdicts.next() {
                    Some(Ok(piece)) => piece.content.part(media, name),
                    Some(Err(refusal)) => Part::Text(in_brackets(&media, &refusal)),
                    None => continue,
                };
            }
        }
        Message::ToolReply(reply) => {
            for media in std::mem::take(&mut reply.images) {
                match verdicts.next() {
                    Some(Ok(piece)) => {
                        let mime = piece.content.mime().to_owned();
                        reply.images.push(Media { mime, ..media });
                    }
                    Some(Err(refusal)) => {
                        reply.text.push('\n');
                        reply.text.push_str(&in_brackets(&media, &refusal));
                    }
                    None => {}
                }
            }
        }
        Message::Assistant(_) => {}
    }
}

/// Takes the media out of a part.
fn take(part: &mut Part) -> Option<Media> {
    if matches!(part, Part::Text(_)) {
        return None;
    }
    match std::mem::replace(part, Part::Text(String::new())) {
        Part::Text(_) => None,
        Part::Image(media) | Part::Audio(media) => Some(media),
        Part::Document(document) => Some(document.media),
    }
}

fn in_brackets(media: &Media, refusal: &Refusal) -> String {
    let comma = if media.name.is_some() { "," } else { "" };
    format!("[{}{comma} was left out: {}]", named(media, &refusal.piece), refusal.why)
}

#[cfg(test)]
mod tests;
