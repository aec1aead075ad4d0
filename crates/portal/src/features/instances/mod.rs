//! Instances: people's containers on servers. Their states and transitions: `state.rs`; how one is created:
//! docs/ARCHITECTURE.md.
//!
//! The database holds the desired state and the reservations, the engine the actual state; the reconciler (`reconcile`)
//! brings the engine to the former and writes the latter down.

mod changes;
mod check;
mod disabled_owners;
mod drain;
mod duties;
mod enter;
mod form;
mod frozen;
mod given_up;
mod held_folders;
mod held_notice;
mod http;
mod http_batch;
mod http_frozen;
mod http_held_folders;
mod http_logs;
mod http_samples;
mod leaving;
mod model;
mod name;
mod network;
mod policy;
mod ports;
mod quota;
mod reconcile;
mod reserve;
mod restarts;
mod roots;
mod saving;
mod state;
mod store;
mod store_held_folders;
mod store_history;
mod store_leaving;
mod store_ports;
mod store_reports;
mod store_samples;
mod suspend;
mod view;

pub(crate) use disabled_owners::{RunningInstance, Stopped, hold_reservations, running_of, stop_all_of};
pub(crate) use drain::{tell_of_drain, tell_of_lifted_drain, warns_at_once};
pub(crate) use duties::{DUTIES, GROWING, PEER_DUTIES, announce_duties};
pub(crate) use enter::{Entry, engine_refused, entry, may_enter, running_container};
pub(crate) use frozen::{note_writes, thaw_with_room};
pub(crate) use given_up::give_up_all;
pub(crate) use held_notice::in_words as time_in_words;
pub(crate) use http::routes;
pub(crate) use leaving::{Release, Root, open_of, release, root_of};
pub(crate) use model::Instance;
pub(crate) use name::owner_of;
pub(crate) use network::network_of;
pub(crate) use quota::{Limit, size_in_words, unless_zero};
pub(crate) use reconcile::{Compute, look_after_servers, said};
pub use reconcile::{EngineAddress, EngineTls, Engines};
pub(crate) use reserve::{left_for_a_build, usable as usable_server};
pub(crate) use saving::{refused, saveable};
pub(crate) use state::State as InstanceState;
pub(crate) use store::{
    OpenName, active_by_server, count_by_state, count_of, has_open, held, names_of_open, owners_of, running,
    running_on, suspended_among, using_image,
};
pub(crate) use store_ports::behind_ssh_port;
pub(crate) use store_samples::cpu_between;
pub(crate) use suspend::suspend;
