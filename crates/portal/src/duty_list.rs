//! All duties, gathered from the features.

use crate::duty::DutyCatalog;
use crate::features::{
    alerts, audit, backups, clock, departures, disk_space, duties, gpus, https, images, instances, logs, notices,
    retention, session, terminals, update, usage, watch,
};

pub(crate) const DUTY_LIST: DutyCatalog = DutyCatalog {
    of_features: &[
        alerts::DUTIES,
        audit::DUTIES,
        backups::DUTIES,
        clock::DUTIES,
        departures::DUTIES,
        disk_space::DUTIES,
        duties::DUTIES,
        gpus::DUTIES,
        https::DUTIES,
        images::DUTIES,
        instances::DUTIES,
        logs::DUTIES,
        notices::DUTIES,
        retention::DUTIES,
        session::DUTIES,
        terminals::DUTIES,
        update::DUTIES,
        usage::DUTIES,
        watch::DUTIES,
    ],
    with_peers: instances::PEER_DUTIES,
    of_servers: &[watch::SERVER_DUTIES],
};
