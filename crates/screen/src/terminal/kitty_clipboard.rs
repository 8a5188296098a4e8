//! Images from the terminal, by the clipboard protocol of kitty.
//!
//! The reply arrives between the keys of the person, and the reader of events makes keys of it. A
//! reply can also arrive after the program stopped waiting. [`TerminalClipboard`] therefore takes
//! every reply out of the events, so that no part of it can act as a key.

use super::image_clipboard::{IMAGE_TYPES, checked};
use super::modes;
use crate::composer::IMAGE_LIMIT;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io::{self, Write as _};
use std::time::Duration;
use tokio::time::Instant;

/// The time until the reply begins. Some terminals ask the person first.
const BEGIN_TIME: Duration = Duration::from_secs(20);

/// The time between two messages of a reply.
const MESSAGE_TIME: Duration = Duration::from_secs(10);

/// The pause of a reply after which its rest is read.
const REST_TIME: Duration = Duration::from_millis(20);

/// The time after which a message without an end is over.
const QUIET: Duration = Duration::from_secs(2);

/// The time in which the key Esc can be the beginning of the next message. The reader of events
/// makes a key of the byte if the rest of the message comes later.
const SPLIT: Duration = Duration::from_millis(200);

/// The largest message, in bytes.
const MESSAGE_LIMIT: usize = 1 << 20;

/// The largest head of a message, in bytes.
const HEAD_LIMIT: usize = 1 << 10;

/// The beginning of a message after its Esc.
const OPENING: &[u8] = b"]5522;";

/// The requests for the clipboard of the terminal, and their replies.
#[derive(Debug)]
pub(crate) struct TerminalClipboard {
    /// The number of the last request. Without a request there are no replies.
    request: u32,
    /// The reply that the program waits for, so far.
    awaited: Option<Reply>,
    /// When the waiting ends.
    until: Instant,
    position: Position,
    /// When the last part of a message came.
    last: Instant,
}

/// What the clipboard makes of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The event does not belong to the clipboard.
    No,
    /// The event is a part of a reply.
    Part,
    /// The waiting ended.
    Ended(Result<Vec<u8>, String>),
}

/// The place of the next event in a reply.
#[derive(Debug)]
enum Position {
    /// Outside of a reply.
    Outside,
    /// Between two messages of a reply.
    Between,
    /// In the beginning of a message, after this number of bytes of [`OPENING`].
    Opening(usize),
    /// In a message.
    Message {
        bytes: Vec<u8>,
        /// Whether an Esc came without the byte after it.
        is_escaped: bool,
    },
}

/// A reply so far.
#[derive(Debug, Default)]
struct Reply {
    /// The type of the image, and its bytes.
    image: Option<(Vec<u8>, Vec<u8>)>,
}

impl TerminalClipboard {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { request: 0, awaited: None, until: now, position: Position::Outside, last: now }
    }

    /// Asks the terminal for an image.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be written.
    pub(crate) fn ask(&mut self) -> io::Result<()> {
        let text = self.request();
        modes::terminal()?.write_all(text.as_bytes())
    }

    /// Begins to wait, and returns the request. Its number tells its reply from a late reply to an
    /// earlier request.
    fn request(&mut self) -> String {
        self.request += 1;
        self.awaited = Some(Reply::default());
        self.until = Instant::now() + BEGIN_TIME;
        let types = STANDARD.encode(IMAGE_TYPES.join(" "));
        format!("\x1b]5522;type=read:id={};{types}\x1b\\", self.request)
    }

    /// Returns when the waiting for a reply ends; `None` if the program does not wait.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.awaited.is_some().then_some(self.until)
    }

    /// Returns when the rest of a reply should be read with [`input::read_rest`]; `None` if no
    /// reply arrives.
    ///
    /// [`input::read_rest`]: super::input::read_rest
    pub(crate) fn rest(&self) -> Option<Instant> {
        let is_arriving = !matches!(self.position, Position::Outside);
        let pause = Instant::now().saturating_duration_since(self.last);
        (is_arriving && pause < QUIET).then(|| Instant::now() + REST_TIME)
    }

    /// Stops waiting. The reply can still come, and is dropped.
    pub(crate) fn give_up(&mut self) {
        self.awaited = None;
    }

    /// Takes an event if it is a part of a reply, or a key that stops the waiting.
    pub(crate) fn take(&mut self, event: &Event) -> Taken {
        let Event::Key(key) = event else { return Taken::No };
        if self.request == 0 || key.kind == KeyEventKind::Release {
            return Taken::No;
        }
        let (now, before) = (Instant::now(), self.last);
        let quiet = now.saturating_duration_since(before);
        let position = std::mem::replace(&mut self.position, Position::Outside);
        self.last = now;
        match (position, byte(key)) {
            (Position::Message { .. }, _) if quiet > QUIET => self.outside(key),
            (Position::Between, Some((b'\x1b', false))) if quiet < SPLIT => {
                self.position = Position::Opening(0);
                Taken::Part
            }
            (Position::Opening(count), Some((byte, false)))
                if OPENING.get(count) == Some(&byte) =>
            {
                self.position = if count + 1 == OPENING.len() {
                    Position::Message { bytes: Vec::new(), is_escaped: false }
                } else {
                    Position::Opening(count + 1)
                };
                Taken::Part
            }
            (Position::Message { mut bytes, is_escaped }, Some((byte, is_alt))) => {
                match (byte, is_alt || is_escaped) {
                    (b']', true) => self.position = Position::Opening(1),
                    (b'\\', true) | (b'\x07', false) => return self.message(&bytes),
                    (b'\x1b', false) => {
                        self.position = Position::Message { bytes, is_escaped: true };
                    }
                    _ => {
                        // Without an image to come, the bytes are only dropped.
                        if self.awaited.is_some() && bytes.len() < MESSAGE_LIMIT {
                            bytes.push(byte);
                        }
                        self.position = Position::Message { bytes, is_escaped: false };
                    }
                }
                Taken::Part
            }
            _ => self.outside(key),
        }
    }

    /// Takes a key that does not continue a reply.
    fn outside(&mut self, key: &KeyEvent) -> Taken {
        let plain_escape = key.code == KeyCode::Esc && key.modifiers.is_empty();
        let control_c = key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
        if byte(key) == Some((b']', true)) {
            self.position = Position::Opening(1);
            return Taken::Part;
        }
        if (plain_escape || control_c) && self.awaited.take().is_some() {
            return Taken::Ended(Err("stopped waiting for the clipboard".to_owned()));
        }
        Taken::No
    }

    /// Takes a whole message.
    fn message(&mut self, message: &[u8]) -> Taken {
        self.position = Position::Between;
        let split = message.iter().position(|byte| *byte == b';');
        let (head, payload) = message.split_at(split.unwrap_or(message.len()));
        let head = String::from_utf8_lossy(head);
        let value = |name: &str| head.split(':').find_map(|it| it.strip_prefix(name));
        if value("id=").is_some_and(|id| id != self.request.to_string()) {
            return Taken::Part;
        }
        let Some(reply) = &mut self.awaited else { return Taken::Part };
        self.until = Instant::now() + MESSAGE_TIME;
        let kind = value("mime=").unwrap_or_default();
        let payload = payload.strip_prefix(b";").unwrap_or_default();
        let Some(result) = reply.add(value("status=").unwrap_or_default(), kind, payload) else {
            return Taken::Part;
        };
        self.awaited = None;
        Taken::Ended(result.and_then(checked))
    }
}

impl Reply {
    /// Adds a message. Returns the image when it is complete.
    fn add(&mut self, status: &str, kind: &str, payload: &[u8]) -> Option<Result<Vec<u8>, String>> {
        match status {
            "OK" => None,
            "DATA" => {
                let kind = kind.as_bytes().to_vec();
                let (known, image) = self.image.get_or_insert_with(|| (kind.clone(), Vec::new()));
                // The other types are the same image once more.
                if *known == kind {
                    // A message that is too long was cut.
                    let is_whole = payload.len() < MESSAGE_LIMIT - HEAD_LIMIT;
                    let Some(part) = STANDARD.decode(payload).ok().filter(|_| is_whole) else {
                        return Some(Err("the terminal sent a damaged image".to_owned()));
                    };
                    image.extend_from_slice(&part);
                }
                (image.len() as u64 > IMAGE_LIMIT).then(|| Ok(std::mem::take(image)))
            }
            "DONE" => Some(Ok(self.image.take().map(|(_, image)| image).unwrap_or_default())),
            "EPERM" => Some(Err("the terminal refused to send its clipboard".to_owned())),
            _ => Some(Err("the terminal cannot send its clipboard".to_owned())),
        }
    }
}

/// Returns the byte of a reply from which the reader of events made this key, and whether an Esc
/// was before it; `None` if no reply contains the key.
fn byte(key: &KeyEvent) -> Option<(u8, bool)> {
    let others = key.modifiers - KeyModifiers::SHIFT;
    match (key.code, others) {
        (KeyCode::Esc, KeyModifiers::NONE) => Some((b'\x1b', false)),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => Some((b'\x07', false)),
        (KeyCode::Char(character), KeyModifiers::NONE | KeyModifiers::ALT) => {
            let byte = u8::try_from(character).ok().filter(u8::is_ascii_graphic)?;
            Some((byte, others == KeyModifiers::ALT))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n1234";

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    /// The keys that the reader of events makes of a text. `is_split` says that it reads each Esc
    /// alone.
    fn keys(text: &str, is_split: bool) -> Vec<Event> {
        let mut keys = Vec::new();
        let mut modifiers = KeyModifiers::NONE;
        for character in text.chars() {
            match character {
                '\x1b' if is_split => keys.push(key(KeyCode::Esc, KeyModifiers::NONE)),
                '\x1b' => modifiers = KeyModifiers::ALT,
                '\x07' => keys.push(key(KeyCode::Char('g'), KeyModifiers::CONTROL)),
                _ => {
                    let shift = character.is_uppercase().then_some(KeyModifiers::SHIFT);
                    let all = modifiers | shift.unwrap_or(KeyModifiers::NONE);
                    keys.push(key(KeyCode::Char(character), all));
                    modifiers = KeyModifiers::NONE;
                }
            }
        }
        keys
    }

    fn message(text: &str) -> String {
        format!("\x1b]5522;type=read:{text}\x1b\\")
    }

    fn data(id: u32, kind: &str, part: &[u8]) -> String {
        let kind = STANDARD.encode(kind);
        message(&format!("status=DATA:id={id}:mime={kind};{}", STANDARD.encode(part)))
    }

    fn reply(id: u32) -> String {
        [
            message(&format!("status=OK:id={id}")),
            data(id, "image/png", &PNG[..5]),
            data(id, "image/png", &PNG[5..]),
            data(id, "image/jpeg", b"another"),
            format!("\x1b]5522;type=read:status=DONE:id={id}\x07"),
        ]
        .concat()
    }

    /// Returns what the clipboard makes of the keys, without the parts of replies.
    fn taken(clipboard: &mut TerminalClipboard, keys: &[Event]) -> Vec<Taken> {
        keys.iter().map(|key| clipboard.take(key)).filter(|it| *it != Taken::Part).collect()
    }

    fn asked() -> TerminalClipboard {
        let mut clipboard = TerminalClipboard::new();
        assert!(clipboard.request().contains("type=read:id=1;"));
        clipboard
    }

    #[test]
    fn an_image_comes_in_pieces_between_keys() {
        let mut clipboard = asked();
        let all = taken(&mut clipboard, &keys(&format!("a{}b", reply(1)), false));
        assert_eq!(all, [Taken::No, Taken::Ended(Ok(PNG.to_vec())), Taken::No]);
        assert_eq!(clipboard.until(), None);
        // The reader of events can make a key of each Esc but the first.
        let mut clipboard = asked();
        clipboard.take(&keys("\x1b]", false)[0]);
        let all = taken(&mut clipboard, &keys(&reply(1)[2..], true));
        assert_eq!(all, [Taken::Ended(Ok(PNG.to_vec()))]);
    }

    #[test]
    fn no_part_of_a_late_reply_is_a_key() {
        let stops =
            [key(KeyCode::Esc, KeyModifiers::NONE), key(KeyCode::Char('c'), KeyModifiers::CONTROL)];
        for stop in stops {
            let mut clipboard = asked();
            // The waiting ends before the reply, or inside of it.
            assert!(matches!(clipboard.take(&stop), Taken::Ended(Err(_))));
            assert_eq!(clipboard.take(&stop), Taken::No);
            assert!(taken(&mut clipboard, &keys(&reply(1), false)).is_empty());
            assert_eq!(taken(&mut clipboard, &keys("y1", false)), [Taken::No, Taken::No]);
            // A late reply is not the reply to the next request.
            clipboard.request();
            let all = taken(&mut clipboard, &keys(&(reply(1) + &reply(2)), false));
            assert_eq!(all, [Taken::Ended(Ok(PNG.to_vec()))]);
        }
        let mut clipboard = asked();
        let (begin, rest) = (keys(&reply(1)[..40], false), keys(&reply(1)[40..], false));
        assert!(taken(&mut clipboard, &begin).is_empty());
        clipboard.give_up();
        assert!(taken(&mut clipboard, &rest).is_empty());
    }

    #[test]
    fn an_error_ends_the_waiting_and_the_rest_is_dropped() {
        for (text, why) in [
            (message("status=EPERM"), "refused"),
            (message("status=ENOSYS"), "cannot send"),
            (message("status=DONE"), "no image"),
            (message("status=DATA;*"), "damaged"),
            (data(1, "image/png", &vec![0; MESSAGE_LIMIT]), "damaged"),
        ] {
            let mut clipboard = asked();
            let all = taken(&mut clipboard, &keys(&(text + &reply(1)), false));
            let [Taken::Ended(Err(error))] = &all[..] else { panic!("{why}: {all:?}") };
            assert!(error.contains(why), "{error}");
        }
        let part = STANDARD.encode([PNG, &[0; 500_000]].concat());
        let mut reply = Reply::default();
        let image = (0..22).find_map(|_| reply.add("DATA", "image/png", part.as_bytes()));
        let error = image.unwrap().and_then(checked).unwrap_err();
        assert!(error.contains("larger than 10 MiB"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn keys_of_the_person_come_through() {
        let mut clipboard = TerminalClipboard::new();
        assert_eq!(taken(&mut clipboard, &keys("\x1b]", false)), [Taken::No]);
        clipboard.request();
        // Alt-] of the person is no message.
        assert_eq!(taken(&mut clipboard, &keys("\x1b]y", false)), [Taken::No]);
        // A message without an end stops at a key that no message contains, and after some time.
        let enter = key(KeyCode::Enter, KeyModifiers::NONE);
        assert!(taken(&mut clipboard, &keys("\x1b]5522;abc", false)).is_empty());
        assert_eq!(clipboard.take(&enter), Taken::No);
        assert!(taken(&mut clipboard, &keys("\x1b]5522;abc", false)).is_empty());
        tokio::time::advance(QUIET * 2).await;
        assert_eq!(taken(&mut clipboard, &keys("y", false)), [Taken::No]);
        assert!(clipboard.until().is_some());
    }
}
