//! The header of a WebSocket frame (RFC 6455, section 5.2).

use std::io;

/// The longest payload of a control frame.
pub(super) const LONGEST_CONTROL: usize = 125;

pub(super) const CONTINUATION: u8 = 0;
pub(super) const TEXT: u8 = 1;
pub(super) const BINARY: u8 = 2;
pub(super) const CLOSE: u8 = 8;
pub(super) const PING: u8 = 9;
pub(super) const PONG: u8 = 10;

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Whether this is the last frame of its message.
    pub(super) is_final: bool,
    pub(super) opcode: u8,
    pub(super) length: u64,
    pub(super) mask: Option<[u8; 4]>,
}

impl Header {
    /// Reads the header at the start of `bytes`. Returns it with its own length, or `None` if it
    /// has not arrived completely.
    ///
    /// # Errors
    /// Returns an error if no extension is in use and the frame is still not allowed.
    pub(super) fn read(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        if first & 0x70 != 0 {
            return Err(broken("sent a compressed frame or one of an unknown extension"));
        }
        let (length, rest, length_bytes) = match second & 0x7f {
            126 => match rest.split_first_chunk::<2>() {
                Some((length, rest)) => (u64::from(u16::from_be_bytes(*length)), rest, 2),
                None => return Ok(None),
            },
            127 => match rest.split_first_chunk::<8>() {
                Some((length, rest)) => (u64::from_be_bytes(*length), rest, 8),
                None => return Ok(None),
            },
            short => (u64::from(short), rest, 0),
        };
        let mask = match (second & 0x80 != 0, rest.first_chunk::<4>()) {
            (false, _) => None,
            (true, Some(mask)) => Some(*mask),
            (true, None) => return Ok(None),
        };
        let (is_final, opcode) = (first & 0x80 != 0, first & 0x0f);
        if !matches!(opcode, CONTINUATION | TEXT | BINARY | CLOSE | PING | PONG) {
            return Err(broken("sent a frame of an unknown kind"));
        }
        if opcode >= CLOSE && (!is_final || length > LONGEST_CONTROL as u64) {
            return Err(broken("sent a control frame that is too long or divided"));
        }
        let header = Self { is_final, opcode, length, mask };
        Ok(Some((header, 2 + length_bytes + if mask.is_some() { 4 } else { 0 })))
    }

    /// Appends the header to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.opcode | if self.is_final { 0x80 } else { 0 });
        let masked = if self.mask.is_some() { 0x80 } else { 0 };
        match (u8::try_from(self.length), u16::try_from(self.length)) {
            (Ok(short @ 0..=125), _) => out.push(masked | short),
            (_, Ok(length)) => {
                out.push(masked | 126);
                out.extend_from_slice(&length.to_be_bytes());
            }
            _ => {
                out.push(masked | 127);
                out.extend_from_slice(&self.length.to_be_bytes());
            }
        }
        out.extend(self.mask.into_iter().flatten());
    }
}

/// Masks or unmasks bytes. `offset` is their position in the payload.
pub(super) fn apply_mask(bytes: &mut [u8], mask: [u8; 4], offset: u64) {
    let mut mask = mask;
    mask.rotate_left((offset % 4) as usize);
    let mut words = bytes.chunks_exact_mut(4);
    for word in &mut words {
        word.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
    words.into_remainder().iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
}

/// An error of the peer.
pub(super) fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the other side of the WebSocket {what}"))
}

#[cfg(test)]
mod tests {
    use super::{Header, PING, TEXT, apply_mask};

    #[test]
    fn a_header_is_read_as_it_was_written_and_only_when_it_is_whole() {
        for length in [0, 125, 126, 65_535, 65_536, u64::MAX >> 1] {
            for mask in [None, Some([1, 2, 3, 4])] {
                let header = Header { is_final: true, opcode: TEXT, length, mask };
                let mut bytes = Vec::new();
                header.write(&mut bytes);
                for end in 0..bytes.len() {
                    assert_eq!(Header::read(&bytes[..end]).unwrap(), None, "{end} bytes");
                }
                bytes.push(b'x');
                assert_eq!(Header::read(&bytes).unwrap(), Some((header, bytes.len() - 1)));
            }
        }
    }

    #[test]
    fn frames_that_are_not_allowed_are_refused() {
        let long_ping = Header { is_final: true, opcode: PING, length: 126, mask: None };
        let divided_ping = Header { is_final: false, opcode: PING, length: 1, mask: None };
        let unknown = Header { is_final: true, opcode: 3, length: 1, mask: None };
        for header in [long_ping, divided_ping, unknown] {
            let mut bytes = Vec::new();
            header.write(&mut bytes);
            assert!(Header::read(&bytes).is_err(), "{header:?}");
        }
        assert!(Header::read(&[0xc1, 0]).is_err(), "compressed");
    }

    #[test]
    fn a_payload_may_be_masked_in_parts() {
        let text: Vec<u8> = (0..50).collect();
        for cut in 0..text.len() {
            let (mut whole, mut parts) = (text.clone(), text.clone());
            apply_mask(&mut whole, [7, 77, 177, 250], 0);
            let (first, second) = parts.split_at_mut(cut);
            apply_mask(first, [7, 77, 177, 250], 0);
            apply_mask(second, [7, 77, 177, 250], cut as u64);
            assert_eq!(parts, whole);
        }
    }
}
