//! The outcome of a request that was not granted: the caller's answer, and what is stored of it.

use db_kit::{Db, DbError};
use http_kit::ApiError;
use kernel::Timestamp;

use super::model::ReservationRequest;
use super::refusal::{Reason, Refusal};
use super::{store, words};
use crate::features::allocations::Unusable;

/// Why something was not reserved: a refusal with a reason, or any other error.
#[derive(Debug)]
pub(crate) struct Denied {
    reason: Option<Reason>,
    error: ApiError,
}

impl Denied {
    /// A refusal for this reason, answered with this error.
    pub(crate) fn new(reason: Reason, error: ApiError) -> Self {
        Self { reason: Some(reason), error }
    }

    /// Rewords the answer.
    pub(crate) fn worded(self, word: impl FnOnce(ApiError) -> ApiError) -> Self {
        Self { error: word(self.error), ..self }
    }

    /// Stores the refusal of this request, if it is one, and returns the answer. The transaction of the request must
    /// have ended.
    pub(crate) async fn noted(self, db: &Db, request: &ReservationRequest, now: Timestamp) -> ApiError {
        if let Some(reason) = self.reason {
            store::note_refused(db, request, reason, now).await;
        }
        self.error
    }
}

impl From<ApiError> for Denied {
    fn from(error: ApiError) -> Self {
        Self { reason: None, error }
    }
}

impl From<DbError> for Denied {
    fn from(error: DbError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.reason(), words::answer(&refusal))
    }
}

impl From<Unusable> for Denied {
    fn from(unusable: Unusable) -> Self {
        Self::new(unusable.closed.into(), unusable.error)
    }
}

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        denied.error
    }
}
