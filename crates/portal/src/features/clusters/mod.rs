//! Clusters: where instances run. What a driver answers in codes and facts is put into words here, in one file for each
//! kind of cluster.

mod words_docker;

pub(crate) use words_docker::*;
