//! `/api/backups`, for administrators.

use std::collections::HashSet;

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, Json, Problem, Routes, routes};
use uuid::Uuid;

use super::DUTY;
use super::maker::{BackupMaker, BackupPlace};
use super::model::{Backup, BackupKind, BackupList, BackupQuery, BackupSettings};
use super::store;
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::peers::Word;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create))
}

/// 备份和最近一次成功的备份
///
/// Backups of the database and of the files, the newest first.
#[utoipa::path(get, path = "/api/backups", operation_id = "backups_list", tag = "backups", params(BackupQuery),
    responses((status = 200, body = BackupList), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(State(portal): State<Portal>, _: Administrator, query: BackupQuery) -> ApiResult<Json<BackupList>> {
    let db = portal.db();
    let rows = query.list.rows()?;
    // Read first, so that a backup which ends meanwhile does not look finished here and running in the list.
    let running = store::running(db).await?;
    let (items, total) = store::list(db, rows).await?;
    let last_database = store::last_good(db, BackupKind::Database).await?;
    let last_files = store::last_good(db, BackupKind::Files).await?;
    let maker = portal.backup_maker();
    let files = Files::of(&portal, maker, items.iter().chain(&last_database)).await;
    let settings = match maker {
        Some(maker) => Some(BackupSettings::from(maker.place().await)),
        None => None,
    };
    Ok(Json(BackupList {
        settings,
        now: portal.now(),
        running: running.map(|row| files.show(row)),
        last_database: last_database.map(|row| files.show(row)),
        last_files: last_files.map(|row| files.show(row)),
        items: items.into_iter().map(|row| files.show(row)).collect(),
        total,
    }))
}

/// 立即备份数据库
///
/// Has a backup of the database made by the portal that leads. The answer does not wait for it.
#[utoipa::path(post, path = "/api/backups", operation_id = "backups_create", tag = "backups",
    responses((status = 202, body = Backup), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
) -> ApiResult<(StatusCode, Json<Backup>)> {
    if portal.backup_maker().is_none() {
        return Err(ApiError::conflict("backups_unavailable", "这个平台不能备份"));
    }
    let (now, id) = (portal.now(), Uuid::now_v7().to_string());
    let tx = portal.db().begin().await?;
    let begun = store::begin(&tx, &id, "", "", now).await;
    begun.map_err(|error| {
        let running = error.is_unique("backups_kind_key");
        if running { ApiError::conflict("backup_running", "正在备份，请等它完成") } else { error.into() }
    })?;
    by.record(&tx, "backup.create", "数据库".to_owned(), "").await?;
    let begun = store::running(&tx).await?.ok_or_else(|| ApiError::not_found("备份"))?;
    tx.commit().await?;
    portal.activate_duty(DUTY);
    portal.tell_peers(Word::RunDuty { duty: DUTY.to_owned() });
    Ok((StatusCode::ACCEPTED, Json(begun)))
}

/// Which files of this portal's backups are still there.
struct Files<'a> {
    portal: &'a str,
    present: HashSet<String>,
}

impl<'a> Files<'a> {
    async fn of(portal: &'a Portal, maker: Option<&dyn BackupMaker>, rows: impl Iterator<Item = &Backup>) -> Self {
        let own = rows.filter(|row| row.portal == portal.id() && !row.file.is_empty());
        let names: HashSet<String> = own.map(|row| row.file.clone()).collect();
        let present = match maker {
            Some(maker) if !names.is_empty() => maker.present(names.into_iter().collect()).await,
            _ => Vec::new(),
        };
        Self { portal: portal.id(), present: present.into_iter().collect() }
    }

    fn show(&self, one: Backup) -> Backup {
        let here = one.portal == self.portal && !one.file.is_empty();
        let present = here.then(|| self.present.contains(&one.file));
        Backup { present, ..one }
    }
}

impl From<BackupPlace> for BackupSettings {
    fn from(place: BackupPlace) -> Self {
        let BackupPlace { folder, keep, encrypted, beside_data } = place;
        Self { folder, keep, encrypted, beside_data }
    }
}
