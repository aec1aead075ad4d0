//! `/api/images`: the images that the lab made.

use axum::extract::State;
use db_kit::Word;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Actor, Page, rules};

use super::deletion::Attempt;
use super::model::{Deletion, Image, ImageChange, ImageDetail, ImageQuery, ImageView};
use super::{deletion, store, view};
use crate::Portal;
use crate::check::Check;
use crate::features::logs::Acting;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(get, change, delete)).routes(routes!(look_at_deletion))
}

/// 镜像列表
///
/// Lists images made in the lab: the caller's, those shared with the caller's groups, and public ones; for
/// administrators all.
#[utoipa::path(get, path = "/api/images", operation_id = "images_list", tag = "images", params(ImageQuery),
    responses((status = 200, body = Page<ImageView>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: ImageQuery,
) -> ApiResult<Json<Page<ImageView>>> {
    let (found, total) = store::list(portal.db(), &actor, &query).await?;
    Ok(Json(Page { items: view::shown(&portal, &actor, found).await?, total }))
}

/// 一个镜像的层和历史
///
/// One image with its layers and history.
#[utoipa::path(get, path = "/api/images/{id}", operation_id = "images_get", tag = "images",
    params(("id" = String, Path)),
    responses((status = 200, body = ImageDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<ImageDetail>> {
    let image = store::visible(portal.db(), &actor, &id).await?;
    let described = image.described.clone();
    Ok(Json(ImageDetail { image: view::one_shown(&portal, &actor, image).await?, described }))
}

/// 修改镜像的可见范围和说明
///
/// Changes who may use it, and its description.
#[utoipa::path(put, path = "/api/images/{id}", operation_id = "images_update", tag = "images",
    params(("id" = String, Path)), request_body = ImageChange,
    responses((status = 200, body = ImageView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<ImageChange>,
) -> ApiResult<Json<ImageView>> {
    let mut check = Check::default();
    check.that(
        form.description.as_ref().is_none_or(|text| rules::is_text(text, 500)),
        "description",
        "最多 500 个字，不能有控制字符",
    );
    check.finish()?;
    let tx = portal.db().begin().await?;
    let mut image = own(&tx, &by.actor, &id).await?;
    image.visibility = form.visibility.unwrap_or(image.visibility);
    image.description = form.description.unwrap_or(image.description);
    store::change(&tx, &image).await?;
    by.record(&tx, "image.update", image.name(), Word(image.visibility).to_string()).await?;
    tx.commit().await?;
    Ok(Json(view::one_shown(&portal, &by.actor, image).await?))
}

/// 删除镜像会释放多少空间
///
/// What deleting it would free, and which instances forbid it.
#[utoipa::path(get, path = "/api/images/{id}/deletion", operation_id = "images_deletion", tag = "images",
    params(("id" = String, Path)),
    responses((status = 200, body = Deletion), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn look_at_deletion(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<Deletion>> {
    let image = own(portal.db(), &actor, &id).await?;
    Ok(Json(deletion::look(&portal, &image).await?))
}

/// 删除镜像
///
/// Deletes it on all servers and in the registry. 409 `image_in_use` while an instance, even a
/// stopped one, was made of it. Where it can't be removed it is left, unusable, and
/// tried again by itself.
#[utoipa::path(delete, path = "/api/images/{id}", operation_id = "images_delete", tag = "images",
    params(("id" = String, Path)),
    responses((status = 200, body = Deletion), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Json<Deletion>> {
    let image = own(portal.db(), &by.actor, &id).await?;
    match deletion::delete(&portal, &by, &image).await? {
        Attempt::Deleted(deletion) => Ok(Json(deletion)),
        Attempt::Gone => Err(ApiError::not_found("镜像")),
        Attempt::InUse(users) => {
            let message = format!("镜像正被 {} 个实例使用：{}", users.len(), users.join("、"));
            Err(ApiError::conflict("image_in_use", message))
        }
    }
}

/// An image that the actor may change.
async fn own(db: &impl db_kit::Sql, actor: &Actor, id: &str) -> ApiResult<Image> {
    let image = store::visible(db, actor, id).await?;
    if image.is_of(actor) { Ok(image) } else { Err(ApiError::conflict("not_owner", "只能更改自己的镜像")) }
}
