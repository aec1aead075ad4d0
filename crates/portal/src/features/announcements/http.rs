//! `/api/announcements`: every user reads, administrators write.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Page, Timestamp};

use super::model::{Announcement, AnnouncementForm, AnnouncementQuery};
use super::store;
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::logs::{Acting, ActingAdministrator};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(update, delete))
}

/// 公告列表
///
/// Announcements that are not over, important ones first.
#[utoipa::path(get, path = "/api/announcements", operation_id = "announcements_list", tag = "announcements",
    params(AnnouncementQuery),
    responses((status = 200, body = Page<Announcement>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: AnnouncementQuery,
) -> ApiResult<Json<Page<Announcement>>> {
    let rows = query.list.rows()?;
    let everything = actor.is_admin() && query.filter.over.unwrap_or_default();
    Ok(Json(store::list(portal.db(), rows, (!everything).then(|| portal.now())).await?))
}

/// 发公告
///
/// Announces something.
#[utoipa::path(post, path = "/api/announcements", operation_id = "announcements_create", tag = "announcements",
    request_body = AnnouncementForm,
    responses((status = 201, body = Announcement, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<AnnouncementForm>,
) -> ApiResult<Response> {
    let at = by.at;
    refuse_faults(&form, at)?;
    let one = Announcement {
        id: uuid::Uuid::now_v7().to_string(),
        title: form.title.trim().to_owned(),
        content: form.content.trim().to_owned(),
        important: form.important,
        author: by.actor.username.clone(),
        created: at,
        updated: at,
        until: form.until,
    };
    let tx = portal.db().begin().await?;
    store::put(&tx, &one).await?;
    finish(&portal, tx, &by, "announcement.create", &one).await?;
    let location = HeaderValue::from_str(&format!("/api/announcements/{}", one.id)).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(one)).into_response())
}

/// 修改公告
///
/// Puts another text in an announcement's place.
#[utoipa::path(put, path = "/api/announcements/{id}", operation_id = "announcements_update", tag = "announcements",
    params(("id" = String, Path)), request_body = AnnouncementForm,
    responses((status = 200, body = Announcement), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn update(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<AnnouncementForm>,
) -> ApiResult<Json<Announcement>> {
    let tx = portal.db().begin().await?;
    let old = store::by_id(&tx, &id).await?;
    // An expired announcement may be edited without extending it.
    refuse_faults(&form, if form.until == old.until { old.created } else { by.at })?;
    let one = Announcement {
        title: form.title.trim().to_owned(),
        content: form.content.trim().to_owned(),
        important: form.important,
        updated: by.at,
        until: form.until,
        ..old
    };
    store::put(&tx, &one).await?;
    finish(&portal, tx, &by, "announcement.update", &one).await?;
    Ok(Json(one))
}

/// 删除公告
///
/// Takes an announcement away.
#[utoipa::path(delete, path = "/api/announcements/{id}", operation_id = "announcements_delete", tag = "announcements",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let one = store::by_id(&tx, &id).await?;
    store::delete(&tx, &id).await?;
    finish(&portal, tx, &by, "announcement.delete", &one).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn refuse_faults(form: &AnnouncementForm, after: Timestamp) -> ApiResult<()> {
    let faults = form.faults(after);
    if faults.is_empty() { Ok(()) } else { Err(ApiError::invalid(faults)) }
}

/// Records the change, commits it and notifies the open pages.
async fn finish(portal: &Portal, tx: Tx, by: &Acting, action: &'static str, one: &Announcement) -> ApiResult<()> {
    by.record(&tx, action, &one.title, "").await?;
    tx.commit().await?;
    portal.tell_pages(Audience::Everyone, Message::Announcements);
    Ok(())
}
