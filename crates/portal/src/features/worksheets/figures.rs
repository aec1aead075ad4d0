//! The figures of a request for quotas or cards; without I/O.

use http_kit::FieldProblem;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::WorksheetKind;
use crate::check::Check;
use crate::features::allocations::{AllocationForm, AllocationLimits, Mode, SubjectKind};
use crate::features::settings::Quotas;
use crate::features::users::QuotaChange;

/// The quotas that are to become others; what is left out stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorksheetQuotas {
    #[serde(rename = "instanceLimit", default, skip_serializing_if = "Option::is_none")]
    pub(super) instance_limit: Option<i64>,
    #[serde(rename = "instanceLimitOffset", default, skip_serializing_if = "Option::is_none")]
    pub(super) instance_limit_offset: Option<i64>,
    #[serde(rename = "GPUNumlimit", default, skip_serializing_if = "Option::is_none")]
    pub(super) gpu_limit: Option<i64>,
    /// Microseconds of CPU per 100 000 µs; 0 is no limit.
    #[serde(rename = "CPUPeriodQuota", default, skip_serializing_if = "Option::is_none")]
    pub(super) cpu_quota: Option<i64>,
    /// Bytes; 0 is no limit.
    #[serde(rename = "memoryLimit", default, skip_serializing_if = "Option::is_none")]
    pub(super) memory_limit: Option<i64>,
    /// Bytes; 0 is no limit.
    #[serde(rename = "diskQuota", default, skip_serializing_if = "Option::is_none")]
    pub(super) disk_quota: Option<i64>,
}

/// Cards of a server to work with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorksheetCards {
    /// The server's id; left out: the administrator chooses.
    #[serde(default)]
    pub(super) server: Option<String>,
    /// How many to hold at once; 0 is no limit.
    #[schema(minimum = 0, maximum = 64)]
    pub(super) count: i64,
    /// Particular cards by id; empty is all of the server.
    #[serde(default)]
    #[schema(max_items = 64)]
    pub(super) gpus: Vec<String>,
    pub(super) mode: Mode,
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) valid_from: Option<Timestamp>,
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) valid_until: Option<Timestamp>,
}

/// The figures of an order: only those that its type requires.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) quotas: Option<WorksheetQuotas>,
    pub(super) cards: Option<WorksheetCards>,
}

impl WorksheetQuotas {
    /// For the account that they are to be set for.
    pub(super) fn change(self) -> QuotaChange {
        QuotaChange {
            instance_limit: self.instance_limit,
            instance_limit_offset: self.instance_limit_offset,
            gpu_limit: self.gpu_limit,
            cpu_quota: self.cpu_quota,
            memory_limit: self.memory_limit,
            disk_quota: self.disk_quota,
        }
    }

    /// Fills missing quotas from `present`.
    pub(super) fn over(self, present: Quotas) -> Quotas {
        Quotas {
            instance_limit: self.instance_limit.unwrap_or(present.instance_limit),
            instance_limit_offset: self.instance_limit_offset.unwrap_or(present.instance_limit_offset),
            gpu_limit: self.gpu_limit.unwrap_or(present.gpu_limit),
            cpu_quota: self.cpu_quota.unwrap_or(present.cpu_quota),
            memory_limit: self.memory_limit.unwrap_or(present.memory_limit),
            disk_quota: self.disk_quota.unwrap_or(present.disk_quota),
        }
    }
}

impl WorksheetCards {
    /// The allocation that gives them to a person; a server was chosen.
    pub(super) fn allocation(&self, server: &str, user: i64, note: String) -> AllocationForm {
        AllocationForm {
            server: server.to_owned(),
            subject: SubjectKind::User,
            subject_id: Some(user),
            mode: self.mode,
            gpus: self.gpus.clone(),
            limits: AllocationLimits { gpus: self.count, ..AllocationLimits::default() },
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            note,
        }
    }
}

impl Figures {
    /// Replaces those figures that are given.
    pub(super) fn replaced(&self, quotas: Option<WorksheetQuotas>, cards: Option<&WorksheetCards>) -> Self {
        Self { quotas: quotas.or(self.quotas), cards: cards.or(self.cards.as_ref()).cloned() }
    }

    /// Whether there is something to decide on.
    pub(super) fn are_there(&self) -> bool {
        self.quotas.is_some() || self.cards.is_some()
    }

    /// Returns the invalid fields for an order of this type.
    pub(super) fn faults(&self, kind: WorksheetKind, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        let (wants_quotas, wants_cards) = (kind == WorksheetKind::Quota, kind == WorksheetKind::Cards);
        check
            .that(
                self.quotas.is_some() == wants_quotas,
                "quotas",
                if wants_quotas { "请填写要调整的配额" } else { "该类型的工单没有配额" },
            )
            .that(
                self.cards.is_some() == wants_cards,
                "cards",
                if wants_cards { "请填写要使用的显卡" } else { "该类型的工单没有显卡" },
            );
        if let Some(quotas) = self.quotas {
            check.that(quotas != WorksheetQuotas::default(), "quotas", "请填写要调整的配额");
            quotas.over(Quotas::default()).check(&mut check, "quotas.");
        }
        if let Some(cards) = &self.cards {
            let in_order = cards.valid_from.zip(cards.valid_until).is_none_or(|(from, until)| from < until);
            check
                .within(cards.count, 0, 64, "cards.count")
                .that(cards.gpus.len() <= 64, "cards.gpus", "最多 64 张显卡")
                .that(cards.gpus.is_empty() || cards.server.is_some(), "cards.server", "请选择服务器")
                .that(in_order, "cards.validUntil", "结束时间应晚于开始时间")
                .that(cards.valid_until.is_none_or(|until| now < until), "cards.validUntil", "结束时间已经过去");
        }
        check.faults()
    }
}
