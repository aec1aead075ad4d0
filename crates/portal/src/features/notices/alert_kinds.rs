//! What alerts are about and how much they matter: messages to the group chat name both, and `alerts` finds them.

use serde::{Deserialize, Serialize};
use strum::EnumIter;
use utoipa::ToSchema;

/// The kind of a fault. Another kind is a variant here, its words below and a function in `alerts/conditions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AlertKind {
    /// A server's engine does not answer.
    ServerLost,
    /// A card is out of order or gone from its machine, or has no samples from its driver.
    CardFault,
    /// A disk is nearly full.
    DiskFull,
    /// A user's or a group's quota of the network disk is nearly used up.
    QuotaFull,
    /// A certificate ends soon: the portal's, the lab's CA, or one between the portal and a server.
    CertificateEnds,
    /// The last backup of the database failed, or the last good one of the database or of the files is old.
    BackupOld,
    /// The clock of a portal's or a storage host's machine is not trusted.
    ClockHeld,
    /// A background duty fails again and again.
    DutyFailing,
    /// Many attempts to sign in are refused.
    LoginAttack,
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AlertSeverity {
    /// Something will go wrong.
    Warning,
    /// Something does.
    Critical,
}

impl AlertKind {
    /// For people.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::ServerLost => "服务器失联",
            Self::CardFault => "显卡故障",
            Self::DiskFull => "磁盘快满",
            Self::QuotaFull => "网盘配额快用完",
            Self::CertificateEnds => "证书到期",
            Self::BackupOld => "备份失败或过旧",
            Self::ClockHeld => "系统时间异常",
            Self::DutyFailing => "后台任务失败",
            Self::LoginAttack => "登录攻击",
        }
    }
}

impl AlertSeverity {
    /// For people.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Warning => "警告",
            Self::Critical => "严重",
        }
    }
}
