//! Clusters: where instances run. Here are the connections to them and what the portal remembers of each server
//! (`connections`, `worker`). What a driver answers in codes and facts is put into words here, in one file for each kind
//! of cluster.

mod ability;
mod connections;
mod refusal;
mod site;
mod words_docker;
mod worker;

pub(crate) use ability::{collect, needed};
pub use connections::{ClusterAddress, ClusterTls, Runtimes};
pub(crate) use connections::{Clusters, connect, hear_peers};
pub(crate) use refusal::{not_entered, refused, said};
pub(crate) use site::{AskedBy, ServerSite};
pub(crate) use words_docker::*;
pub(crate) use worker::{Moment, PullProgress, Report, Worker};
