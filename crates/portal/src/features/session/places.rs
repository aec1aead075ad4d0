//! The place of a sign-in attempt (address and device), and whether the account has signed in from it before.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use db_kit::Tx;
use http_kit::{ApiResult, Throttle, network_of, secret_digest};
use kernel::{Timestamp, UserId};

use super::limits::Turn;
use super::store_places;
use crate::Portal;
use crate::features::app_passwords::random_secret;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};
use crate::features::users;

/// The maximum length of a device mark.
const MAX_MARK_BYTES: usize = 64;

/// An address, and the device mark that the browser kept from an earlier sign-in.
#[derive(Clone, Debug)]
pub(super) struct Place {
    address: IpAddr,
    /// The device mark of the request, if it is well-formed.
    device: Option<String>,
}

impl Place {
    pub(super) fn new(address: IpAddr, device: Option<String>) -> Self {
        let is_mark = |mark: &String| mark.len() <= MAX_MARK_BYTES && mark.bytes().all(|b| b.is_ascii_alphanumeric());
        Self { address, device: device.filter(is_mark) }
    }

    /// The stored forms, the device first: an address may be shared.
    fn marks(&self, device: Option<&str>) -> Vec<String> {
        let device = device.map(|device| format!("device:{}", secret_digest(device)));
        device.into_iter().chain([format!("address:{}", network_of(self.address))]).collect()
    }

    /// Spends one attempt to sign in to an account (in lower case), and queues if unknown places have exhausted the
    /// account's budget. Returns the remaining wait if the queue is full.
    pub(super) async fn take_turn(&self, portal: &Portal, account: &str) -> ApiResult<Result<(), Duration>> {
        let (limits, marks) = (portal.login_limits(), self.marks(self.device.as_deref()));
        let known = store_places::known(portal.db(), account, &marks).await?;
        if let Some(mark) = marks.iter().find(|mark| known.contains(mark)) {
            return Ok(limits.at_home(account, mark));
        }
        match limits.abroad(account, self.address) {
            Ok(Turn::Now) => Ok(Ok(())),
            Ok(Turn::After(wait)) => Ok(limits.wait(account, wait).await),
            Err(wait) => Ok(Err(wait)),
        }
    }

    /// Records a sign-in from this place. Returns the device mark for the next sign-in.
    pub(super) async fn note(&self, tx: &Tx, user: UserId, at: Timestamp) -> ApiResult<String> {
        let device = match &self.device {
            Some(device) => device.clone(),
            None => random_secret()?,
        };
        store_places::note(tx, user, &self.marks(Some(&device)), at).await?;
        Ok(device)
    }
}

/// Failed attempts within an hour before the owner is notified: more than typing errors, and fewer than guessing needs.
const FAILURES_PER_HOUR: NonZeroU32 = match NonZeroU32::new(20) {
    Some(failures) => failures,
    None => NonZeroU32::MIN,
};

/// Decides when the owner of an account is notified of failed attempts.
#[derive(Debug)]
pub(crate) struct Warnings {
    failures: Throttle<String>,
    /// The interval between notices about the same account.
    told: Throttle<String>,
}

impl Warnings {
    pub(crate) fn new() -> Self {
        Self { failures: Throttle::per_hour(FAILURES_PER_HOUR), told: Throttle::per_hour(NonZeroU32::MIN) }
    }

    /// Counts a failed attempt at an account (in lower case), from wherever. Returns whether its owner should be told.
    fn fail(&self, account: &str) -> bool {
        let account = account.to_owned();
        self.failures.check(&account).is_err() && self.told.check(&account).is_ok()
    }
}

/// Counts a failed attempt at an account (in lower case), and notifies its owner once there are too many.
pub(super) async fn note_failure(portal: &Portal, account: &str) -> ApiResult<()> {
    if !portal.login_warnings().fail(account) {
        return Ok(());
    }
    let Some(user) = users::login_user(portal.db(), account).await? else { return Ok(()) };
    let notice = NewNotice {
        kind: UserNoticeKind::SignInTries,
        object: NoticeObject::Account,
        object_id: user.id.to_string(),
        title: "有人在反复尝试登录你的账号".to_owned(),
        words: "最近一小时内有 20 次以上的登录没有成功，多数是密码不对。你在登录过的设备上仍能正常登录；\
                如果不是你自己或你的程序，密码又可能泄露，请尽快修改"
            .to_owned(),
        link: "/profile/detail".to_owned(),
    };
    let tx = portal.db().begin().await?;
    let told = notices::tell(&tx, portal.now(), &Recipients::people([user.id]), &notice).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_told_once_after_many_failures() {
        let warnings = Warnings::new();
        assert_eq!((0..20).filter(|_| warnings.fail("ann")).count(), 0);
        assert_eq!((0..20).filter(|_| warnings.fail("ann")).count(), 1);
        assert!(!warnings.fail("bob"));
    }
}
