//! Cards, who holds them, and how busy they are (DESIGN §6).
//!
//! A lease is the one truth on whether a card is taken; it is open as long as its container may
//! use the card. `nvidia` cards are found by the probe, `device` cards are declared by their
//! device nodes.

mod equal;
mod http;
mod http_batch;
mod lab;
mod model;
mod store;
mod store_lab;
mod store_leases;
mod store_samples;
mod view;

use std::time::Duration;

use background::{Duty, Scope};

pub(crate) use http::routes;
pub(crate) use lab::keep_lab_sample;
pub(crate) use model::{Gpu, GpuKind, GpuRow, GpuSample, GpuState, LabHistory};
pub(crate) use store::{SeenCard, all, ids_of_server, note_cards, note_external, note_missing, of_server};
pub(crate) use store_lab::lab_history;
pub(crate) use store_leases::{
    close_leases, count_held, end_leases_by, first_lease, lease, leases_between, measured_between, open_leases,
};
pub(crate) use store_samples::{CardUse, SAMPLES, any_busy, use_since};
pub(crate) use view::shown;

use crate::duty::PortalDuty;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

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
