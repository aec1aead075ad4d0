//! The consequences of full quotas.

use std::time::Duration;

use http_kit::FieldProblem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;

const MOST_MINUTES: i64 = 7 * 24 * 60;
const MOST_BYTES: i64 = 1 << 50;

/// Quotas of the network disk and of the roots of instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SpaceSettings {
    /// What people and groups take, and the roots of running instances, is counted in the background.
    pub(crate) count: bool,
    /// Instances that still write when nothing is left are frozen.
    pub(crate) freeze: bool,
    /// Minutes that they have until then.
    #[schema(minimum = 0, maximum = 10080)]
    pub(crate) grace_minutes: i64,
    /// The file system of the network disk limits what people and groups take, where it can: project quotas.
    pub(crate) project_quotas: bool,
    /// Bytes that an instance's own root may take beside its image; 0 is no limit.
    pub(crate) root_limit: i64,
}

impl Default for SpaceSettings {
    fn default() -> Self {
        Self { count: true, freeze: true, grace_minutes: 60, project_quotas: false, root_limit: 0 }
    }
}

impl SpaceSettings {
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs(60 * self.grace_minutes.unsigned_abs())
    }

    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.within(self.grace_minutes, 0, MOST_MINUTES, "space.graceMinutes").within(
            self.root_limit,
            0,
            MOST_BYTES,
            "space.rootLimit",
        );
        check.faults()
    }
}
