//! Kinds of notices and their groups, and notices as they are stored and shown; without I/O.

use db_kit::Record;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use strum::EnumIter;
use utoipa::ToSchema;

/// What happened. Another kind is a variant here and a row in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserNoticeKind {
    /// A work order was filed.
    WorksheetCreated,
    /// A reply to a work order.
    WorksheetReplied,
    /// A change of a work order's state.
    WorksheetState,
    /// A request was approved or refused.
    WorksheetDecided,
    /// A work order was assigned to the recipient.
    WorksheetAssigned,
    /// The watch found something new.
    Finding,
    /// The watch suspended an instance.
    InstanceSuspended,
    /// The recipient's instance is about to be stopped, at its stop time or for being idle.
    InstanceStopping,
    /// The recipient's stopped instance is about to be released, with its root.
    InstanceReleasing,
    /// The recipient's instance ended with its server, and was started again or not.
    InstanceRestarted,
    /// A card that the recipient has an instance on is out of order, or is back.
    CardFault,
    /// A server was restarted.
    ServerRestarted,
    /// A server on which the recipient has something running is being emptied, or is not any more.
    ServerDraining,
    /// A server with instances of the recipient's was removed, since it will not come back.
    ServerGivenUp,
    /// The machine's clock is not trusted any more, or is again.
    Clock,
    /// The database can't be backed up, or can be again.
    Backup,
    /// Strangers try to sign in to the recipient's account.
    SignInTries,
    /// A leader invited the recipient to a group.
    GroupInvited,
    /// A user accepted an invitation to a group that the recipient leads.
    GroupInvitationAccepted,
    /// A user declined an invitation.
    GroupInvitationDeclined,
    /// A user left a group that the recipient leads.
    GroupLeft,
    /// The recipient's quota of the disk, or the root of an instance, is nearly used up.
    DiskNear,
    /// It is used up completely.
    DiskOver,
    /// The recipient's account, or for administrators any account, is about to end or has ended.
    AccountEnding,
    /// Quotas that were granted to the recipient for a time are about to end or have ended.
    QuotaEnding,
    /// A departure is done, or has failed items.
    Departure,
    /// The recipient's instance was frozen because it still wrote then.
    InstanceFrozen,
    /// An instance of the recipient's still has the folder of a group that they are not in any more.
    GroupFolderHeld,
    /// Something in the lab is faulty.
    AlertFiring,
    /// The fault is over.
    AlertResolved,
}

/// Kinds that people choose together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoticeGroup {
    Worksheets,
    Findings,
    Instances,
    /// The network disk.
    Disk,
    /// The recipient's own account.
    Account,
    /// User groups and who is in them.
    UserGroups,
    /// The portal itself, for administrators.
    System,
}

/// The properties of a kind.
struct Facts {
    kind: UserNoticeKind,
    group: NoticeGroup,
    /// Whether it leaves by mail before an administrator chose.
    mailed: bool,
}

const fn facts(kind: UserNoticeKind, group: NoticeGroup, mailed: bool) -> Facts {
    Facts { kind, group, mailed }
}

const KINDS: [Facts; 30] = [
    facts(UserNoticeKind::WorksheetCreated, NoticeGroup::Worksheets, true),
    facts(UserNoticeKind::WorksheetReplied, NoticeGroup::Worksheets, true),
    facts(UserNoticeKind::WorksheetState, NoticeGroup::Worksheets, true),
    facts(UserNoticeKind::WorksheetDecided, NoticeGroup::Worksheets, true),
    facts(UserNoticeKind::WorksheetAssigned, NoticeGroup::Worksheets, true),
    facts(UserNoticeKind::Finding, NoticeGroup::Findings, true),
    facts(UserNoticeKind::InstanceSuspended, NoticeGroup::Instances, true),
    facts(UserNoticeKind::InstanceStopping, NoticeGroup::Instances, true),
    facts(UserNoticeKind::InstanceReleasing, NoticeGroup::Instances, true),
    facts(UserNoticeKind::InstanceRestarted, NoticeGroup::Instances, true),
    facts(UserNoticeKind::CardFault, NoticeGroup::Instances, true),
    facts(UserNoticeKind::ServerRestarted, NoticeGroup::System, true),
    facts(UserNoticeKind::ServerDraining, NoticeGroup::Instances, true),
    facts(UserNoticeKind::ServerGivenUp, NoticeGroup::Instances, true),
    facts(UserNoticeKind::Clock, NoticeGroup::System, true),
    facts(UserNoticeKind::Backup, NoticeGroup::System, true),
    facts(UserNoticeKind::SignInTries, NoticeGroup::Account, true),
    facts(UserNoticeKind::GroupInvited, NoticeGroup::UserGroups, true),
    facts(UserNoticeKind::GroupInvitationAccepted, NoticeGroup::UserGroups, false),
    facts(UserNoticeKind::GroupInvitationDeclined, NoticeGroup::UserGroups, false),
    facts(UserNoticeKind::GroupLeft, NoticeGroup::UserGroups, false),
    facts(UserNoticeKind::DiskNear, NoticeGroup::Disk, true),
    facts(UserNoticeKind::DiskOver, NoticeGroup::Disk, true),
    facts(UserNoticeKind::AccountEnding, NoticeGroup::Account, true),
    facts(UserNoticeKind::QuotaEnding, NoticeGroup::Account, true),
    facts(UserNoticeKind::Departure, NoticeGroup::System, true),
    facts(UserNoticeKind::InstanceFrozen, NoticeGroup::Instances, true),
    facts(UserNoticeKind::GroupFolderHeld, NoticeGroup::Instances, true),
    facts(UserNoticeKind::AlertFiring, NoticeGroup::System, true),
    facts(UserNoticeKind::AlertResolved, NoticeGroup::System, true),
];

impl UserNoticeKind {
    fn facts(self) -> Option<&'static Facts> {
        KINDS.iter().find(|facts| facts.kind == self)
    }

    pub(super) fn group(self) -> NoticeGroup {
        self.facts().map_or(NoticeGroup::Instances, |facts| facts.group)
    }

    /// The kinds that leave by mail before an administrator chose.
    pub(super) fn mailed_by_default() -> impl Iterator<Item = Self> {
        KINDS.iter().filter(|facts| facts.mailed).map(|facts| facts.kind)
    }
}

impl NoticeGroup {
    pub(super) const ALL: [Self; 7] =
        [Self::Worksheets, Self::Findings, Self::Instances, Self::Disk, Self::UserGroups, Self::Account, Self::System];

    /// What people call it.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Worksheets => "工单",
            Self::Findings => "异常行为",
            Self::Instances => "实例",
            Self::UserGroups => "用户组",
            Self::Disk => "网盘",
            Self::Account => "账号安全",
            Self::System => "系统",
        }
    }
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoticeObject {
    Worksheet,
    Instance,
    /// A server.
    Server,
    /// A portal.
    Portal,
    /// An account.
    Account,
    /// A user group.
    UserGroup,
    /// The network disk.
    Disk,
    /// An alert.
    Alert,
}

/// A notice that is about to be written for some people.
#[derive(Clone, Debug)]
pub(crate) struct NewNotice {
    pub(crate) kind: UserNoticeKind,
    pub(crate) object: NoticeObject,
    pub(crate) object_id: String,
    /// What it is about, in one line.
    pub(crate) title: String,
    /// What happened, in a sentence.
    pub(crate) words: String,
    /// The page with the object, below the portal's address.
    pub(crate) link: String,
}

/// A notice as its person sees it.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "notices")]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserNotice {
    pub(super) id: String,
    #[record(word)]
    pub(super) kind: UserNoticeKind,
    #[record(column = "object_kind", word)]
    pub(super) object: NoticeObject,
    pub(super) object_id: String,
    /// What it is about, in one line.
    pub(super) title: String,
    /// What happened, in a sentence.
    pub(super) words: String,
    /// The page with the object, below the portal's address. The object may be gone.
    pub(super) link: String,
    pub(super) created: Timestamp,
    /// When its person read it, on whichever device; null: not yet.
    pub(super) read: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn every_kind_has_one_row() {
        assert!(UserNoticeKind::iter().eq(KINDS.iter().map(|facts| facts.kind)));
        assert!(KINDS.iter().all(|facts| NoticeGroup::ALL.contains(&facts.group)));
    }
}
