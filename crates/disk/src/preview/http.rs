//! The request.

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use disk_core::jail::{Jail, VirtualPath};
use disk_core::reason::Reason;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use utoipa::IntoParams;

use super::picture::{Size, content_type};
use super::workshop::Workshop;
use crate::http::{Content, ErrorResponse, HttpResult, Member, Parameters, Validators};
use crate::permissions::require;
use crate::raw::{self, Source};
use crate::settings::Settings;

/// A generated image is displayed and does nothing else.
const CONTENT_POLICY: &str = "sandbox; default-src 'none'";

/// `thumb` or `big`, and the path.
pub(super) struct Wanted {
    size: Size,
    path: VirtualPath,
}

impl<S: Send + Sync> FromRequestParts<S> for Wanted {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> HttpResult<Self> {
        let below = parts.uri.path().strip_prefix("/api/preview/").unwrap_or_default();
        let (size, path) = below.split_once('/').unwrap_or((below, ""));
        let size = match size {
            "thumb" => Size::Thumb,
            "small" => Size::Small,
            "big" => Size::Big,
            _ => return Err(DiskError::bad_request(Reason::PictureSize).into()),
        };
        // Clients of this API add a slash before a path that already begins with one.
        let path = path.strip_prefix('/').unwrap_or(path);
        Ok(Self { size, path: VirtualPath::parse(&format!("/{path}"))? })
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PreviewQuery {
    /// When the file was changed, or anything else that is another with other content: then browsers need not ask
    /// again.
    k: Option<String>,
}

/// 缩略图
///
/// A picture made smaller, upright, as JPEG or, where something shines through, PNG. Where that is switched off
/// `thumb` and `small` give 404 and `big` the file itself; `big` can be switched off alone.
#[utoipa::path(
    get, path = "/api/preview/{size}/{path}", tag = "preview", operation_id = "preview",
    params(
        ("size" = String, Path, description = "thumb: a square of at most 256 pixels out of the middle; small: all of it, at most 384 pixels wide and high; big: at most 1080"),
        ("path" = String, Path, description = "a JPEG, PNG, GIF, WebP, BMP or TIFF, may contain slashes"),
        PreviewQuery,
    ),
    responses(
        (status = 200, description = "the picture", content(
            (Content = "image/jpeg"), (Content = "image/png"), (Content = "application/octet-stream"),
        )),
        (status = 206, description = "a part of the file itself", body = Content, content_type = "application/octet-stream"),
        (status = 304, description = "the client has this already"),
        (status = 400, description = "another size, or a folder"),
        (status = 404, description = "not there, not in the viewer's view, or switched off"),
        (status = 412, description = "the content is another by now"),
        (status = 413, description = "over 100 megapixels or 128 MiB"),
        (status = 415, description = "no picture of these formats"),
        (status = 422, description = "broken"),
        (status = 423, description = "too many are waiting"),
    )
)]
pub(super) async fn preview(
    State(jail): State<Arc<Jail>>,
    State(previews): State<Workshop>,
    member: Member,
    Wanted { size, path }: Wanted,
    Parameters(query): Parameters<PreviewQuery>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    require(member.may.download)?;
    let location = member.view.existing(&path)?;
    let (file, meta) = blocking(move || {
        let found = jail.find(&location)?;
        Ok((jail.read_file(&found)?, found.meta))
    })
    .await?;
    let Settings { thumbnails, resize_preview, .. } = *member.settings;
    if !thumbnails || (size == Size::Big && !resize_preview) {
        return match size {
            Size::Thumb | Size::Small => Err(DiskError::NotFound.into()),
            Size::Big => {
                let whole = blocking(move || raw::answer(Source::new(file, meta), path.name(), true, &headers));
                Ok(whole.await?)
            }
        };
    }
    let validators = Validators::of(&meta);
    let mut response = if validators.is_known(&headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let made = previews.get((validators.tag().to_owned(), size), file).await?;
        let kind = HeaderValue::from_static(content_type(&made));
        let policy = HeaderValue::from_static(CONTENT_POLICY);
        ([(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, policy)], made).into_response()
    };
    validators.write(response.headers_mut());
    let keep = if query.k.is_some() { "private, max-age=604800, immutable" } else { "private, no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    Ok(response)
}
