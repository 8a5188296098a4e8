//! Job objects, which hold all processes of a tree. The only unsafe code for process trees.

use std::io;
use std::mem::size_of;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Child;
use std::ptr;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{OpenThread, ResumeThread, THREAD_SUSPEND_RESUME};

/// The exit code of a killed program.
const KILLED: u32 = 1;

/// A job object. Its processes and their descendants cannot leave it, and the system ends them when
/// the last handle is closed, also if this process is killed. No other process has a handle.
#[derive(Debug)]
pub(crate) struct Job(OwnedHandle);

impl Job {
    /// Creates an empty job.
    pub(crate) fn new() -> io::Result<Job> {
        // SAFETY: null pointers mean default security and no name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        // SAFETY: the handle was just created and has no other owner.
        let job = Job(unsafe { owned(handle) }?);
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the job is open, and the class and the size are those of the structure.
        succeeded(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            )
        })?;
        Ok(job)
    }

    /// Puts a process into the job. It must be suspended since its start, so that it has no
    /// descendant outside of the job.
    pub(crate) fn take(&self, process: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        succeeded(unsafe {
            AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle())
        })
    }

    /// Ends all processes of the job. Returns at once; the processes end soon after.
    pub(crate) fn terminate(&self) {
        // SAFETY: the job is open. The call fails only if nothing is left to end.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
    }

    /// Returns whether no process of the job is left.
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the job is open, and the class and the size are those of the structure.
        succeeded(unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast(),
                size_of_val(&counts) as u32,
                ptr::null_mut(),
            )
        })?;
        Ok(counts.ActiveProcesses == 0)
    }
}

/// Lets a process run that was started suspended. Its threads are searched, because the standard
/// library does not keep the handle of the first one.
pub(crate) fn resume(process: &Child) -> io::Result<()> {
    // SAFETY: a call without pointers.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    // SAFETY: the handle was just created and has no other owner.
    let snapshot = unsafe { owned(snapshot) }?;
    let mut entry =
        THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..THREADENTRY32::default() };
    let mut resumed = false;
    // SAFETY: the snapshot is open, and the entry states its size.
    let mut found = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    while found {
        if entry.th32OwnerProcessID == process.id() {
            resume_thread(entry.th32ThreadID)?;
            resumed = true;
        }
        // SAFETY: as above.
        found = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    }
    match resumed {
        true => Ok(()),
        false => Err(io::Error::other("the new process has no thread")),
    }
}

fn resume_thread(id: u32) -> io::Result<()> {
    // SAFETY: a call without pointers. The thread belongs to a process that is suspended and whose
    // handle is open, so its number is not reused.
    let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, id) };
    // SAFETY: the handle was just opened and has no other owner.
    let thread = unsafe { owned(thread) }?;
    // SAFETY: the thread is open.
    match unsafe { ResumeThread(thread.as_raw_handle()) } {
        u32::MAX => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// # Safety
/// Nothing else may own the handle.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open, and the caller promises that nothing else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

fn succeeded(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
