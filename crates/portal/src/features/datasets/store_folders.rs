//! The folders of datasets that a user sees on the disk.

use db_kit::{DbResult, Filter, FromQueryResult, Sql, Word};
use kernel::UserId;
use kernel::dataset::{DatasetFolder, version_folder, version_of};

use super::model::DatasetState;
use crate::visibility::seen;

/// The datasets, with their versions, that an ordinary user sees.
pub(crate) async fn folders_of(db: &impl Sql, user: UserId) -> DbResult<Vec<DatasetFolder>> {
    #[derive(Debug, FromQueryResult)]
    struct Row {
        name: String,
        user_id: UserId,
        number: Option<i64>,
    }
    let mut filter = Filter::default();
    filter.add("removed_by is null and state = ?", Word(DatasetState::Ready)).add(&seen(), user);
    // Filtered first, because both tables have columns of these names.
    let sql = format!(
        "select d.name, d.user_id, v.number from (select id, name, user_id from datasets{}) d \
         left join dataset_versions v on v.dataset_id = d.id and v.state = 'ready' and v.removed_by is null \
         order by d.name, v.number",
        filter.clause()
    );
    let rows: Vec<Row> = db.all(&sql, filter.values()).await?;
    let mut folders: Vec<DatasetFolder> = Vec::with_capacity(rows.len());
    for row in rows {
        if folders.last().is_none_or(|last| !is_of(&last.folder, &row.name)) {
            folders.push(DatasetFolder { folder: row.name.clone(), writable: row.user_id == user });
        }
        if let Some(number) = row.number {
            folders.push(DatasetFolder { folder: version_folder(&row.name, number), writable: false });
        }
    }
    Ok(folders)
}

/// Whether a folder is the dataset's or one of its versions'.
fn is_of(folder: &str, name: &str) -> bool {
    folder == name || version_of(folder).is_some_and(|(of, _)| of == name)
}
