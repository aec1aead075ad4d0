//! Labels in the database.

use std::collections::HashMap;

use db_kit::{Columns, DbError, DbResult, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::form::LabelForm;
use super::model::Label;

fn select() -> String {
    format!(
        "select {}, (select count(*) from dataset_labels d where d.label_id = l.id) as uses from labels l",
        Label::columns_of("l")
    )
}

/// All of them: they are few, because administrators make them.
pub(super) async fn all(db: &impl Sql) -> ApiResult<Vec<Label>> {
    Ok(db.all(&format!("{} order by l.kind, l.name_key", select()), vec![]).await?)
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Label> {
    let sql = format!("{} where l.id = $1", select());
    db.first(&sql, vec![id.into()]).await?.ok_or_else(|| ApiError::not_found("标签"))
}

pub(super) async fn insert(tx: &Tx, id: &str, form: &LabelForm, at: Timestamp) -> ApiResult<()> {
    let sql = "insert into labels (id, name, name_key, color, kind, created) values ($1, $2, $3, $4, $5, $6)";
    let mut values = values(id, form);
    values.push(at.as_millis().into());
    tx.run(sql, values).await.map_err(name_taken)?;
    Ok(())
}

pub(super) async fn update(tx: &Tx, id: &str, form: &LabelForm) -> ApiResult<()> {
    let sql = "update labels set name = $2, name_key = $3, color = $4, kind = $5 where id = $1";
    tx.run(sql, values(id, form)).await.map_err(name_taken)?;
    Ok(())
}

fn values(id: &str, form: &LabelForm) -> Vec<db_kit::Value> {
    let key = form.name.to_lowercase();
    vec![id.into(), form.name.as_str().into(), key.into(), form.color.as_str().into(), Word(form.kind).into()]
}

fn name_taken(error: DbError) -> ApiError {
    if error.is_unique("labels_name_key_key") {
        ApiError::conflict("label_name_taken", "同名标签已存在").on_field("name")
    } else {
        error.into()
    }
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from labels where id = $1", vec![id.into()]).await
}

/// Replaces a dataset's labels.
pub(super) async fn set(tx: &Tx, dataset: &str, labels: &[String]) -> ApiResult<()> {
    let mut labels: Vec<&String> = labels.iter().collect();
    labels.sort_unstable();
    labels.dedup();
    tx.run("delete from dataset_labels where dataset_id = $1", vec![dataset.into()]).await?;
    if labels.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "insert into dataset_labels (dataset_id, label_id) select $1, id from labels where id in ({})",
        placeholders(2, labels.len())
    );
    let mut values = vec![dataset.into()];
    values.extend(labels.iter().map(|label| label.as_str().into()));
    let set = tx.run(&sql, values).await?;
    if set == labels.len() as u64 {
        Ok(())
    } else {
        Err(ApiError::field("labels", "有标签已不存在，请刷新后再试"))
    }
}

/// The labels of these datasets.
pub(super) async fn of(db: &impl Sql, datasets: &[&str]) -> ApiResult<HashMap<String, Vec<Label>>> {
    if datasets.is_empty() {
        return Ok(HashMap::new());
    }
    let known: HashMap<String, Label> = all(db).await?.into_iter().map(|label| (label.id.clone(), label)).collect();
    let sql = format!(
        "select d.dataset_id, d.label_id from dataset_labels d join labels l on l.id = d.label_id \
         where d.dataset_id in ({}) order by l.kind, l.name_key",
        placeholders(1, datasets.len())
    );
    let pairs: Vec<(String, String)> = db.pairs(&sql, datasets.iter().map(|id| (*id).into()).collect()).await?;
    let mut labels: HashMap<String, Vec<Label>> = HashMap::new();
    for (dataset, label) in pairs {
        labels.entry(dataset).or_default().extend(known.get(&label).cloned());
    }
    Ok(labels)
}
