//! The direct children of the calling process, from `/proc`. The guardian calls this in a forked
//! process, where only async-signal-safe calls are allowed, so nothing here allocates.

use std::ffi::CStr;

use libc::pid_t;

/// Calls `act` with each direct child of the calling process, including children that have ended
/// and were not waited for. It can miss a child that appears or ends meanwhile, so it must be
/// called repeatedly. Without `/proc` it finds nothing.
///
/// The process must have one thread, because the kernel lists children per thread.
pub(crate) fn for_each(act: fn(pid_t)) {
    if !listed(act) {
        scanned(act);
    }
}

/// Uses the kernel's own list of children. Returns whether the kernel has this list, which is a
/// build option.
fn listed(mut act: impl FnMut(pid_t)) -> bool {
    let Some(file) = File::open(c"/proc/thread-self/children") else { return false };
    let mut number = Number::default();
    let mut buffer = [0_u8; 1024];
    loop {
        let bytes = file.read(&mut buffer);
        if bytes.is_empty() {
            break;
        }
        for byte in bytes {
            if let Some(pid) = number.push(*byte) {
                act(pid);
            }
        }
    }
    if let Some(pid) = number.push(b' ') {
        act(pid);
    }
    true
}

/// Reads every process's `stat` file, and selects those whose parent is this process.
fn scanned(mut act: impl FnMut(pid_t)) {
    let Some(folder) = File::open(c"/proc") else { return };
    // SAFETY: a system call without arguments.
    let own = unsafe { libc::getpid() };
    let mut buffer = [0_u8; 4096];
    loop {
        let mut entries = folder.entries(&mut buffer);
        if entries.is_empty() {
            return;
        }
        // An entry: inode (8 bytes), offset (8), length of the entry (2), type (1), name, zero
        // byte.
        while let Some(&[low, high]) = entries.get(16..18) {
            let length = usize::from(u16::from_ne_bytes([low, high]));
            let name =
                entries.get(19..length).and_then(|name| CStr::from_bytes_until_nul(name).ok());
            if let Some(pid) = name.and_then(|name| process_id(name.to_bytes()))
                && parent_of(pid) == Some(own)
            {
                act(pid);
            }
            entries = entries.get(length.max(1)..).unwrap_or_default();
        }
    }
}

/// Returns the parent of a process from its `stat` file: `pid (name) state parent …`. The name may
/// contain any byte.
fn parent_of(pid: pid_t) -> Option<pid_t> {
    let mut path = [0_u8; 32];
    let mut length = 0_usize;
    let mut append = |bytes: &[u8]| -> Option<()> {
        path.get_mut(length..length.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        length += bytes.len();
        Some(())
    };
    let mut digits = [0_u8; 12];
    append(b"/proc/")?;
    append(decimal(pid, &mut digits))?;
    append(b"/stat\0")?;
    let file = File::open(CStr::from_bytes_until_nul(&path).ok()?)?;
    let mut buffer = [0_u8; 512];
    let stat = file.read(&mut buffer);
    let after_name = stat.iter().rposition(|byte| *byte == b')')?;
    let parent = stat.get(after_name..)?.split(|byte| *byte == b' ').nth(2)?;
    process_id(parent)
}

/// A parser for process ids, digit by digit.
#[derive(Default)]
struct Number(Option<pid_t>);

impl Number {
    /// Takes one byte. Returns the number that ends before this byte, if any.
    fn push(&mut self, byte: u8) -> Option<pid_t> {
        if byte.is_ascii_digit() {
            let digit = pid_t::from(byte.wrapping_sub(b'0'));
            self.0 = Some(self.0.unwrap_or(0).wrapping_mul(10).wrapping_add(digit));
            return None;
        }
        self.0.take()
    }
}

/// Returns the process id that the bytes spell, or `None` if they contain anything else.
fn process_id(bytes: &[u8]) -> Option<pid_t> {
    let mut number = Number::default();
    for byte in bytes {
        if !byte.is_ascii_digit() {
            return None;
        }
        number.push(*byte);
    }
    number.push(b' ')
}

/// Writes the digits of a process id to the end of `place`.
fn decimal(pid: pid_t, place: &mut [u8; 12]) -> &[u8] {
    let mut rest = pid.unsigned_abs();
    let mut start = place.len();
    for (at, digit) in place.iter_mut().enumerate().rev() {
        *digit = b'0'.wrapping_add((rest % 10) as u8);
        rest /= 10;
        start = at;
        if rest == 0 {
            break;
        }
    }
    place.get(start..).unwrap_or_default()
}

/// A file or folder opened with a plain system call, closed on drop.
struct File(libc::c_int);

impl File {
    fn open(path: &CStr) -> Option<File> {
        // SAFETY: the path is a NUL-terminated string.
        let descriptor = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        (descriptor >= 0).then_some(File(descriptor))
    }

    /// Returns the next bytes. The slice is empty at the end and after an error.
    fn read<'a>(&self, buffer: &'a mut [u8]) -> &'a [u8] {
        // SAFETY: the buffer is valid for its length.
        let count = unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(count).ok().and_then(|count| buffer.get(..count)).unwrap_or_default()
    }

    /// Returns the next raw folder entries. The slice is empty at the end and after an error.
    fn entries<'a>(&self, buffer: &'a mut [u8]) -> &'a [u8] {
        // SAFETY: the buffer is valid for its length.
        let count = unsafe {
            libc::syscall(libc::SYS_getdents64, self.0, buffer.as_mut_ptr(), buffer.len())
        };
        usize::try_from(count).ok().and_then(|count| buffer.get(..count)).unwrap_or_default()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: this value owns the descriptor, which is closed only here.
        unsafe { libc::close(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::{decimal, listed, process_id, scanned};

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn both_ways_find_every_child_even_unwaited_ones() {
        let mut children: Vec<Child> = (0..3).map(|_| sleeper()).collect();
        let ids: Vec<i32> = children.iter().map(|child| child.id() as i32).collect();
        children[0].kill().unwrap();

        let mut from_list = Vec::new();
        assert!(listed(|pid| from_list.push(pid)), "this kernel lists children");
        let mut from_scan = Vec::new();
        scanned(|pid| from_scan.push(pid));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        for id in ids {
            assert!(from_list.contains(&id), "{id} in {from_list:?}");
            assert!(from_scan.contains(&id), "{id} in {from_scan:?}");
        }
    }

    #[test]
    fn process_ids_are_read_and_written_in_decimal() {
        let mut place = [0; 12];
        assert_eq!(decimal(4_194_304, &mut place), b"4194304");
        assert_eq!(decimal(7, &mut place), b"7");
        assert_eq!(process_id(b"4194304"), Some(4_194_304));
        assert_eq!(process_id(b"self"), None);
        assert_eq!(process_id(b""), None);
    }
}
