//! Facts about an instance that saving it as an image needs.

use db_kit::Sql;
use engine::{ContainerRef, Error};
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind};

use super::http::known;
use super::policy;
use super::reconcile::{container, said};
use super::state::State;

/// An instance that can be saved.
#[derive(Clone, Debug)]
pub(crate) struct Saveable {
    pub(crate) server: String,
    pub(crate) container: ContainerRef,
    pub(crate) image: String,
    /// Where the network disk's folders are in it.
    pub(crate) mounts: Vec<String>,
}

/// Returns an instance with a root: the actor's own, or any for administrators. A suspended instance's owner may not
/// save it.
pub(crate) async fn saveable(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Saveable> {
    let (one, standing) = known(db, actor, id).await?;
    policy::may_change(standing)?;
    policy::unless_kept(actor, &one)?;
    let has_root = matches!(one.state, State::Running | State::Stopped) && !one.engine_id.is_empty();
    match container(&one).filter(|_| has_root) {
        Some(container) => Ok(Saveable {
            container,
            mounts: one.mounts.into_iter().map(|mount| mount.target).collect(),
            server: one.server,
            image: one.image,
        }),
        None => Err(ApiError::conflict("instance_state", format!("实例{}，不能保存为镜像", one.state))),
    }
}

/// An engine's refusal as the answer of a call.
pub(crate) fn refused(what: &str, error: &Error) -> ApiError {
    match error {
        Error::Unreachable(_) => {
            ApiError::new(ErrorKind::Unavailable, "server_unreachable", format!("{what}：服务器暂时失联，请稍后再试"))
        }
        _ => ApiError::conflict("engine_refused", said(what, error)),
    }
}
