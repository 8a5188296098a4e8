//! Random secrets, and the hashes that are stored of them.

use attache_protocol::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;
use std::fmt::Write as _;
use std::io;
use subtle::ConstantTimeEq as _;

/// Makes a secret of 256 random bits: letters, digits, `-` and `_`.
///
/// # Errors
/// Returns an error if the system has no random bytes.
pub(super) fn random_secret() -> io::Result<Secret> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<32>()?).into())
}

/// Makes a secret of 128 random bits, which is shorter to show as a QR code.
///
/// # Errors
/// Returns an error if the system has no random bytes.
pub(super) fn random_code() -> io::Result<Secret> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<16>()?).into())
}

/// Whether a text can be a secret of 256 random bits.
pub(super) fn is_secret(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

/// The SHA-256 of a secret. The secrets are random, so that their hashes need no salt.
#[derive(Clone, Copy)]
pub(super) struct SecretHash([u8; 32]);

impl SecretHash {
    /// Returns the hash of a secret, or of a text that is claimed to be one.
    pub(super) fn of(text: &str) -> Self {
        let mut hash = [0; 32];
        for (byte, found) in hash.iter_mut().zip(digest(&SHA256, text.as_bytes()).as_ref()) {
            *byte = *found;
        }
        Self(hash)
    }

    /// Whether this is the hash of the secret. Takes the same time for every text of a length.
    pub(super) fn is_of(&self, text: &str) -> bool {
        self.0.ct_eq(&Self::of(text).0).into()
    }

    /// Reads the hexadecimal form.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut hash = [0; 32];
        for (index, byte) in hash.iter_mut().enumerate() {
            let digits = text.get(2 * index..2 * index + 2)?;
            // `from_str_radix` would also take a sign.
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            *byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        }
        Some(Self(hash))
    }

    /// Returns the hexadecimal form.
    pub(super) fn to_hex(self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

/// Returns a random id of 64 bits in hexadecimal digits.
pub(super) fn random_id() -> io::Result<String> {
    Ok(format!("{:016x}", u64::from_be_bytes(random_bytes()?)))
}

fn random_bytes<const COUNT: usize>() -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(_) => Err(io::Error::other("the system has no random bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_survives_its_hexadecimal_form() {
        let secret = random_secret().unwrap();
        let hash = SecretHash::from_hex(&SecretHash::of(secret.expose()).to_hex()).unwrap();
        assert!(hash.is_of(secret.expose()));
        assert!(!hash.is_of(&secret.expose()[1..]));
        assert!(SecretHash::from_hex("é").is_none());
        assert!(SecretHash::from_hex(&"+1".repeat(32)).is_none());
    }

    #[test]
    fn secrets_are_long_and_fit_into_a_header() {
        let secret = random_secret().unwrap();
        assert_eq!(secret.expose().len(), 43);
        let code = random_code().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(code.expose()).unwrap().len(), 16);
        let is_token = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(secret.expose().chars().all(is_token));
        assert!(is_secret(secret.expose()) && !is_secret("short") && !is_secret(code.expose()));
    }
}
