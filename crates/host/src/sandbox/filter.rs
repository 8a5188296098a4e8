//! The system call filter: calls that no command needs, and calls that would bypass the other
//! restrictions.

mod others;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};
use std::collections::BTreeMap;
use std::io;

/// The calls that are refused with any arguments.
const REFUSED: &[c_long] = &[
    // Calls on other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Access to files by number instead of by path.
    libc::SYS_open_by_handle_at,
    // Keys of the kernel.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // System calls that bypass this filter, and interfaces to the kernel.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Calls that affect the whole machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_vhangup,
    libc::SYS_syslog,
];

/// The address families of network sockets. The last one configures names and addresses.
const NETWORK: [libc::c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The bit that x86-64 adds to the number of a system call with 32-bit pointers.
#[cfg(target_arch = "x86_64")]
const X32: c_long = 0x4000_0000;

/// The optional parts of the filter, in addition to the common set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Whether network sockets may be created. Any other socket can only be created as part of a
    /// connected pair.
    pub(super) network: bool,
    /// Whether to refuse `truncate`, because Landlock does not restrict it.
    pub(super) truncate: bool,
    /// Whether the command can name processes, and shared memory, outside of the sandbox. Calls
    /// that change them are then refused.
    pub(super) others: bool,
    /// Whether to refuse `kill` with -1, which signals every process that the user may signal,
    /// because nothing else restricts signals.
    pub(super) signals: bool,
}

/// Returns the filter in the kernel's format.
pub(super) fn program(wanted: Wanted) -> io::Result<Vec<u8>> {
    let program = compiled(wanted).map_err(io::Error::other)?;
    Ok(without_clone3().iter().chain(&program).flat_map(bytes).collect())
}

/// Instructions that answer `clone3` as a kernel without this call does. The flags of `clone3` are
/// in memory, which a filter cannot read. The C library then uses `clone`, whose flags are
/// arguments.
fn without_clone3() -> Vec<sock_filter> {
    let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let statement = |code: u32, k: u32| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut calls = vec![libc::SYS_clone3];
    #[cfg(target_arch = "x86_64")]
    calls.push(libc::SYS_clone3 | X32);
    // The number of the system call is the first field of a filter's input.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for call in calls {
        let code = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        program.push(sock_filter { code, jt: 0, jf: 1, k: call as u32 });
        program.push(statement(libc::BPF_RET | libc::BPF_K, absent));
    }
    program
}

/// Returns an instruction as bytes, in the memory layout of `struct sock_filter`.
fn bytes(instruction: &sock_filter) -> [u8; 8] {
    let [a, b] = instruction.code.to_ne_bytes();
    let [c, d, e, f] = instruction.k.to_ne_bytes();
    [a, b, instruction.jt, instruction.jf, c, d, e, f]
}

fn compiled(wanted: Wanted) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if wanted.truncate {
        rules.insert(libc::SYS_truncate, Vec::new());
    }
    rules.extend(others::everywhere()?);
    if wanted.others {
        rules.extend(others::outside()?);
    }
    if wanted.signals {
        rules.extend(others::every_process()?);
    }
    let socket = match wanted.network {
        false => Vec::new(),
        true => vec![SeccompRule::new(NETWORK.iter().map(is_not).collect::<Result<_, _>>()?)?],
    };
    rules.insert(libc::SYS_socket, socket);
    #[cfg(target_arch = "x86_64")]
    {
        let doubled: Vec<_> =
            rules.iter().map(|(call, rules)| (call | X32, rules.clone())).collect();
        rules.extend(doubled);
    }
    let architecture = std::env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()
}

/// The condition that the first argument has another value.
fn is_not(family: &libc::c_int) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, *family as u64)
}
