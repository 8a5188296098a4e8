//! Further attempts of a program inside a sandbox: calls that name other processes, and interfaces
//! to the kernel.

use super::number;
use std::ffi::CString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;

/// Makes an attempt. The argument is a process, a path or an address.
pub(crate) fn done(deed: &str, argument: &str) -> io::Result<()> {
    let process = || argument.parse::<libc::pid_t>().unwrap();
    match deed {
        "open" => OpenOptions::new().append(true).open(argument).map(drop),
        "look" => {
            OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(argument).map(drop)
        }
        "datagram" => datagram(argument),
        "set-user" => {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(argument, std::fs::Permissions::from_mode(0o4755))
        }
        "own" => own(),
        _ => call(deed, process()),
    }
}

/// Sends a message to an address, with a socket that was created as one of a pair.
fn datagram(path: &str) -> io::Result<()> {
    let mut pair = [0; 2];
    // SAFETY: the array has room for two descriptors; the address is a valid structure of the
    // stated size.
    unsafe {
        number(
            libc::socketpair(
                libc::AF_UNIX,
                libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
                0,
                pair.as_mut_ptr(),
            )
            .into(),
        )?;
        let mut address: libc::sockaddr_un = std::mem::zeroed();
        address.sun_family = libc::AF_UNIX as libc::sa_family_t;
        for (to, from) in
            address.sun_path.iter_mut().zip(CString::new(path).unwrap().as_bytes_with_nul())
        {
            *to = *from as libc::c_char;
        }
        let size = size_of_val(&address) as libc::socklen_t;
        let sent =
            libc::sendto(pair[0], c"!".as_ptr().cast(), 1, 0, (&raw const address).cast(), size);
        number(sent as i64)
    }
}

/// Changes that a program makes to itself and that must work.
fn own() -> io::Result<()> {
    // SAFETY: system calls on valid local structures that name the calling process.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        number(libc::getrlimit(libc::RLIMIT_CORE, &mut limit).into())?;
        limit.rlim_cur = 0;
        number(libc::setrlimit(libc::RLIMIT_CORE, &limit).into())?;
        number(libc::setpriority(libc::PRIO_PROCESS, 0, 1).into())?;
        let mut cpus: libc::cpu_set_t = std::mem::zeroed();
        number(libc::sched_getaffinity(0, size_of_val(&cpus), &mut cpus).into())?;
        number(libc::sched_setaffinity(0, size_of_val(&cpus), &cpus).into())?;
        number(libc::syscall(libc::SYS_ioprio_set, 1, 0, 3 << 13))?;
    }
    std::thread::spawn(|| ()).join().map_err(|_| io::Error::other("no thread"))?;
    let child = std::process::Command::new("sleep").arg("1000").spawn()?;
    let mut child = child;
    child.kill()?;
    child.wait().map(drop)
}

/// A system call that must fail.
fn call(deed: &str, pid: libc::pid_t) -> io::Result<()> {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: each call gets pointers that are null or to valid local structures, and a child that
    // a call creates ends at once.
    let result = unsafe {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let mut cpus: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut cpus);
        let normal = libc::sched_param { sched_priority: 0 };
        let mut byte = 0_u8;
        let local = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        // `struct sched_attr` and `struct clone_args` as arrays of words.
        let mut words = [0_u64; 11];
        match deed {
            "prlimit" => libc::prlimit(pid, libc::RLIMIT_CPU, &limit, std::ptr::null_mut()).into(),
            "prlimit-64" => {
                libc::syscall(libc::SYS_prlimit64, pid, libc::RLIMIT_NOFILE, &raw mut limit, none)
            }
            "affinity" => libc::sched_setaffinity(pid, size_of_val(&cpus), &cpus).into(),
            "parameter" => libc::sched_setparam(pid, &normal).into(),
            "scheduler" => libc::sched_setscheduler(pid, libc::SCHED_BATCH, &normal).into(),
            "attributes" => {
                words[0] = 48 | (libc::SCHED_BATCH as u64) << 32;
                libc::syscall(libc::SYS_sched_setattr, pid, words.as_ptr(), 0)
            }
            "priority" => libc::setpriority(libc::PRIO_PROCESS, pid as libc::id_t, 19).into(),
            "group-priority" => libc::setpriority(libc::PRIO_PGRP, pid as libc::id_t, 19).into(),
            "user-priority" => libc::setpriority(libc::PRIO_USER, 0, 19).into(),
            "io-priority" => libc::syscall(libc::SYS_ioprio_set, 1, pid, 3 << 13),
            "user-io-priority" => libc::syscall(libc::SYS_ioprio_set, 3, libc::getuid(), 3 << 13),
            "namespace" => began(libc::syscall(
                libc::SYS_clone,
                libc::CLONE_NEWUSER | libc::SIGCHLD,
                0,
                0,
                0,
                0,
            )),
            "mount-namespace" => {
                began(libc::syscall(libc::SYS_clone, libc::CLONE_NEWNS | libc::SIGCHLD, 0, 0, 0, 0))
            }
            "namespace-3" => {
                words[0] = libc::CLONE_NEWUSER as u64;
                words[4] = libc::SIGCHLD as u64;
                began(libc::syscall(libc::SYS_clone3, words.as_ptr(), size_of_val(&words)))
            }
            "unshare" => libc::unshare(libc::CLONE_NEWUSER).into(),
            "enter" => {
                let namespace = std::fs::File::open("/proc/self/ns/net");
                let descriptor = namespace.as_ref().map_or(-1, std::os::fd::AsRawFd::as_raw_fd);
                libc::setns(descriptor, 0).into()
            }
            "read-memory" => libc::process_vm_readv(pid, &local, 1, &local, 1, 0) as i64,
            "write-memory" => libc::process_vm_writev(pid, &local, 1, &local, 1, 0) as i64,
            "seize" => libc::ptrace(libc::PTRACE_SEIZE, pid, 0, 0),
            "descriptor" => taken(libc::syscall(libc::SYS_pidfd_open, pid, 0)),
            "stop" => sent(libc::syscall(libc::SYS_pidfd_open, pid, 0)),
            "queue" => {
                let mut information: libc::siginfo_t = std::mem::zeroed();
                information.si_code = -1;
                libc::syscall(libc::SYS_rt_sigqueueinfo, pid, libc::SIGUSR1, &raw const information)
            }
            "thread" => libc::syscall(libc::SYS_tgkill, pid, pid, libc::SIGUSR1),
            "same" => libc::syscall(libc::SYS_kcmp, pid, pid, 0, 0, 0),
            "pages" => libc::syscall(libc::SYS_migrate_pages, pid, 0, none, none),
            "advise" => libc::syscall(libc::SYS_process_madvise, -1, &raw const local, 1, 20, 0),
            "add-key" => libc::syscall(
                libc::SYS_add_key,
                c"user".as_ptr(),
                c"k".as_ptr(),
                c"v".as_ptr(),
                1,
                -3,
            ),
            "program" => libc::syscall(libc::SYS_bpf, 5, words.as_ptr(), size_of_val(&words)),
            "fault" => libc::syscall(libc::SYS_userfaultfd, 1),
            "counter" => libc::syscall(libc::SYS_perf_event_open, words.as_ptr(), pid, -1, -1, 0),
            "root" => libc::chroot(c"/".as_ptr()).into(),
            "clone-mount" => libc::syscall(libc::SYS_open_tree, -100, c"/".as_ptr(), 1),
            "handle" => libc::syscall(libc::SYS_open_by_handle_at, -100, none, 0),
            "shared-memory" => {
                libc::shmget(libc::IPC_PRIVATE, 4096, 0o600 | libc::IPC_CREAT).into()
            }
            "queue-of-messages" => libc::mq_open(c"/attache-test".as_ptr(), libc::O_RDONLY).into(),
            other => panic!("{other}"),
        }
    };
    number(result)
}

/// Ends this process at once if it is the child.
unsafe fn began(result: libc::c_long) -> i64 {
    if result == 0 {
        // SAFETY: the child ends without running anything else.
        unsafe { libc::_exit(0) };
    }
    result
}

/// Gets a descriptor of the process through its pidfd.
unsafe fn taken(process: libc::c_long) -> i64 {
    // SAFETY: a system call on numbers.
    unsafe { libc::syscall(libc::SYS_pidfd_getfd, process, 0, 0) }
}

/// Sends a signal to the process through its pidfd.
unsafe fn sent(process: libc::c_long) -> i64 {
    // SAFETY: a system call; the information about the signal may be null.
    unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            process,
            libc::SIGUSR1,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        )
    }
}
