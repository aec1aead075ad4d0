//! System calls of programs in the sandbox. Calls that no program of a command panel needs, and through which flaws of
//! the kernel are exploited, are refused: mounts, namespaces, other processes' memory, keys, BPF, io_uring, kernel
//! modules, clocks. All other calls are allowed, so that unforeseen programs work.
//!
//! A refusal is `EPERM`, as from a kernel that forbids the call. It is `ENOSYS`, as from an older kernel, for calls
//! that are newer than this list, and for `clone3`: its flags are in memory, where no filter sees them, and C libraries
//! fall back to `clone`. A program of another ABI (i386, whose calls have other numbers) is killed by its first call.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use libc::c_long;
use rustix::fs::{MemfdFlags, memfd_create};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

/// Refused with any arguments.
pub(super) const DENIED: &[c_long] = &[
    // Mounts, in the old and the new way.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // Files by numbers, past the folders that the sandbox has.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // Namespaces of others. New ones: `rules`.
    libc::SYS_setns,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Code in the kernel, and calls with a history of flaws.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // Keys are in no namespace.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine: its clock, log, accounting, name, power.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_reboot,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// The newest call known to this list, in the numbering that all machines share since 424. The numbers of x86-64's x32
/// ABI begin far above.
const LAST_KNOWN: c_long = libc::SYS_mseal;

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// For `unshare` only: in the flags of `clone` the bit is one of the signal's.
const NEW_TIME_NAMESPACE: u32 = 0x80;

/// Inserting into a terminal's input, two ways, and setting its line discipline.
const TERMINAL_CALLS: [libc::Ioctl; 3] = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD];

/// Queries the present personality.
const PERSONALITY_QUERY: u32 = u32::MAX;

/// The filter in a file of its own, as bubblewrap's `--seccomp` reads it. Fails on a machine that it is not made for.
pub(super) fn filter_file() -> io::Result<File> {
    let mut file = File::from(memfd_create("seccomp", MemfdFlags::CLOEXEC)?);
    file.write_all(&bytes(&program().map_err(io::Error::other)?))?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The kernel's layout: `struct sock_filter[]`.
fn bytes(program: &[sock_filter]) -> Vec<u8> {
    let one = |line: &sock_filter| {
        let [code_low, code_high] = line.code.to_ne_bytes();
        let [a, b, c, d] = line.k.to_ne_bytes();
        [code_low, code_high, line.jt, line.jf, a, b, c, d]
    };
    program.iter().flat_map(one).collect()
}

fn program() -> Result<BpfProgram, BackendError> {
    let refusal = SeccompAction::Errno(constant(libc::EPERM));
    let filter = SeccompFilter::new(rules()?, SeccompAction::Allow, refusal, ARCH.try_into()?)?;
    let mut program = unknown_calls();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// `ENOSYS` for calls newer than `LAST_KNOWN` and for `clone3`; other calls continue with the next filter.
fn unknown_calls() -> BpfProgram {
    let line = |code, jt, jf, k| sock_filter { code: constant(code), jt, jf, k };
    let compare = |how: u32, jt, jf, with| line(libc::BPF_JMP | how | libc::BPF_K, jt, jf, with);
    let no_such_call: u32 = constant(libc::ENOSYS);
    vec![
        // The call's number is first in `struct seccomp_data`.
        line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        compare(libc::BPF_JGT, 1, 0, constant(LAST_KNOWN)),
        compare(libc::BPF_JEQ, 0, 1, constant(libc::SYS_clone3)),
        line(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | no_such_call),
    ]
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    let namespaces = NAMESPACES.into_iter().map(constant);
    rules.insert(libc::SYS_clone, namespaces.clone().map(|flag| one(bits(0, flag))).collect::<Result<_, _>>()?);
    let with_time = namespaces.chain([NEW_TIME_NAMESPACE]);
    rules.insert(libc::SYS_unshare, with_time.map(|flag| one(bits(0, flag))).collect::<Result<_, _>>()?);
    rules.insert(
        libc::SYS_ioctl,
        TERMINAL_CALLS.into_iter().map(|call| one(is(1, constant(call)))).collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_personality, vec![SeccompRule::new(vec![is_not(0, 0)?, is_not(0, PERSONALITY_QUERY)?])?]);
    // There is no network, but programs create such sockets nevertheless, and list interfaces.
    let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(constant);
    let others = families.into_iter().map(|family| is_not(0, family)).collect::<Result<_, _>>()?;
    let netlink = vec![is(0, constant(libc::AF_NETLINK))?, is_not(2, constant(libc::NETLINK_ROUTE))?];
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(others)?, SeccompRule::new(netlink)?]);
    rules.insert(libc::SYS_socketpair, vec![one(is_not(0, constant(libc::AF_UNIX)))?]);
    Ok(rules)
}

/// A constant of the kernel in the width that is needed here.
fn constant<N, T: TryFrom<N>>(value: N) -> T {
    T::try_from(value).unwrap_or_else(|_| unreachable!("no constant of the kernel's is as wide as its type"))
}

type Condition = Result<SeccompCondition, BackendError>;

fn one(condition: Condition) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition?])
}

/// Compares the argument's lower half; the kernel ignores the upper half in all arguments that are checked here.
fn condition(argument: u8, operator: SeccompCmpOp, value: u32) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value.into())
}

fn is(argument: u8, value: u32) -> Condition {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u32) -> Condition {
    condition(argument, SeccompCmpOp::Ne, value)
}

/// Whether all of these bits are set.
fn bits(argument: u8, mask: u32) -> Condition {
    condition(argument, SeccompCmpOp::MaskedEq(mask.into()), mask)
}
