//! The contents of files in the database.

use crate::format::compression::{Encoding, compress, decompress};
use crate::snapshot::content_id::ContentId;
use rusqlite::{Connection, OptionalExtension};

/// A content as it is stored.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) id: ContentId,
    size: usize,
    encoding: Encoding,
    data: Vec<u8>,
}

impl Packed {
    pub(crate) fn new(id: ContentId, bytes: Vec<u8>) -> Self {
        let size = bytes.len();
        match compress(&bytes) {
            Some(data) => Self { id, size, encoding: Encoding::Deflate, data },
            None => Self { id, size, encoding: Encoding::Plain, data: bytes },
        }
    }

    /// How many bytes it needs on the disk, about.
    pub(crate) fn cost(&self) -> u64 {
        self.data.len() as u64 + 120
    }
}

pub(crate) fn has(connection: &Connection, id: &ContentId) -> rusqlite::Result<bool> {
    let mut query = connection.prepare_cached("SELECT 1 FROM content WHERE hash = ?")?;
    query.exists([id.as_bytes().as_slice()])
}

pub(crate) fn put(connection: &Connection, content: &Packed) -> rusqlite::Result<()> {
    let insert = "INSERT OR IGNORE INTO content (hash, size, encoding, data) VALUES (?, ?, ?, ?)";
    let size = i64::try_from(content.size).unwrap_or(i64::MAX);
    let hash = content.id.as_bytes().as_slice();
    connection.prepare_cached(insert)?.execute((
        hash,
        size,
        content.encoding as i64,
        content.data.as_slice(),
    ))?;
    Ok(())
}

/// A content that was looked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Bytes(Vec<u8>),
    Missing,
    Damaged,
}

pub(crate) fn get(connection: &Connection, id: &ContentId) -> rusqlite::Result<Found> {
    let select = "SELECT size, encoding, data FROM content WHERE hash = ?";
    let mut query = connection.prepare_cached(select)?;
    let found = query
        .query_row([id.as_bytes().as_slice()], |row| {
            let (size, encoding): (i64, i64) = (row.get(0)?, row.get(1)?);
            let data = row.get_ref(2)?.as_blob().unwrap_or_default();
            let bytes = usize::try_from(size).ok().zip(Encoding::from_number(encoding));
            Ok(bytes.and_then(|(size, encoding)| decompress(data, encoding, size)))
        })
        .optional()?;
    Ok(match found {
        None => Found::Missing,
        Some(Some(bytes)) if ContentId::of(&bytes) == *id => Found::Bytes(bytes),
        Some(_) => Found::Damaged,
    })
}
