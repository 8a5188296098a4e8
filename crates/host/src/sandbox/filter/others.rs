//! Calls that are refused for some arguments: those that create namespaces, set the mode bit that
//! gives privileges, create sockets that connect by address, or name other processes by number.

use libc::c_long;
use seccompiler::{
    BackendError, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition as Condition,
    SeccompRule as Rule,
};

/// Calls and conditions. A call is refused if one of its conditions matches, or if it has no
/// conditions.
type Calls = Vec<(c_long, Vec<Rule>)>;

/// Flags of `clone` that create a namespace. In a user namespace of its own, a process has every
/// capability.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The bits of a socket's type that define its kind. The others are flags.
const KIND: u64 = 0xF;

/// `ioprio_set` for all processes of a user.
const IOPRIO_USER: u64 = 3;

/// Returns the calls that are refused for every command.
pub(super) fn everywhere() -> Result<Calls, BackendError> {
    let flag = |argument, flag: u64| rule([is(argument, SeccompCmpOp::MaskedEq(flag), flag)]);
    let namespaces = NAMESPACES.iter().map(|each| flag(0, u64::from(each.cast_unsigned())));
    // A program with this bit gets the rights of the file's owner. Landlock does not restrict the
    // modes of files outside.
    let privileged = |argument| Ok(vec![flag(argument, u64::from(libc::S_ISUID))?]);
    // A socket of a datagram pair can send to any address that a process names.
    let datagrams = rule([is(1, SeccompCmpOp::MaskedEq(KIND), libc::SOCK_DGRAM as u64)])?;
    let mut calls = vec![
        (libc::SYS_clone, namespaces.collect::<Result<_, _>>()?),
        (libc::SYS_socketpair, vec![datagrams]),
        (libc::SYS_fchmod, privileged(1)?),
        (libc::SYS_fchmodat, privileged(2)?),
        (FCHMODAT2, privileged(2)?),
    ];
    #[cfg(target_arch = "x86_64")]
    calls.push((libc::SYS_chmod, privileged(1)?));
    Ok(calls)
}

/// `fchmodat2`, which has this number on every architecture.
const FCHMODAT2: c_long = 452;

/// Returns the calls that are refused for commands that share process numbers, and System V and
/// POSIX memory and queues, with the rest of the machine. A process may change itself, if it names
/// itself by 0.
pub(super) fn outside() -> Result<Calls, BackendError> {
    let named = |argument| is(argument, SeccompCmpOp::Ne, 0);
    let mut calls: Calls = vec![
        // Reading limits is allowed.
        (libc::SYS_prlimit64, vec![rule([named(0), pointer(2)])?]),
        (
            libc::SYS_setpriority,
            vec![rule([named(1)])?, rule([is(0, SeccompCmpOp::Eq, libc::PRIO_USER as u64)])?],
        ),
        (
            libc::SYS_ioprio_set,
            vec![rule([named(1)])?, rule([is(0, SeccompCmpOp::Ge, IOPRIO_USER)])?],
        ),
    ];
    for call in [
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setaffinity,
    ] {
        calls.push((call, vec![rule([named(0)])?]));
    }
    let shared = [
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_shmctl,
        libc::SYS_semget,
        libc::SYS_semop,
        libc::SYS_semtimedop,
        libc::SYS_semctl,
        libc::SYS_msgget,
        libc::SYS_msgsnd,
        libc::SYS_msgrcv,
        libc::SYS_msgctl,
        libc::SYS_mq_open,
        libc::SYS_mq_unlink,
    ];
    calls.extend(shared.map(|call| (call, Vec::new())));
    Ok(calls)
}

/// `kill` with -1, which means every process that the user may signal.
pub(super) fn every_process() -> Result<Calls, BackendError> {
    Ok(vec![(libc::SYS_kill, vec![rule([is(0, SeccompCmpOp::Eq, u64::from(u32::MAX))])?])])
}

fn rule<const N: usize>(
    conditions: [Result<Condition, BackendError>; N],
) -> Result<Rule, BackendError> {
    Rule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

/// A condition on an argument of 32 bits.
fn is(argument: u8, how: SeccompCmpOp, value: u64) -> Result<Condition, BackendError> {
    Condition::new(argument, SeccompCmpArgLen::Dword, how, value)
}

/// The condition that an argument is a pointer and not null.
fn pointer(argument: u8) -> Result<Condition, BackendError> {
    Condition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}
