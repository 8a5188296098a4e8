//! The arguments of `exec`, made before the forks, because nothing may be allocated after them.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString, c_char, c_int};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use std::{env, ptr};

#[cfg(target_os = "linux")]
use crate::guardian::confinement::Confinement;

use crate::launch::Launch;
use crate::sandbox::placeholders;

/// What `exec` needs: the candidate paths of the program, its arguments, its environment, the
/// descriptors that it inherits, and its restrictions.
pub(crate) struct Image {
    candidates: Vec<CString>,
    arguments: Strings,
    environment: Strings,
    /// Whether descriptor 0 is a pseudo terminal that becomes the program's own.
    pub(crate) in_terminal: bool,
    /// Descriptors that the program inherits. The launch keeps them open, and it outlives the
    /// start.
    kept: Vec<RawFd>,
    /// Folders that the guardian removes at the end.
    placeholders: Arc<Vec<CString>>,
    #[cfg(target_os = "linux")]
    confinement: Option<Arc<Confinement>>,
}

impl Image {
    /// Fails with `InvalidInput` if a string contains a zero byte or a variable's name is invalid.
    pub(crate) fn new(launch: &Launch) -> io::Result<Image> {
        let arguments =
            std::iter::once(launch.program()).chain(launch.arguments()).map(OsString::from);
        let candidates = launch.candidates().into_iter().map(|file| terminated(file.into()));
        Ok(Image {
            candidates: candidates.collect::<io::Result<_>>()?,
            arguments: Strings::new(arguments)?,
            environment: Strings::new(environment(launch)?)?,
            in_terminal: launch.in_terminal,
            kept: launch.inherited.kept().iter().map(|descriptor| descriptor.as_raw_fd()).collect(),
            placeholders: launch.inherited.placeholders().folders(),
            #[cfg(target_os = "linux")]
            confinement: launch.inherited.confinement(),
        })
    }

    /// Removes the placeholder folders.
    ///
    /// Async-signal-safe.
    pub(crate) fn remove_placeholders(&self) {
        placeholders::remove(&self.placeholders);
    }

    /// Becomes the program, or returns the error number. Candidates are tried in order. The error
    /// for a candidate that may not be executed is returned only if no other candidate works.
    ///
    /// Async-signal-safe.
    pub(crate) fn exec(&self) -> c_int {
        for descriptor in &self.kept {
            // SAFETY: a system call on an open descriptor that only clears its close-on-exec flag.
            unsafe { libc::fcntl(*descriptor, libc::F_SETFD, 0) };
        }
        #[cfg(target_os = "linux")]
        if let Some(confinement) = &self.confinement {
            match confinement.put_on() {
                0 => {}
                failed => return failed,
            }
        }
        let mut failed = libc::ENOENT;
        for file in &self.candidates {
            // SAFETY: the file is a NUL-terminated string, and both lists end in a null pointer and
            // point to strings owned here.
            unsafe {
                libc::execve(file.as_ptr(), self.arguments.pointers(), self.environment.pointers())
            };
            match io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL) {
                libc::ENOENT | libc::ENOTDIR => {}
                libc::EACCES => failed = libc::EACCES,
                other => return other,
            }
        }
        failed
    }
}

/// The program's environment as `NAME=value`.
fn environment(launch: &Launch) -> io::Result<Vec<OsString>> {
    let mut variables: BTreeMap<OsString, OsString> =
        if launch.inherits_environment() { env::vars_os().collect() } else { BTreeMap::new() };
    for (name, value) in launch.environment() {
        let bytes = name.as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&b'=') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a variable's name is empty or has a \"=\"",
            ));
        }
        match value {
            Some(value) => variables.insert(name.clone(), value.clone()),
            None => variables.remove(name),
        };
    }
    let joined = variables.into_iter().map(|(mut entry, value)| {
        entry.push("=");
        entry.push(value);
        entry
    });
    Ok(joined.collect())
}

fn terminated(text: OsString) -> io::Result<CString> {
    CString::new(text.into_vec())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a word or path has a zero byte"))
}

/// NUL-terminated strings, and the list of pointers to them for `exec`.
struct Strings {
    _owned: Vec<CString>,
    /// Pointers into `_owned`, and a null pointer at the end.
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers lead to heap memory owned by the same value and never written.
unsafe impl Send for Strings {}
// SAFETY: as above.
unsafe impl Sync for Strings {}

impl Strings {
    fn new(texts: impl IntoIterator<Item = OsString>) -> io::Result<Strings> {
        let owned = texts.into_iter().map(terminated).collect::<io::Result<Vec<_>>>()?;
        let pointers = owned.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Ok(Strings { _owned: owned, pointers })
    }

    fn pointers(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}
