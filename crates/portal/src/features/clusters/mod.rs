//! Clusters: where instances run. What a driver answers in codes and facts is put into words here, in one file for each
//! kind of cluster.

mod ability;
mod refusal;
mod site;
mod words_docker;

pub(crate) use ability::{collect, needed};
pub(crate) use refusal::{not_entered, refused, said};
pub(crate) use site::{AskedBy, ServerSite};
pub(crate) use words_docker::*;
