//! Disables accounts: ends sessions, app passwords and tokens, and stops instances.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use crate::features::instances::{self, Stopped};
use crate::features::logs::Acting;
use crate::features::{access_tokens, allocations, app_passwords, session};

/// For the instances' own past.
const REASON: &str = "账号被禁用，实例随之停止";
/// Maximum number of instances that an entry of the operate log names.
const NAMED: usize = 20;

/// Sessions and instances that were ended, or left running.
#[must_use = "servers of stopped instances are to be woken after the commit"]
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) stopped: Stopped,
    /// Names of instances that were to go on.
    left: Vec<String>,
}

impl Ended {
    /// For the operate log; empty when these people ran nothing.
    pub(crate) fn in_words(&self) -> String {
        let stopped: Vec<&str> = self.stopped.names().collect();
        let left: Vec<&str> = self.left.iter().map(String::as_str).collect();
        let parts = [("停止实例", stopped), ("没有停止运行中的实例", left)];
        let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        parts.map(|(what, names)| format!("{what}：{}", named(&names))).collect::<Vec<_>>().join("；")
    }
}

/// Ends the sessions, app passwords and access tokens of these people and, if wanted, stops their instances. The
/// accounts are written to afterwards: a reservation takes its locks in the same order.
pub(super) async fn end_all(tx: &Tx, by: &Acting, people: &[UserId], stop: bool) -> ApiResult<Ended> {
    end_all_because(tx, &by.actor.username, REASON, by.at, people, stop).await
}

/// The same for another reason. `by` is empty when the portal itself does it.
pub(crate) async fn end_all_because(
    tx: &Tx,
    by: &str,
    reason: &str,
    now: Timestamp,
    people: &[UserId],
    stop: bool,
) -> ApiResult<Ended> {
    allocations::hold_reservations(tx).await?;
    session::end_all_of_many(tx, people).await?;
    app_passwords::end_all_of_many(tx, people).await?;
    access_tokens::end_all_of_many(tx, people).await?;
    if !stop {
        let running = instances::running_of(tx, people).await?;
        let left = running.iter().map(|one| one.name().to_owned()).collect();
        return Ok(Ended { left, ..Ended::default() });
    }
    let stopped = instances::stop_all_of(tx, people, by, reason, now).await?;
    Ok(Ended { stopped, left: Vec::new() })
}

fn named(names: &[&str]) -> String {
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join("、");
    if names.len() > NAMED { format!("{shown} 等 {} 个", names.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_some_and_counts_the_rest() {
        assert_eq!(named(&["a", "b"]), "a、b");
        let many: Vec<String> = (0..25).map(|n| format!("i{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(named(&many).ends_with("i19 等 25 个"), "{}", named(&many));
        assert_eq!(Ended::default().in_words(), "");
    }
}
