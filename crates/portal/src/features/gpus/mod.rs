//! Cards, their leases, and their load.
//!
//! A lease alone decides whether a card is taken; it is open as long as its container may use the card. `nvidia` cards
//! are found by the probe, `device` cards are declared by their device nodes.
//!
//! A card is faulty (故障) when its driver, its memory or the kernel's log shows it (`diagnosis`, `xid`), or an
//! administrator marks it. It is not leased to new instances; an instance that holds it keeps it, and its owner is
//! notified. The outage is a row that a test run (`trial`) ends.

mod diagnosis;
mod equal;
mod faults;
mod http;
mod http_outages;
mod lab;
mod manage;
mod model;
mod model_outages;
mod store;
mod store_lab;
mod store_leases;
mod store_outages;
mod store_samples;
mod trial;
mod view;
mod xid;

use std::time::Duration;

use background::{Duty, Scope};
use http_kit::Routes;

pub(crate) use diagnosis::{Streaks, of_report, place_of};
pub(crate) use equal::EqualGpusForm;
pub(crate) use faults::{note as note_faults, note_health};
pub(crate) use lab::keep_lab_sample;
pub(crate) use manage::{change, declare, declare_equal};
pub(crate) use model::{DeviceGpuForm, Gpu, GpuChange, GpuKind, GpuQuery, GpuRow, GpuSample, GpuState, LabHistory};
pub(crate) use store::{SeenCard, all, ids_of_server, note_cards, note_external, note_missing, of_server};
pub(crate) use store_lab::lab_history;
pub(crate) use store_leases::{
    close_leases, count_held, end_leases_by, first_lease, lease, leases_between, measured_between, open_leases,
};
pub(crate) use store_outages::open_outages;
pub(crate) use store_samples::{CardUse, SAMPLES, any_busy, use_since};
pub(crate) use view::{Occupant, shown};

use crate::Portal;
use crate::duty::PortalDuty;
use crate::recent_rows::RecentRows;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) fn routes() -> Routes<Portal> {
    http::routes().merge(http_outages::routes())
}

pub(crate) const GROWING: &[Growing] = &[
    Growing {
        name: "card-samples",
        title: "显卡监测数据",
        days: |settings| settings.sample_days,
        rows: &[
            Rows { table: "gpu_samples", time: "time", condition: "span = 60", counts: MILLIS },
            Rows { table: "lab_samples", time: "time", condition: "", counts: MILLIS },
        ],
        drop: Drop::Rows,
    },
    Growing {
        name: "card-outages",
        title: "已结束的显卡故障和 Xid 记录",
        days: |settings| settings.alert_days,
        rows: &[
            Rows { table: "card_outages", time: "ended", condition: "ended is not null", counts: MILLIS },
            Rows { table: "card_xids", time: "last_seen", condition: "", counts: MILLIS },
        ],
        drop: Drop::Rows,
    },
    Growing {
        name: "leases",
        title: "显卡租用记录",
        days: |settings| settings.usage_days,
        rows: &[Rows { table: "gpu_leases", time: "until", condition: "until is not null", counts: MILLIS }],
        drop: Drop::Rows,
    },
];

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "lab-samples",
        title: "记录全实验室的显卡使用",
        description: "每分钟记录一次有多少显卡、用了多少，首页的曲线由此而来",
        period: Duration::from_secs(60),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(keep_lab_sample(&portal).await?) }),
}];

impl Portal {
    /// Cards, to be shown. Cards of a server that was just removed may still be included.
    pub(crate) fn recent_cards(&self) -> &RecentRows<GpuRow> {
        self.part()
    }
}
