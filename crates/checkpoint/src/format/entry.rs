//! Entries as bytes. The numbers of kinds and reasons are in stored files.

use crate::format::bytes::{Reader, put_bytes, put_number};
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::{Entry, NotKeptReason, SpecialKind};

const FILE: u8 = 1;
const LINK: u8 = 2;
const FOLDER: u8 = 3;
const SPECIAL: u8 = 4;
const FILE_NOT_KEPT: u8 = 5;
const FOLDER_NOT_KEPT: u8 = 6;
const UNKNOWN: u8 = 7;

pub(crate) fn put_entry(bytes: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::File { content, size, mode } => {
            bytes.push(FILE);
            bytes.extend_from_slice(content.as_bytes());
            put_number(bytes, *size);
            put_number(bytes, u64::from(*mode));
        }
        Entry::Link { target } => {
            bytes.push(LINK);
            put_bytes(bytes, target);
        }
        Entry::Folder { mode } => {
            bytes.push(FOLDER);
            put_number(bytes, u64::from(*mode));
        }
        Entry::Special { kind } => {
            bytes.push(SPECIAL);
            bytes.push(match kind {
                SpecialKind::Pipe => 0,
                SpecialKind::Socket => 1,
                SpecialKind::Device => 2,
            });
        }
        Entry::FileNotKept { why, content, size, mode } => {
            bytes.push(FILE_NOT_KEPT);
            bytes.push(reason_number(*why));
            bytes.push(u8::from(content.is_some()));
            if let Some(content) = content {
                bytes.extend_from_slice(content.as_bytes());
            }
            put_number(bytes, *size);
            put_number(bytes, u64::from(*mode));
        }
        Entry::FolderNotKept { why } => {
            bytes.push(FOLDER_NOT_KEPT);
            bytes.push(reason_number(*why));
        }
        Entry::Unknown { why } => {
            bytes.push(UNKNOWN);
            bytes.push(reason_number(*why));
        }
    }
}

pub(crate) fn read_entry(bytes: &mut Reader<'_>) -> Option<Entry> {
    let mode = |bytes: &mut Reader<'_>| u32::try_from(bytes.number()?).ok();
    Some(match bytes.byte()? {
        FILE => Entry::File {
            content: ContentId::from_bytes(bytes.array()?),
            size: bytes.number()?,
            mode: mode(bytes)?,
        },
        LINK => Entry::Link { target: bytes.bytes()?.to_vec() },
        FOLDER => Entry::Folder { mode: mode(bytes)? },
        SPECIAL => Entry::Special {
            kind: match bytes.byte()? {
                0 => SpecialKind::Pipe,
                1 => SpecialKind::Socket,
                2 => SpecialKind::Device,
                _ => return None,
            },
        },
        FILE_NOT_KEPT => Entry::FileNotKept {
            why: reason(bytes.byte()?)?,
            content: match bytes.byte()? {
                0 => None,
                _ => Some(ContentId::from_bytes(bytes.array()?)),
            },
            size: bytes.number()?,
            mode: mode(bytes)?,
        },
        FOLDER_NOT_KEPT => Entry::FolderNotKept { why: reason(bytes.byte()?)? },
        UNKNOWN => Entry::Unknown { why: reason(bytes.byte()?)? },
        _ => return None,
    })
}

pub(crate) fn reason_number(why: NotKeptReason) -> u8 {
    match why {
        NotKeptReason::Large => 1,
        NotKeptReason::Secret => 2,
        NotKeptReason::ChangedWhileRead => 3,
        NotKeptReason::ChangedAfterPrompt => 4,
        NotKeptReason::Special => 5,
        NotKeptReason::Unreadable => 6,
        NotKeptReason::Time => 7,
        NotKeptReason::DiskLimit => 8,
        NotKeptReason::OtherFileSystem => 9,
        NotKeptReason::TooMany => 10,
        NotKeptReason::Ignored => 11,
    }
}

pub(crate) fn reason(number: u8) -> Option<NotKeptReason> {
    NotKeptReason::ALL.into_iter().find(|why| reason_number(*why) == number)
}
