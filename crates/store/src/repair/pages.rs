//! Reads the pages of a SQLite file without SQLite, to find everything that is intact, whatever
//! else is damaged.
//!
//! The layout is described at <https://www.sqlite.org/fileformat2.html>. Every number in the file
//! is checked, because any byte may be damaged.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The size of this program's pages, unless the header says otherwise.
const PAGE: usize = 4096;

/// The sizes of the headers of the write-ahead log and of a frame, in bytes.
const WAL_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

/// The largest row that is read, in bytes. SQLite's own limit is 1,000,000,000.
const ROW: usize = 1 << 30;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Text(String),
    /// A number with a fraction, a blob, or a text that is not UTF-8. This program writes none of
    /// these.
    Other,
}

/// A row of a table, with its number, or an entry of an index.
pub(super) enum Found {
    Row(i64, Vec<Value>),
    Entry(Vec<Value>),
}

/// The file and its write-ahead log.
pub(super) struct Pages {
    file: File,
    wal: Option<File>,
    /// The offset of the newest committed copy of a page in the write-ahead log.
    newer: HashMap<u64, u64>,
    size: usize,
    count: u64,
}

impl Pages {
    pub(super) fn open(file: &Path, wal: &Path) -> io::Result<Self> {
        let mut file = File::open(file)?;
        let length = file.metadata()?.len();
        let mut header = [0; 18];
        let whole = file.read_exact(&mut header).is_ok() && header.starts_with(MAGIC);
        let said = match whole {
            true => usize::from(u16::from_be_bytes([header[16], header[17]])),
            false => PAGE,
        };
        let size = match said {
            1 => 65_536,
            said if said.is_power_of_two() && said >= 512 => said,
            _ => PAGE,
        };
        let mut pages =
            Self { file, wal: None, newer: HashMap::new(), size, count: length / size as u64 };
        if let Ok(wal) = File::open(wal) {
            // A write-ahead log that cannot be read is ignored.
            let _ = pages.read_wal(wal);
        }
        Ok(pages)
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Finds the pages that are committed in the write-ahead log: the frames of its last generation
    /// up to the last commit.
    fn read_wal(&mut self, mut wal: File) -> io::Result<()> {
        let mut header = [0; WAL_HEADER as usize];
        wal.read_exact(&mut header)?;
        let salts = header.get(16..24).unwrap_or_default().to_vec();
        let frame = FRAME_HEADER + self.size as u64;
        let length = wal.metadata()?.len();
        let mut transaction = Vec::new();
        let mut at = WAL_HEADER;
        while at + frame <= length {
            let mut header = [0; FRAME_HEADER as usize];
            wal.seek(SeekFrom::Start(at))?;
            wal.read_exact(&mut header)?;
            if header.get(8..16) != Some(salts.as_slice()) {
                break;
            }
            let number = |at: usize| word(&header, at).map(u64::from).unwrap_or_default();
            transaction.push((number(0), at + FRAME_HEADER));
            let pages = number(4);
            if pages > 0 {
                self.newer.extend(transaction.drain(..));
                self.count = self.count.max(pages);
            }
            at += frame;
        }
        self.wal = Some(wal);
        Ok(())
    }

    /// The page with this number, counted from 1.
    fn page(&mut self, number: u64) -> Option<Vec<u8>> {
        let mut page = vec![0; self.size];
        let (file, at) = match (self.newer.get(&number), &mut self.wal) {
            (Some(at), Some(wal)) => (wal, *at),
            _ => (&mut self.file, number.checked_sub(1)?.checked_mul(self.size as u64)?),
        };
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut page).ok()?;
        Some(page)
    }

    /// Everything that is intact on a page, in the order of its cells.
    pub(super) fn found(&mut self, number: u64) -> Vec<Found> {
        let Some(page) = self.page(number) else { return Vec::new() };
        let start = if number == 1 { 100 } else { 0 };
        let (header, child, is_row) = match page.get(start) {
            Some(0x0D) => (8, 0, true),
            Some(0x0A) => (8, 0, false),
            // Inner pages of an index contain entries too, and each entry is stored only once.
            Some(0x02) => (12, 4, false),
            _ => return Vec::new(),
        };
        let cells = half(&page, start + 3).unwrap_or_default();
        let pointers =
            (0..usize::from(cells)).filter_map(|cell| half(&page, start + header + 2 * cell));
        let pointers: Vec<usize> = pointers.map(usize::from).collect();
        pointers.into_iter().filter_map(|at| self.cell(&page, at + child, is_row)).collect()
    }

    fn cell(&mut self, page: &[u8], at: usize, is_row: bool) -> Option<Found> {
        let mut cell = page.get(at..)?;
        let length = usize::try_from(varint(&mut cell)?).ok().filter(|length| *length <= ROW)?;
        let number = if is_row { varint(&mut cell)? } else { 0 };
        let payload = self.payload(cell, length, is_row)?;
        let values = values(&payload)?;
        Some(if is_row { Found::Row(number, values) } else { Found::Entry(values) })
    }

    /// The payload of a cell, with the part that is stored on overflow pages.
    fn payload(&mut self, cell: &[u8], length: usize, is_row: bool) -> Option<Vec<u8>> {
        let usable = self.size;
        let most = if is_row { usable - 35 } else { (usable - 12) * 64 / 255 - 23 };
        if length <= most {
            return cell.get(..length).map(<[u8]>::to_vec);
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let fitting = least + (length - least) % (usable - 4);
        let here = if fitting <= most { fitting } else { least };
        let mut payload = cell.get(..here)?.to_vec();
        let mut next = word(cell, here)?;
        while payload.len() < length {
            // A circular chain ends once the whole length is read.
            let page = self.page(u64::from(next)).filter(|_| next > 0)?;
            let rest = (length - payload.len()).min(usable - 4);
            payload.extend_from_slice(page.get(4..4 + rest)?);
            next = word(&page, 0)?;
        }
        Some(payload)
    }
}

/// The values of a record.
fn values(record: &[u8]) -> Option<Vec<Value>> {
    let mut rest = record;
    let header = usize::try_from(varint(&mut rest)?).ok()?;
    let consumed = record.len() - rest.len();
    let mut types = record.get(consumed..header)?;
    let mut body = record.get(header..)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let (length, kind) = match varint(&mut types)? {
            0 => (0, Kind::Null),
            number @ 1..=4 => (usize::try_from(number).ok()?, Kind::Integer),
            5 => (6, Kind::Integer),
            6 => (8, Kind::Integer),
            7 => (8, Kind::Other),
            8 => (0, Kind::Zero),
            9 => (0, Kind::One),
            number if number >= 13 && number % 2 == 1 => {
                (usize::try_from((number - 13) / 2).ok()?, Kind::Text)
            }
            number if number >= 12 => (usize::try_from((number - 12) / 2).ok()?, Kind::Other),
            _ => return None,
        };
        let (value, behind) = body.split_at_checked(length)?;
        body = behind;
        values.push(kind.read(value));
    }
    Some(values)
}

enum Kind {
    Null,
    Zero,
    One,
    Integer,
    Text,
    Other,
}

impl Kind {
    fn read(&self, bytes: &[u8]) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Zero => Value::Integer(0),
            Self::One => Value::Integer(1),
            Self::Integer => {
                let first = bytes.first().map_or(0, |first| i64::from(first.cast_signed()));
                let rest = bytes.iter().skip(1);
                Value::Integer(rest.fold(first, |number, byte| number << 8 | i64::from(*byte)))
            }
            Self::Text => match std::str::from_utf8(bytes) {
                Ok(text) => Value::Text(text.to_owned()),
                Err(_) => Value::Other,
            },
            Self::Other => Value::Other,
        }
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Reads a number of one to nine bytes.
fn varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0_u64;
    for index in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if index == 8 {
            return Some((number << 8 | u64::from(*byte)).cast_signed());
        }
        number = number << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number.cast_signed())
}
