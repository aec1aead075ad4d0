//! How long things are kept that only grow.

use http_kit::FieldProblem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;

const LONGEST_DAYS: i64 = 36_500;

/// 数据保留. Days; 0 keeps things for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RetentionSettings {
    /// Login and operate logs. The law on network security asks for six months.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) log_days: u16,
    /// Whether rows of the logs are written to files in the data folder before they are dropped.
    pub(crate) archive_logs: bool,
    /// These files.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) archive_days: u16,
    /// Measurements of cards and instances, one a minute.
    #[schema(minimum = 1, maximum = 36500)]
    pub(crate) sample_days: u16,
    /// What each instance used on each day, and the leases of cards.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) usage_days: u16,
    /// What looked like mining, since it was last seen.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) finding_days: u16,
    /// Alerts, since they were resolved.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) alert_days: u16,
    /// Notices in the page.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) notice_days: u16,
    /// Mails and messages of the robot that could not be delivered.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) delivery_days: u16,
    /// Jobs on images and datasets that have ended.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) job_days: u16,
    /// Instances that were deleted, and the history of others.
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) instance_days: u16,
    /// Work orders that are done or closed, since anything last happened to them.
    #[serde(default = "three_years")]
    #[schema(minimum = 0, maximum = 36500)]
    pub(crate) worksheet_days: u16,
}

const fn three_years() -> u16 {
    1095
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            log_days: 180,
            archive_logs: true,
            archive_days: 1095,
            sample_days: 30,
            usage_days: 1095,
            finding_days: 365,
            alert_days: 365,
            notice_days: 180,
            delivery_days: 30,
            job_days: 90,
            instance_days: 365,
            worksheet_days: three_years(),
        }
    }
}

impl RetentionSettings {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.within(i64::from(self.sample_days), 1, LONGEST_DAYS, "retention.sampleDays");
        let others = [
            (self.log_days, "logDays"),
            (self.archive_days, "archiveDays"),
            (self.usage_days, "usageDays"),
            (self.finding_days, "findingDays"),
            (self.alert_days, "alertDays"),
            (self.notice_days, "noticeDays"),
            (self.delivery_days, "deliveryDays"),
            (self.job_days, "jobDays"),
            (self.instance_days, "instanceDays"),
            (self.worksheet_days, "worksheetDays"),
        ];
        for (days, name) in others {
            check.within(i64::from(days), 0, LONGEST_DAYS, &format!("retention.{name}"));
        }
        check.faults()
    }
}
