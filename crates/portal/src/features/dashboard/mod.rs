//! The first page after signing in: the user's own resources and, for administrators, the state of the lab. It owns no
//! tables; it asks the other features.

mod http;
mod http_first_steps;

use http_kit::Routes;

use crate::Portal;

pub(crate) fn routes() -> Routes<Portal> {
    http::routes().merge(http_first_steps::routes())
}
