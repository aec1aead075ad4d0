//! The portal's side.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRef, FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use disk::{Directory, FolderOwner};
use http::{HeaderMap, StatusCode, header};
use http_kit::{AuthError, Authenticate};
use kernel::{Secret, Timestamp};
use portal::Portal;
use subtle::ConstantTimeEq;

use super::wire::{MAX_QUESTION_BYTES, PATH, Question, Session};
use crate::embedded::EmbeddedDirectory;

struct Answers {
    portal: Portal,
    checker: Arc<dyn Authenticate>,
    directory: EmbeddedDirectory,
    secret: Secret,
}

/// The call of storage hosts, which requires the secret.
pub(crate) fn routes(portal: Portal, secret: Secret) -> Router {
    let checker = Arc::<dyn Authenticate>::from_ref(&portal);
    let answers = Answers { directory: EmbeddedDirectory::for_another_host(portal.clone()), checker, portal, secret };
    Router::new()
        .route(PATH, post(answer))
        .layer(DefaultBodyLimit::max(MAX_QUESTION_BYTES))
        .with_state(Arc::new(answers))
}

async fn answer(State(answers): State<Arc<Answers>>, request: Request) -> Response {
    // Before the body is read: a stranger is listened to no further.
    if !answers.is_known(request.headers()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let body = match Bytes::from_request(request, &()).await {
        Ok(body) => body,
        Err(refused) => return refused.into_response(),
    };
    let Ok(question) = serde_json::from_slice(&body) else { return StatusCode::BAD_REQUEST.into_response() };
    match answers.answer(question).await {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a storage host's question could not be answered");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

impl Answers {
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let said = headers.get(header::AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        said.is_some_and(|said| said.ct_eq(self.secret.expose().as_bytes()).into())
    }

    async fn answer(&self, question: Question) -> anyhow::Result<Response> {
        Ok(match question {
            Question::Session { id } => Json(Session::of(self.portal.session(id).await)?).into_response(),
            Question::SignIn { session } => match self.portal.sign_in_of(&session).await {
                Ok(sign_in) => Json(Some(sign_in)).into_response(),
                Err(AuthError::Ended) => Json(None::<String>).into_response(),
                Err(error) => return Err(error.into()),
            },
            Question::SignedIn { sign_in } => Json(Session::of(self.portal.signed_in(&sign_in).await)?).into_response(),
            Question::SpendTicket { id, expires } => {
                match self.portal.spend_ticket(&id, Timestamp::from_millis(expires * 1000)).await {
                    Ok(()) => Json(true).into_response(),
                    Err(AuthError::Ended) => Json(false).into_response(),
                    Err(error) => return Err(error.into()),
                }
            }
            Question::AppPassword { username, digest } => {
                Json(Session::of(self.checker.app_password(&username, &digest).await)?).into_response()
            }
            Question::AccessToken { digest } => {
                Json(Session::of(self.portal.access_token(&digest).await)?).into_response()
            }
            Question::Person { id } => Json(self.directory.person(id).await?.as_deref()).into_response(),
            Question::LockPassword { id, locked } => {
                Json(self.directory.lock_password(id, locked).await?).into_response()
            }
            Question::Time => Json(self.portal.now()).into_response(),
            Question::HostClock { report } => {
                self.portal.note_storage_host_clock(report);
                Json(()).into_response()
            }
            Question::Accounts => Json(self.directory.accounts().await?).into_response(),
            Question::Record { change } => Json(self.directory.record(&change).await?).into_response(),
            Question::RecordEvents { events } => Json(self.directory.record_events(&events).await?).into_response(),
            Question::HomeHolder { username } => self.holder(FolderOwner::User(&username)).await?,
            Question::GroupHolder { folder } => self.holder(FolderOwner::Group(&folder)).await?,
            Question::DatasetHolder { folder } => self.holder(FolderOwner::Dataset(&folder)).await?,
            Question::QuotaHolders => Json(self.directory.quota_holders().await?).into_response(),
            Question::DiskUses { uses } => Json(self.directory.disk_uses(&uses).await?).into_response(),
            Question::DatasetLimits { limits } => Json(self.directory.dataset_limits(limits).await?).into_response(),
            Question::DatasetChores { host } => Json(self.portal.dataset_chores(Some(&host)).await?).into_response(),
            Question::DatasetReport { report } => Json(self.directory.dataset_report(&report).await?).into_response(),
            Question::HomeChores { host } => Json(self.portal.home_chores(Some(&host)).await?).into_response(),
            Question::HomeReport { report } => Json(self.directory.home_report(&report).await?).into_response(),
        })
    }

    async fn holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<Response> {
        Ok(Json(self.directory.quota_holder(owner).await?).into_response())
    }
}
