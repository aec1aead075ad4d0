//! `GET /api/public/settings`: the settings that pages need before sign-in.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http_kit::{Routes, routes};
use serde::Serialize;
use utoipa::ToSchema;

use super::model::BrandTheme;
use super::{CurrentSettings, Settings};
use crate::command;
use crate::host::Host;
use crate::http::HttpResult;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(get))
}

/// What the original wrote into its pages.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublicSettings {
    /// Always `json`: a name and a password, sent to the platform.
    auth_method: &'static str,
    /// Whether there is a page to sign in; always.
    login_page: bool,
    /// Whether people can make accounts themselves.
    signup: bool,
    /// Whether there are thumbnails.
    thumbnails: bool,
    /// Whether pictures to look at are made smaller.
    resize_preview: bool,
    /// Whether commands can be run at all: switched on, and confined here.
    exec: bool,
    /// Instead of the product's name; empty for that.
    name: String,
    /// `light` or `dark` for users who have not chosen; empty for the browser's own.
    #[schema(value_type = String)]
    theme: BrandTheme,
}

/// 所有人可见的网盘设置
///
/// The public part of the settings, for visitors too.
#[utoipa::path(
    get, path = "/api/public/settings", tag = "settings", operation_id = "getPublicDiskSettings", security(()),
    responses((status = 200, body = PublicSettings))
)]
async fn get(State(settings): State<Arc<CurrentSettings>>) -> HttpResult<Json<PublicSettings>> {
    let settings = settings.get().await?;
    let exec = command::is_on(&settings).await?;
    let Settings { signup, thumbnails, resize_preview, ref branding, .. } = *settings;
    Ok(Json(PublicSettings {
        auth_method: "json",
        login_page: true,
        signup,
        thumbnails,
        resize_preview: thumbnails && resize_preview,
        exec,
        name: branding.name.clone(),
        theme: branding.theme,
    }))
}
