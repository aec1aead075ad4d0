//! `/api/profile/notices`: which of a person's notices leave by mail.

use std::collections::BTreeSet;

use axum::extract::State;
use http_kit::{ApiResult, Json, Problem, Routes, SignedIn, routes};
use kernel::UserId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::NoticeGroup;
use super::{store, store_mail};
use crate::Portal;
use crate::features::users;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get, put))
}

/// Which of a person's notices leave by mail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NoticePreferences {
    /// Where the mail goes; empty: there is no address, so nothing leaves.
    email: String,
    /// Whether the platform sends mail at all.
    mail_enabled: bool,
    /// The groups that are wanted by mail.
    mail: Vec<NoticeGroup>,
}

/// A change of which notices leave by mail.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NoticePreferencesForm {
    /// The groups that are wanted by mail; the others are not.
    #[schema(value_type = Vec<NoticeGroup>)]
    mail: BTreeSet<NoticeGroup>,
}

/// 我的通知偏好
///
/// Which of the caller's notices leave by mail: all of them until the caller chose.
#[utoipa::path(get, path = "/api/profile/notices", operation_id = "notice_preferences_get", tag = "notices",
    responses((status = 200, body = NoticePreferences), (status = 401, body = Problem)))]
async fn get(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<NoticePreferences>> {
    Ok(Json(shown(&portal, actor.id).await?))
}

/// 修改通知偏好
///
/// Sets which of the caller's notices leave by mail. The portal shows all of them.
#[utoipa::path(put, path = "/api/profile/notices", operation_id = "notice_preferences_put", tag = "notices",
    request_body = NoticePreferencesForm,
    responses((status = 200, body = NoticePreferences), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Json(form): Json<NoticePreferencesForm>,
) -> ApiResult<Json<NoticePreferences>> {
    let muted = NoticeGroup::ALL.into_iter().filter(|group| !form.mail.contains(group)).collect();
    let tx = portal.db().begin().await?;
    store::put_muted(&tx, actor.id, muted).await?;
    tx.commit().await?;
    Ok(Json(shown(&portal, actor.id).await?))
}

async fn shown(portal: &Portal, person: UserId) -> ApiResult<NoticePreferences> {
    let db = portal.db();
    let contact = users::contacts(db, &[person]).await?.pop();
    let muted = store::muted(db, person).await?;
    Ok(NoticePreferences {
        email: contact.map(|contact| contact.email).unwrap_or_default(),
        mail_enabled: !store_mail::wanted(db).await?.is_empty(),
        mail: NoticeGroup::ALL.into_iter().filter(|group| !muted.contains(group)).collect(),
    })
}
