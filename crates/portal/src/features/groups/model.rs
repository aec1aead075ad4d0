//! Groups on the wire, and the rules that need no database.

use db_kit::Record;
use http_kit::FieldProblem;
use kernel::{Timestamp, UserId, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::users::PublicUser;

/// A group that a user is in.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
pub(crate) struct UserGroup {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// Leads it.
    pub(crate) leader: bool,
    #[record(word)]
    pub(crate) origin: MembershipOrigin,
}

/// How a membership came about. Members leave what they were not assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MembershipOrigin {
    /// An administrator assigned it.
    Administrator,
    /// Assigned by the directory's group mapping.
    Directory,
    /// The member accepted a leader's invitation.
    Invitation,
    /// From before the origin was recorded, so that consent is unknown.
    Earlier,
}

/// What all members together may hold; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Record, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct GroupQuotas {
    #[serde(rename = "instanceLimit")]
    pub(super) instance_limit: i64,
    #[serde(rename = "GPUNumlimit")]
    pub(super) gpu_limit: i64,
    /// Microseconds of CPU per 100 000 µs.
    #[serde(rename = "CPUPeriodQuota")]
    pub(super) cpu_quota: i64,
    /// Bytes.
    #[serde(rename = "memoryLimit")]
    pub(super) memory_limit: i64,
    /// Bytes in the shared folder.
    #[serde(rename = "diskQuota")]
    pub(super) disk_quota: i64,
}

/// A group.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) description: String,
    /// The shared folder's name under `groups/` on the disk: the group's first name, with a number where another group
    /// has or had a folder of that name. Stays when the group is renamed.
    pub(super) folder: String,
    #[record(skip)]
    pub(super) leaders: Vec<PublicUser>,
    #[record(computed)]
    pub(super) member_count: i64,
    #[serde(flatten)]
    #[record(columns)]
    pub(super) quotas: GroupQuotas,
    pub(super) created: Timestamp,
}

/// A group to make, or what to change; left-out fields stay.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupForm {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// Who leads; they become members.
    pub(super) leaders: Option<Vec<UserId>>,
    /// Who is in it, besides the leaders.
    pub(super) members: Option<Vec<UserId>>,
    #[serde(rename = "instanceLimit")]
    pub(super) instance_limit: Option<i64>,
    #[serde(rename = "GPUNumlimit")]
    pub(super) gpu_limit: Option<i64>,
    #[serde(rename = "CPUPeriodQuota")]
    pub(super) cpu_quota: Option<i64>,
    #[serde(rename = "memoryLimit")]
    pub(super) memory_limit: Option<i64>,
    #[serde(rename = "diskQuota")]
    pub(super) disk_quota: Option<i64>,
}

/// A member of a group.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
pub(crate) struct GroupMember {
    #[record(columns)]
    pub(super) user: PublicUser,
    pub(super) leader: bool,
    pub(super) active: bool,
    pub(super) added: Timestamp,
    #[record(word)]
    pub(super) origin: MembershipOrigin,
}

/// People to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddMembers {
    #[schema(min_items = 1, max_items = 1000)]
    pub(super) users: Vec<UserId>,
}

/// The outcome of adding members.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MembersAdded {
    /// How many are members now who were not.
    pub(super) changed: u64,
    /// How many were invited, and join when they accept. Those who were invited before are not counted.
    pub(super) invited: u64,
}

/// Whether the member leads the group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeMember {
    pub(super) leader: bool,
}

impl GroupForm {
    pub(super) fn trimmed(mut self) -> Self {
        for text in [&mut self.name, &mut self.description].into_iter().flatten() {
            *text = text.trim().to_owned();
        }
        self
    }

    pub(super) fn quotas(&self, otherwise: GroupQuotas) -> GroupQuotas {
        GroupQuotas {
            instance_limit: self.instance_limit.unwrap_or(otherwise.instance_limit),
            gpu_limit: self.gpu_limit.unwrap_or(otherwise.gpu_limit),
            cpu_quota: self.cpu_quota.unwrap_or(otherwise.cpu_quota),
            memory_limit: self.memory_limit.unwrap_or(otherwise.memory_limit),
            disk_quota: self.disk_quota.unwrap_or(otherwise.disk_quota),
        }
    }

    pub(super) fn faults(&self, new: bool) -> Vec<FieldProblem> {
        const MANY: i64 = 100_000;
        const BYTES: i64 = 1 << 50;
        let mut check = Check::default();
        if new || self.name.is_some() {
            let fine = is_group_name(self.name.as_deref().unwrap_or_default());
            check.that(fine, "name", "组名为 1 到 30 个汉字、字母、数字、空格、“-”或“_”，首尾不能是空格");
        }
        let quotas = self.quotas(GroupQuotas::default());
        check
            .that(
                rules::is_text(self.description.as_deref().unwrap_or_default(), 500),
                "description",
                "最多 500 个字，不能有控制字符",
            )
            .that(self.leaders.as_ref().is_none_or(|ids| ids.len() <= 100), "leaders", "最多 100 名组长")
            .that(self.members.as_ref().is_none_or(|ids| ids.len() <= 1000), "members", "一次最多 1000 名成员")
            .within(quotas.instance_limit, 0, MANY, "instanceLimit")
            .within(quotas.gpu_limit, 0, MANY, "GPUNumlimit")
            .within(quotas.cpu_quota, 0, 10_000_000_000, "CPUPeriodQuota")
            .within(quotas.memory_limit, 0, BYTES, "memoryLimit")
            .within(quotas.disk_quota, 0, BYTES, "diskQuota");
        check.faults()
    }
}

/// The name is also the shared folder's name, so it must not contain path separators or hide a file.
fn is_group_name(name: &str) -> bool {
    (1..=30).contains(&name.chars().count())
        && name.trim() == name
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_group_name;

    proptest! {
        #[test]
        fn a_group_name_is_a_harmless_folder_name(name in "\\PC{0,40}") {
            if is_group_name(&name) {
                prop_assert!(!name.contains(['/', '\\', '\0', '.', '\n']) && name.len() <= 255);
            }
        }
    }

    #[test]
    fn chinese_names_are_fine() {
        assert!(
            is_group_name("计算机视觉") && is_group_name("CV 2组") && !is_group_name(" a") && !is_group_name("../a")
        );
    }
}
