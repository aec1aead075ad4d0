//! Instances: people's containers on servers. Their states and transitions: `state.rs`; how one is created:
//! docs/ARCHITECTURE.md.
//!
//! The database holds the desired state and the reservations, the engine the actual state; the reconciler (`reconcile`)
//! brings the engine to the former and writes the latter down.

mod card_news;
mod changes;
mod check;
mod disabled_owners;
mod drain;
mod duties;
mod endings;
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
mod http_save;
mod leaving;
mod listener;
mod model;
mod placing;
mod policy;
mod ports;
mod reconcile;
mod reserve;
mod restarts;
mod roots;
mod saving;
mod state;
mod store;
mod store_endings;
mod store_find;
mod store_held_folders;
mod store_history;
mod store_leaving;
mod store_ports;
mod store_reports;
mod store_samples;
mod suspend;
mod view;

pub(crate) use check::run as check_server;
pub(crate) use disabled_owners::{RunningInstance, Stopped, running_of, stop_all_of};
pub(crate) use drain::{tell_of_drain, tell_of_lifted_drain, warns_at_once};
pub(crate) use duties::{DUTIES, GROWING, PEER_DUTIES, announce_duties};
pub(crate) use enter::{Doorway, Entry, doorways, entry, id_of, may_enter, running as running_workload, start};
pub(crate) use frozen::{note_writes, thaw_with_room};
pub(crate) use given_up::give_up_all;
pub(crate) use http::routes;
pub(crate) use leaving::{Release, Root, open_of, release, root_of};
pub(crate) use listener::hear;
pub(crate) use model::Instance;
pub(crate) use reconcile::{Sampled, begin_to_lead, look_after_servers, measure, workload_id};
pub(crate) use reserve::left_for_a_build;
pub(crate) use state::State as InstanceState;
pub(crate) use store::{
    active_by_server, count_by_state, count_of, held, occupants, owners_of, running, running_on, suspended_among,
};
pub(crate) use store_find::find;
pub(crate) use store_ports::behind_ssh_port;
pub(crate) use store_samples::cpu_between;
pub(crate) use suspend::suspend;
