//! The hash that names a content.

use std::fmt;

/// The SHA-256 hash of the bytes of a file. Equal contents have equal ids, in every store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId([u8; 32]);

impl ContentId {
    /// Returns the id of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Returns the id with this hash.
    pub const fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// Returns the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hashes bytes that arrive in parts.
pub(crate) struct Hasher(ring::digest::Context);

impl Default for Hasher {
    fn default() -> Self {
        Self(ring::digest::Context::new(&ring::digest::SHA256))
    }
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> ContentId {
        let digest = self.0.finish();
        let mut hash = [0; 32];
        // SHA-256 has 32 bytes, so every byte has its place.
        hash.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        ContentId(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::ContentId;

    #[test]
    fn the_id_is_the_published_sha_256() {
        let id = ContentId::of(b"abc").to_string();
        assert_eq!(id, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
