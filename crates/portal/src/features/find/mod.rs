//! Finding anything by its name: `GET /api/find`. It owns no tables and no rules: each feature finds what its own list
//! shows the same person ([`crate::sought`]). Files are found by the disk, which the pages ask beside it.

mod http;

pub(crate) use http::routes;
