//! The growing tables of all features.

use crate::features::{
    alerts, audit, departures, disk_space, gpus, images, instances, joins, notices, reservations, usage, watch,
    worksheets,
};
use crate::store_growing::Growing;

/// In the order of the page.
pub(super) fn all() -> impl Iterator<Item = &'static Growing> {
    [
        audit::GROWING,
        departures::GROWING,
        instances::GROWING,
        gpus::GROWING,
        reservations::GROWING,
        usage::GROWING,
        watch::GROWING,
        alerts::GROWING,
        notices::GROWING,
        images::GROWING,
        joins::GROWING,
        disk_space::GROWING,
        worksheets::GROWING,
    ]
    .into_iter()
    .flatten()
}
