//! The trash as people see it: its list, restoring, and deleting for good. What lies in it is kept by
//! [`disk_core::trash`].

mod expiry;
mod http;

pub(crate) use expiry::keep_purging;
pub(crate) use http::routes;
