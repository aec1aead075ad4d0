//! Datasets as a user sees them.

use db_kit::Sql;
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::model::{Dataset, DatasetDetail, DatasetOwner, DatasetUse, DatasetView};
use super::{policy, store_labels, store_uses};

/// With labels and counts: a few further queries for all of them.
pub(super) async fn shown(db: &impl Sql, actor: &Actor, datasets: Vec<Dataset>) -> ApiResult<Vec<DatasetView>> {
    let ids: Vec<&str> = datasets.iter().map(|one| one.id.as_str()).collect();
    let mut labels = store_labels::of(db, &ids).await?;
    let mut counts = store_uses::counts(db, &ids).await?;
    let view = |one: Dataset| {
        let (uses, versions) = counts.remove(&one.id).unwrap_or_default();
        DatasetView {
            editable: policy::may_edit(actor, &one),
            path: format!("/datasets/{}", one.name),
            labels: labels.remove(&one.id).unwrap_or_default(),
            id: one.id,
            name: one.name,
            title: one.title,
            r#type: one.kind,
            visibility: one.visibility,
            owner: DatasetOwner { id: one.user, username: one.username },
            licence: one.licence,
            source: one.source,
            cover: one.cover,
            state: one.state,
            fault: one.fault,
            size: one.size,
            files: one.files,
            partial: one.partial,
            counted: one.counted,
            versions,
            uses,
            created: one.created,
            changed: one.changed,
        }
    };
    Ok(datasets.into_iter().map(view).collect())
}

pub(super) async fn one_shown(db: &impl Sql, actor: &Actor, dataset: Dataset) -> ApiResult<DatasetView> {
    shown(db, actor, vec![dataset]).await?.pop().ok_or_else(|| ApiError::internal("one dataset gives one view"))
}

pub(super) async fn detail(db: &impl Sql, actor: &Actor, dataset: Dataset) -> ApiResult<DatasetDetail> {
    let instances = match policy::may_edit(actor, &dataset) {
        true => Some(instances_with(db, &dataset.id).await?),
        false => None,
    };
    let description = dataset.description.clone();
    Ok(DatasetDetail { dataset: one_shown(db, actor, dataset).await?, description, instances })
}

/// The instances, except released ones, that mount a dataset or a version of it.
pub(super) async fn instances_with(db: &impl Sql, dataset: &str) -> ApiResult<Vec<DatasetUse>> {
    let uses = store_uses::of(db, dataset).await?.into_iter();
    let named =
        uses.map(|one| DatasetUse { instance: one.instance_name, username: one.username, version: one.version });
    Ok(named.collect())
}
