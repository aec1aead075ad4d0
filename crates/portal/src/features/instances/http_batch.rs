//! `/api/instances/batch`: one action on several instances. Each is independent: a refusal does not hold up the others.

use axum::extract::State;
use db_kit::Sql;
use http_kit::{ApiError, ApiResult, Json, Problem, Routes, routes};
use kernel::ErrorKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::changes::Action;
use super::model::{Instance, InstanceView};
use super::{http, store, view};
use crate::Portal;
use crate::features::logs::{self, Acting};

/// As many as a page of the list has at most.
const MOST: usize = 200;

/// What is to be done to which instances.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstanceBatch {
    #[schema(inline)]
    action: Action,
    /// Each once.
    #[schema(min_items = 1, max_items = 200)]
    ids: Vec<String>,
}

/// The outcome for each instance, in the order of the request.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceBatchResult {
    /// Those that it was written down for, as they are now.
    done: Vec<InstanceView>,
    refused: Vec<InstanceRefusal>,
}

/// One that stays as it is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct InstanceRefusal {
    id: String,
    /// The same word as that of the call for one instance.
    code: String,
    /// Why, for people.
    message: String,
}

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(batch))
}

/// 批量启动、停止、重启、释放实例
///
/// Starts, stops, restarts or releases several instances, each as by its own call. Refused ones are returned with the
/// reason, and the others go on.
#[utoipa::path(post, path = "/api/instances/batch", operation_id = "instances_batch", tag = "instances",
    request_body = InstanceBatch,
    responses((status = 200, body = InstanceBatchResult), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn batch(
    State(portal): State<Portal>,
    by: Acting,
    Json(form): Json<InstanceBatch>,
) -> ApiResult<Json<InstanceBatchResult>> {
    check(&form.ids)?;
    let (mut done, mut refused): (Vec<Instance>, Vec<InstanceRefusal>) = (Vec::new(), Vec::new());
    for id in form.ids {
        match http::act_on(&portal, &by, &id, form.action).await {
            Ok(one) => done.push(one),
            Err(error) if is_refusal(&error) => {
                let target = name_of(portal.db(), &id).await?;
                let tried = by.operation(form.action.word(), target, error.message());
                let tx = portal.db().begin().await?;
                logs::record_outcome(&tx, portal.now(), tried, true).await?;
                tx.commit().await?;
                let (code, message) = (error.code().to_owned(), error.message().to_owned());
                refused.push(InstanceRefusal { id, code, message });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Json(InstanceBatchResult { done: view::shown(&portal, &by.actor, done).await?, refused }))
}

fn check(ids: &[String]) -> ApiResult<()> {
    if ids.is_empty() || ids.len() > MOST {
        return Err(ApiError::field("ids", format!("一次选择 1 到 {MOST} 个实例")));
    }
    if ids.iter().enumerate().any(|(at, id)| ids[..at].contains(id)) {
        return Err(ApiError::field("ids", "同一个实例选了两次"));
    }
    Ok(())
}

/// Whether the error concerns this instance alone, rather than a fault of the portal that the next one would meet, too.
fn is_refusal(error: &ApiError) -> bool {
    !matches!(error.kind(), ErrorKind::Internal | ErrorKind::Full)
}

/// The name for the log; an instance that does not exist has only its id.
async fn name_of(db: &impl Sql, id: &str) -> ApiResult<String> {
    match store::by_id(db, id).await {
        Ok(one) => Ok(one.name),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(id.to_owned()),
        Err(error) => Err(error),
    }
}
