//! Labels in the database.

use std::collections::HashMap;

use db_kit::{DbError, DbResult, FromQueryResult, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::form::LabelForm;
use super::model::{Label, LabelKind};

const COLUMNS: &str = "l.id, l.name, l.color, l.kind, \
    (select count(*) from dataset_labels d where d.label_id = l.id) as uses";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    name: String,
    color: String,
    kind: Word<LabelKind>,
    uses: i64,
}

impl From<Row> for Label {
    fn from(row: Row) -> Self {
        Self { id: row.id, name: row.name, color: row.color, kind: row.kind.0, uses: row.uses }
    }
}

/// All of them: they are few, because administrators make them.
pub(super) async fn all(db: &impl Sql) -> ApiResult<Vec<Label>> {
    let sql = format!("select {COLUMNS} from labels l order by l.kind, l.name_key");
    let rows: Vec<Row> = db.all(&sql, vec![]).await?;
    Ok(rows.into_iter().map(Label::from).collect())
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Label> {
    let row: Option<Row> =
        db.first(&format!("select {COLUMNS} from labels l where l.id = $1"), vec![id.into()]).await?;
    row.map(Label::from).ok_or_else(|| ApiError::not_found("标签"))
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
    #[derive(Debug, FromQueryResult)]
    struct Pair {
        dataset_id: String,
        label_id: String,
    }
    if datasets.is_empty() {
        return Ok(HashMap::new());
    }
    let known: HashMap<String, Label> = all(db).await?.into_iter().map(|label| (label.id.clone(), label)).collect();
    let sql = format!(
        "select d.dataset_id, d.label_id from dataset_labels d join labels l on l.id = d.label_id \
         where d.dataset_id in ({}) order by l.kind, l.name_key",
        placeholders(1, datasets.len())
    );
    let pairs: Vec<Pair> = db.all(&sql, datasets.iter().map(|id| (*id).into()).collect()).await?;
    let mut labels: HashMap<String, Vec<Label>> = HashMap::new();
    for Pair { dataset_id, label_id } in pairs {
        labels.entry(dataset_id).or_default().extend(known.get(&label_id).cloned());
    }
    Ok(labels)
}
