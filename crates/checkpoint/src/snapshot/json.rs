//! The JSON form of paths, ids and bytes, for previews, scripts and the journal of restores.

use crate::snapshot::content_id::ContentId;
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes: a text if they are UTF-8, or else their hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Hex { hex: String },
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Hex { hex: hex(bytes) },
        }
    }

    fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Bytes::Text(text) => Some(text.into_bytes()),
            Bytes::Hex { hex } => from_hex(&hex),
        }
    }
}

/// Writes and reads bytes as a text where they are UTF-8.
pub(crate) mod bytes {
    use super::{Bytes, Deserialize, Deserializer, Error, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        Bytes::of(bytes).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let bytes = Bytes::deserialize(from)?.bytes();
        bytes.ok_or_else(|| D::Error::custom("not a hexadecimal number"))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| digit.try_into().ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    let pairs = digits.chunks_exact(2);
    Some(pairs.map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

#[derive(Serialize, Deserialize)]
struct Path {
    root: usize,
    path: Bytes,
}

impl Serialize for TreePath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Path { root: self.root(), path: Bytes::of(self.as_bytes()) }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for TreePath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Path { root, path } = Path::deserialize(from)?;
        let path = path.bytes().ok_or_else(|| D::Error::custom("not a hexadecimal number"))?;
        Ok(TreePath::new(root, path))
    }
}

impl Serialize for ContentId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let hash = from_hex(&String::deserialize(from)?).and_then(|hash| hash.try_into().ok());
        hash.map(ContentId::from_bytes).ok_or_else(|| D::Error::custom("not a SHA-256 hash"))
    }
}

impl Serialize for CheckpointId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CheckpointId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::path::TreePath;
    use crate::store::id::CheckpointId;

    #[test]
    fn paths_and_ids_survive_json_also_if_they_are_not_utf_8() {
        for (bytes, json) in [
            (b"src/\xc3\xa9".as_slice(), r#"{"root":1,"path":"src/é"}"#),
            (b"a\xff", r#"{"root":1,"path":{"hex":"61ff"}}"#),
        ] {
            let path = TreePath::new(1, bytes);
            assert_eq!(serde_json::to_string(&path).unwrap(), json);
            assert_eq!(serde_json::from_str::<TreePath>(json).unwrap(), path);
        }
        let (content, id) = (ContentId::of(b"x"), CheckpointId::from_number(123_456));
        let json = serde_json::to_string(&(content, id)).unwrap();
        assert_eq!(
            serde_json::from_str::<(ContentId, CheckpointId)>(&json).unwrap(),
            (content, id)
        );
        assert!(serde_json::from_str::<ContentId>("\"0g\"").is_err());
    }
}
