//! Facts about an instance that saving it as an image needs.

use db_kit::Sql;
use engine::WorkloadId;
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::http::known;
use super::policy;
use super::reconcile::workload_id;
use super::state::State;

/// An instance that can be saved.
#[derive(Clone, Debug)]
pub(super) struct Saveable {
    pub(super) server: String,
    pub(super) workload: WorkloadId,
    /// The cluster's id of what it is made as.
    pub(super) object: String,
    pub(super) image: String,
    /// Where the network disk's folders are in it.
    pub(super) mounts: Vec<String>,
}

/// Returns an instance with a root: the actor's own, or any for administrators. A suspended instance's owner may not
/// save it.
pub(super) async fn saveable(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Saveable> {
    let (one, standing) = known(db, actor, id).await?;
    policy::may_change(standing)?;
    policy::unless_kept(actor, &one)?;
    let has_root = matches!(one.state, State::Running | State::Stopped) && !one.engine_id.is_empty();
    if !has_root {
        return Err(ApiError::conflict("instance_state", format!("实例{}，不能保存为镜像", one.state)));
    }
    Ok(Saveable {
        workload: workload_id(&one)?,
        object: one.engine_id,
        mounts: one.mounts.into_iter().map(|mount| mount.target).collect(),
        server: one.server,
        image: one.image,
    })
}
