//! Invitations as the API and notices show them, and how long they last; pure.

use std::time::Duration;

use http_kit::ApiError;
use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::model::Group;
use crate::features::notices::{NewNotice, NoticeObject, UserNoticeKind};
use crate::features::users::PublicUser;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// How long an invitation stays open.
pub(super) const OPEN_FOR: Duration = Duration::from_secs(30 * DAY.as_secs());

/// How long the group cannot invite a person again who declined.
pub(super) const DECLINED_FOR: Duration = Duration::from_secs(7 * DAY.as_secs());

/// The minimum interval between notices of one group to a person who is invited again after a withdrawal.
pub(super) const TOLD_EVERY: Duration = DAY;

/// The maximum number of pending invitations of a group.
pub(super) const MOST_PENDING: usize = 100;

/// A group that the caller is invited to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupInvitation {
    /// The group's.
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) leaders: Vec<PublicUser>,
    pub(super) member_count: i64,
    /// Null: the leader's account is gone.
    pub(super) invited_by: Option<PublicUser>,
    pub(super) invited: Timestamp,
    pub(super) expires: Timestamp,
}

/// A person invited to a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupInvitee {
    pub(super) user: PublicUser,
    /// Null: the leader's account is gone.
    pub(super) invited_by: Option<PublicUser>,
    pub(super) invited: Timestamp,
    pub(super) expires: Timestamp,
}

/// 409 for an invitation that was answered, withdrawn, expired or never existed, so that the answer does not reveal
/// which groups exist.
pub(super) fn is_over() -> ApiError {
    ApiError::conflict("invitation_over", "这个邀请已经答复过、被撤回或已过期，请刷新页面")
}

/// 409: a leader's invitation opens nothing to an administrator.
pub(super) fn for_administrators() -> ApiError {
    ApiError::conflict("administrator_invited", "管理员只能由管理员加入用户组")
}

/// The notice to an invited person.
pub(super) fn invited_notice(group: &Group, leader: &str) -> NewNotice {
    let words = format!("{leader} 邀请你加入，请在 {} 天内接受或拒绝", OPEN_FOR.as_secs() / DAY.as_secs());
    notice(group, UserNoticeKind::GroupInvited, words, "/profile/detail".to_owned())
}

/// A notice to a group's leaders about a person.
pub(super) fn leaders_notice(group: &Group, kind: UserNoticeKind, words: String) -> NewNotice {
    notice(group, kind, words, format!("/users/groupmember_list?group={}", group.id))
}

fn notice(group: &Group, kind: UserNoticeKind, words: String, link: String) -> NewNotice {
    let object = NoticeObject::UserGroup;
    NewNotice { kind, object, object_id: group.id.to_string(), title: format!("用户组 {}", group.name), words, link }
}
