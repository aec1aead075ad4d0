//! Images in the database.

use std::collections::HashMap;

use db_kit::{Column, Db, DbError, DbResult, Filter, FromQueryResult, Record, Sql, Tx, Word, like, placeholders};
use http_kit::{ApiError, ApiResult, ListParams};
use kernel::{Actor, Timestamp, UserId};

use super::model::{Image, ImageQuery};
use crate::visibility::seen;

const SORTS: &[(&str, &str)] =
    &[("created", "created"), ("repository", "repository"), ("size", "size"), ("username", "lower(username)")];

/// Adds an image. A name that a deleted image of the same person had is free again.
pub(super) async fn insert(tx: &Tx, one: &Image) -> ApiResult<()> {
    let forget = "delete from images where repository = $1 and tag = $2 and user_id = $3 and deleted is not null";
    tx.run(forget, vec![one.repository.as_str().into(), one.tag.as_str().into(), one.user.into()]).await?;
    let size = one.described.size.to_stored();
    one.insert_with(tx, &[("size", size.into())]).await.map_err(name_taken)?;
    Ok(())
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("images_repository_tag_key") { taken() } else { error.into() }
}

pub(super) fn taken() -> ApiError {
    ApiError::conflict("image_name_taken", "同名同标签的镜像已存在，请换一个名称或标签").on_field("tag")
}

/// Whether the user may not save under this name because it is taken.
pub(super) async fn is_taken(db: &impl Sql, repository: &str, tag: &str, user: UserId) -> DbResult<bool> {
    let sql = "select count(*) as n from images where repository = $1 and tag = $2 \
        and (deleted is null or user_id <> $3)";
    Ok(db.number(sql, vec![repository.into(), tag.into(), user.into()]).await? > 0)
}

/// An image that the actor may see.
pub(super) async fn visible(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Image> {
    let mut filter = Filter::default();
    filter.add("deleted is null and id = ?", id);
    if !actor.is_admin() {
        filter.add(&seen(), actor.id);
    }
    let sql = format!("{}{}", Image::select(), filter.clause());
    db.first(&sql, filter.values()).await?.ok_or_else(|| ApiError::not_found("镜像"))
}

pub(super) async fn by_name(db: &impl Sql, repository: &str, tag: &str) -> DbResult<Option<Image>> {
    let sql = format!("{} where repository = $1 and tag = $2 and deleted is null", Image::select());
    db.first(&sql, vec![repository.into(), tag.into()]).await
}

/// A person's images that are not deleted, by name.
pub(super) async fn owned_by(db: &impl Sql, user: UserId) -> DbResult<Vec<Image>> {
    let sql = format!("{} where user_id = $1 and deleted is null order by repository, tag, id", Image::select());
    db.all(&sql, vec![user.into()]).await
}

/// Transfers an image to another owner.
pub(super) async fn hand_over(tx: &Tx, id: &str, from: UserId, to: UserId, to_name: &str) -> DbResult<u64> {
    let sql = "update images set user_id = $3, username = $4 where id = $1 and user_id = $2 and deleted is null";
    tx.run(sql, vec![id.into(), from.into(), to.into(), to_name.into()]).await
}

/// A page of the images that the actor may see.
pub(super) async fn list(db: &Db, actor: &Actor, query: &ImageQuery) -> ApiResult<(Vec<Image>, i64)> {
    let ListParams { list, filter: query } = query;
    let rows = list.rows()?;
    let (column, direction) = (list.column(SORTS)?, list.order.unwrap_or_default().sql());
    let mut filter = Filter::default();
    // Every image was made after 1970: a condition needs a value.
    filter
        .add("deleted is null and created > ?", 0_i64)
        .add_some(
            "lower(repository || ':' || tag) like ? escape '\\' or lower(description) like ? escape '\\' \
             or lower(username) like ? escape '\\'",
            list.words().map(|words| like(&words)),
        )
        .add_some("visibility = ?", query.visibility.map(Word))
        .add_some(
            "manifest <> '' or id in (select image_id from image_servers where server_id = ?)",
            query.server.as_deref(),
        )
        .add_some("user_id = ?", query.mine.unwrap_or_default().then_some(actor.id));
    if !actor.is_admin() {
        filter.add(&seen(), actor.id);
    }
    let clause = filter.clause();
    let (limit, values) = filter.limited(rows.limit(), rows.offset());
    let sql = format!("{}{clause} order by {column} {direction}, id {direction}{limit}", Image::select());
    let found = db.all(&sql, values).await?;
    let total = db.number(&format!("select count(*) as n from images{clause}"), filter.values()).await?;
    Ok((found, total))
}

/// How many images of this repository (and tag) there are that the actor must not use.
pub(super) async fn count_hidden(db: &impl Sql, actor: &Actor, repository: &str, tag: Option<&str>) -> DbResult<i64> {
    let mut filter = Filter::default();
    filter.add("repository = ?", repository).add_some("tag = ?", tag);
    filter.add(&format!("not (deleted is null and ({}))", seen()), actor.id);
    db.number(&format!("select count(*) as n from images{}", filter.clause()), filter.values()).await
}

/// Whether any image was saved or built.
pub(crate) async fn are_there(db: &impl Sql) -> DbResult<bool> {
    let sql = "select count(*) as n from (select id from images where deleted is null limit 1) found";
    Ok(db.number(sql, vec![]).await? > 0)
}

/// How many images of this repository (and tag) there are.
pub(super) async fn count(db: &impl Sql, repository: &str, tag: Option<&str>) -> DbResult<i64> {
    let mut filter = Filter::default();
    filter.add("deleted is null and repository = ?", repository).add_some("tag = ?", tag);
    db.number(&format!("select count(*) as n from images{}", filter.clause()), filter.values()).await
}

/// Whether the digest is only that of images which the user (no administrator) may not use.
pub(super) async fn is_hidden_digest(db: &impl Sql, user: UserId, digest: &str) -> DbResult<bool> {
    let mut all = Filter::default();
    all.add("digest = ?", digest);
    let mut open = all.clone();
    open.add(&format!("deleted is null and ({})", seen()), user);
    let number = async |filter: &Filter| {
        db.number(&format!("select count(*) as n from images{}", filter.clause()), filter.values()).await
    };
    Ok(number(&all).await? > 0 && number(&open).await? == 0)
}

/// Names of images below a registry's address, each with whether a person (no administrator) may
/// use it.
pub(super) async fn below(db: &impl Sql, user: UserId, address: &str) -> DbResult<Vec<(String, String, bool)>> {
    #[derive(Debug, FromQueryResult)]
    struct Named {
        repository: String,
        tag: String,
        usable: i64,
    }
    let usable = seen().replace('?', "$2");
    let sql = format!(
        "select repository, tag, cast(case when deleted is null and ({usable}) then 1 else 0 end as bigint) as usable from images \
         where repository like $1 escape '\\'"
    );
    let pattern = like(&format!("{address}/")).trim_start_matches('%').to_owned();
    let rows: Vec<Named> = db.all(&sql, vec![pattern.into(), user.into()]).await?;
    Ok(rows.into_iter().map(|row| (row.repository, row.tag, row.usable == 1)).collect())
}

/// An image that is kept, and whether a person (no administrator) may use it.
#[derive(Debug, FromQueryResult)]
pub(super) struct Standing {
    pub(super) repository: String,
    pub(super) tag: String,
    pub(super) digest: String,
    usable: i64,
}

impl Standing {
    pub(super) fn is_usable(&self) -> bool {
        self.usable == 1
    }
}

/// All images in the table, also those that are being deleted.
pub(super) async fn standing(db: &impl Sql, user: UserId) -> DbResult<Vec<Standing>> {
    let usable = seen().replace('?', "$1");
    let sql = format!(
        "select repository, tag, digest, \
         cast(case when deleted is null and ({usable}) then 1 else 0 end as bigint) as usable from images"
    );
    db.all(&sql, vec![user.into()]).await
}

pub(super) async fn change(tx: &Tx, one: &Image) -> DbResult<u64> {
    let sql = "update images set visibility = $2, description = $3 where id = $1 and deleted is null";
    tx.run(sql, vec![one.id.as_str().into(), Word(one.visibility).into(), one.description.as_str().into()]).await
}

/// It is in the registry now.
pub(super) async fn note_manifest(tx: &Tx, id: &str, manifest: &str) -> DbResult<u64> {
    tx.run("update images set manifest = $2 where id = $1", vec![id.into(), manifest.into()]).await
}

/// Marks an image as deleted and unusable; `false` when another request was first.
pub(super) async fn note_deletion(tx: &Tx, id: &str, at: Timestamp) -> DbResult<bool> {
    let sql = "update images set deleted = $2 where id = $1 and deleted is null";
    Ok(tx.run(sql, vec![id.into(), at.as_millis().into()]).await? > 0)
}

/// Deleted images that are not removed everywhere and had no attempt since `before`; the oldest first.
pub(super) async fn half_deleted(db: &impl Sql, before: Timestamp, most: u32) -> DbResult<Vec<Image>> {
    let sql = format!("{} where deleted <= $1 order by deleted, id limit $2", Image::select());
    db.all(&sql, vec![before.as_millis().into(), i64::from(most).into()]).await
}

/// The deletion is tried again now; `false` when it ended, or was tried since then.
pub(super) async fn note_deletion_again(tx: &Tx, id: &str, before: Timestamp, now: Timestamp) -> DbResult<bool> {
    let sql = "update images set deleted = $3 where id = $1 and deleted <= $2";
    Ok(tx.run(sql, vec![id.into(), before.as_millis().into(), now.as_millis().into()]).await? > 0)
}

/// Deletes the row of an image that is removed everywhere.
pub(super) async fn forget(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from images where id = $1", vec![id.into()]).await
}

/// It is on this server.
pub(super) async fn note_place(tx: &Tx, id: &str, server: &str) -> DbResult<u64> {
    let sql = "insert into image_servers (image_id, server_id) values ($1, $2) on conflict do nothing";
    tx.run(sql, vec![id.into(), server.into()]).await
}

/// The servers that have these images.
pub(super) async fn places(db: &impl Sql, ids: &[&str]) -> DbResult<HashMap<String, Vec<String>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select image_id, server_id from image_servers where image_id in ({}) order by server_id",
        placeholders(1, ids.len())
    );
    let pairs: Vec<(String, String)> = db.pairs(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    let mut places: HashMap<String, Vec<String>> = HashMap::new();
    for (image, server) in pairs {
        places.entry(image).or_default().push(server);
    }
    Ok(places)
}
