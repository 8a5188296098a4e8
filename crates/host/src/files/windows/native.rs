//! System calls on open folders and files. The only unsafe code of this layer.
//!
//! The documented functions of the Windows API take whole paths, which can change their meaning
//! while they are used. The functions of the kernel below them take an open folder and one name.

use std::fs::File;
use std::io;
use std::mem::{offset_of, size_of};
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _};
use std::ptr;

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DISPOSITION_INFORMATION, FILE_INFORMATION_CLASS, FILE_OPEN_FOR_BACKUP_INTENT,
    FILE_OPEN_REPARSE_POINT, FILE_RENAME_INFORMATION, FILE_SYNCHRONOUS_IO_NONALERT,
    FileDispositionInformation, FileRenameInformation, NtCreateFile, NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_NO_MORE_FILES, NTSTATUS, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_BASIC_INFO, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, FILE_TYPE, FileBasicInfo, FileFullDirectoryInfo, GetFileInformationByHandle,
    GetFileInformationByHandleEx, GetFileType, SYNCHRONIZE,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// How an entry is opened or created.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    /// Rights of Windows.
    pub(super) access: u32,
    /// `FILE_OPEN` or `FILE_CREATE`.
    pub(super) disposition: u32,
    /// `FILE_DIRECTORY_FILE`, `FILE_NON_DIRECTORY_FILE`, or 0 for both kinds.
    pub(super) kind: u32,
}

/// Opens or creates an entry of an open folder, a link itself too. The empty name is the folder.
pub(super) fn open_at(folder: &File, name: &[u16], how: How) -> io::Result<File> {
    let bytes = u16::try_from(size_of_val(name)).map_err(|_| io::ErrorKind::InvalidFilename)?;
    let name =
        UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: name.as_ptr().cast_mut() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: folder.as_raw_handle(),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: ptr::null(),
        SecurityQualityOfService: ptr::null(),
    };
    let (mut handle, mut status) = (ptr::null_mut(), IO_STATUS_BLOCK::default());
    // SAFETY: the folder is open, and every pointer leads to a local value that outlives the call.
    // The system only reads the name.
    let result = unsafe {
        NtCreateFile(
            &raw mut handle,
            how.access | SYNCHRONIZE,
            &raw const attributes,
            &raw mut status,
            ptr::null(),
            0,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            how.disposition,
            how.kind
                | FILE_OPEN_REPARSE_POINT
                | FILE_OPEN_FOR_BACKUP_INTENT
                | FILE_SYNCHRONOUS_IO_NONALERT,
            ptr::null(),
            0,
        )
    };
    succeeded(result)?;
    // SAFETY: the handle was just opened and has no other owner.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Renames an open entry to a name in an open folder.
pub(super) fn rename(entry: &File, folder: &File, to: &[u16], replace: bool) -> io::Result<()> {
    const NAME: usize = offset_of!(FILE_RENAME_INFORMATION, FileName);
    let bytes = NAME + size_of_val(to).max(size_of::<u16>());
    // Numbers of eight bytes, because the structure needs their alignment.
    let mut buffer = vec![0_u64; bytes.div_ceil(8).max(size_of::<FILE_RENAME_INFORMATION>() / 8)];
    let information = buffer.as_mut_ptr().cast::<FILE_RENAME_INFORMATION>();
    // SAFETY: the buffer is aligned, zeroed, and has room for the structure and the name after it.
    unsafe {
        (*information).Anonymous.ReplaceIfExists = replace;
        (*information).RootDirectory = folder.as_raw_handle();
        (*information).FileNameLength = size_of_val(to) as u32;
        let name = information.cast::<u8>().add(NAME).cast::<u16>();
        ptr::copy_nonoverlapping(to.as_ptr(), name, to.len());
    }
    // SAFETY: the entry and the folder are open, and the buffer is as long as its `u64`s.
    unsafe { set(entry, information.cast(), size_of_val(buffer.as_slice()), FileRenameInformation) }
}

/// Deletes an open entry when its last handle is closed.
pub(super) fn delete(entry: &File) -> io::Result<()> {
    let information = FILE_DISPOSITION_INFORMATION { DeleteFile: true };
    let (place, length) = ((&raw const information).cast(), size_of_val(&information));
    // SAFETY: the entry is open, and the place and the length are those of the structure.
    unsafe { set(entry, place, length, FileDispositionInformation) }
}

/// # Safety
/// The class must belong to a structure at the place, with this length.
unsafe fn set(
    entry: &File,
    place: *const std::ffi::c_void,
    length: usize,
    class: FILE_INFORMATION_CLASS,
) -> io::Result<()> {
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the entry is open, and the caller promises the rest.
    let result = unsafe {
        NtSetInformationFile(entry.as_raw_handle(), &raw mut status, place, length as u32, class)
    };
    succeeded(result)
}

/// Returns the numbers of the volume, the file and its links, and its times.
pub(super) fn information(
    file: &File,
) -> io::Result<(BY_HANDLE_FILE_INFORMATION, FILE_BASIC_INFO)> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    let mut times = FILE_BASIC_INFO::default();
    // SAFETY: the file is open, and the structure is a local value.
    checked(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) })?;
    // SAFETY: the file is open, and the class and the size are those of the structure.
    checked(unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            FileBasicInfo,
            (&raw mut times).cast(),
            size_of::<FILE_BASIC_INFO>() as u32,
        )
    })?;
    Ok((found, times))
}

/// Reads the next entries of an open folder as structures `FILE_FULL_DIR_INFO`. Returns whether
/// there were any.
pub(super) fn next_entries(folder: &File, buffer: &mut [u64]) -> io::Result<bool> {
    // SAFETY: the folder is open, and the place and the length are those of the buffer.
    let read = checked(unsafe {
        GetFileInformationByHandleEx(
            folder.as_raw_handle(),
            FileFullDirectoryInfo,
            buffer.as_mut_ptr().cast(),
            size_of_val(buffer) as u32,
        )
    });
    match read {
        Err(error) if error.raw_os_error() == Some(ERROR_NO_MORE_FILES as i32) => Ok(false),
        read => read.map(|()| true),
    }
}

/// Returns whether a handle is that of a file on a disk, a pipe, or something else.
pub(super) fn type_of(file: &File) -> FILE_TYPE {
    // SAFETY: the file is open.
    unsafe { GetFileType(file.as_raw_handle()) }
}

fn succeeded(status: NTSTATUS) -> io::Result<()> {
    if status >= 0 {
        return Ok(());
    }
    // SAFETY: a call that only takes and returns a number.
    Err(io::Error::from_raw_os_error(unsafe { RtlNtStatusToDosError(status) } as i32))
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
