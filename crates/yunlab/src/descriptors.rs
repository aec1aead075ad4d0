//! How many files and connections the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Where nothing bounds them, there is no reason to plan with more.
const PLENTY: u64 = 1 << 20;

/// Raises the limit to the permitted maximum. The usual soft limit of 1024 is for programs that use `select`.
pub(crate) fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(PLENTY).min(PLENTY);
    if current.is_none_or(|current| current >= wanted) {
        return;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// How many may be open now.
pub(crate) fn limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(PLENTY);
    usize::try_from(limit.min(PLENTY)).unwrap_or(usize::MAX)
}
