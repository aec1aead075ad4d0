//! Which folders of datasets a user may mount in an instance.

use std::collections::HashMap;

use db_kit::{DbResult, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::dataset::version_of;
use kernel::{Actor, Timestamp};

use super::store_uses::Use;
use super::{store, store_uses, store_versions};

/// The most datasets of one instance.
const MOST_MOUNTED: usize = 20;

/// A mount of an instance: the dataset's id, its folder, the version's number.
#[derive(Clone, Debug)]
pub(crate) struct Mountable {
    dataset: String,
    version: Option<i64>,
    /// Below `datasets`.
    pub(crate) folder: String,
}

/// Looks up these folders among those that the actor sees.
///
/// # Errors
/// 422 on the field `datasets`, with the same message for another user's private dataset and a missing one.
pub(crate) async fn mountable(db: &impl Sql, actor: &Actor, folders: &[String]) -> ApiResult<Vec<Mountable>> {
    if folders.len() > MOST_MOUNTED {
        return Err(ApiError::field("datasets", format!("最多 {MOST_MOUNTED} 个数据集")));
    }
    let mut chosen: HashMap<&str, Mountable> = HashMap::new();
    for folder in folders {
        let missing = || ApiError::field("datasets", format!("数据集 {folder} 不存在，或没有权限使用"));
        let (name, version) = match version_of(folder) {
            Some((name, number)) => (name, Some(number)),
            None => (folder.as_str(), None),
        };
        let dataset = store::ready_by_name(db, actor, name).await?.ok_or_else(missing)?;
        if let Some(number) = version
            && !store_versions::is_ready(db, &dataset.id, number).await?
        {
            return Err(missing());
        }
        chosen.insert(folder, Mountable { dataset: dataset.id, version, folder: folder.clone() });
    }
    let mut chosen: Vec<Mountable> = chosen.into_values().collect();
    chosen.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(chosen)
}

/// The instance that mounts a dataset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mounter<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    /// Its owner's name.
    pub(crate) username: &'a str,
}

/// Records that an instance mounts it.
pub(crate) async fn note_use(tx: &Tx, one: &Mountable, by: Mounter<'_>, at: Timestamp) -> DbResult<u64> {
    let used = Use {
        instance_id: by.id.to_owned(),
        instance_name: by.name.to_owned(),
        version: one.version,
        username: by.username.to_owned(),
    };
    store_uses::note(tx, &one.dataset, &used, at).await
}
