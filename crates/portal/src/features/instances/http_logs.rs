//! `GET /api/instances/{id}/logs`: the output of an instance's main process.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engine::LogQuery;
use futures_util::{StreamExt, stream};
use http::{HeaderValue, header};
use http_kit::{ApiError, ApiResult, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::ErrorKind;
use serde::Deserialize;
use tokio::time::timeout;
use utoipa::IntoParams;

use super::enter::{entered, placed};
use crate::Portal;
use crate::features::clusters;
use crate::features::session::SignIn;
use crate::features::terminals::{self, Open};
use crate::sockets::Kind;

/// An engine that refuses does so within this time; an engine that sends nothing has no output yet.
const BEGINNING: Duration = Duration::from_secs(3);

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(logs))
}

/// Which part of the log.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct LogsQuery {
    /// How many of the last lines; 500 when left out.
    #[param(minimum = 1, maximum = 100000)]
    lines: Option<u32>,
    /// Follow the output until the instance stops.
    follow: Option<bool>,
    /// Begin each line with its time.
    timestamps: Option<bool>,
}

/// 实例的输出
///
/// What the instance's own program wrote, both of its outputs as they came. An answer that breaks
/// off is not the whole log.
#[utoipa::path(get, path = "/api/instances/{id}/logs", operation_id = "instances_logs", tag = "instances",
    params(("id" = String, Path), LogsQuery),
    responses((status = 200, body = String, content_type = "text/plain; charset=utf-8"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn logs(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Query(query): Query<LogsQuery>,
) -> ApiResult<Response> {
    let lines = query.lines.unwrap_or(500);
    if !(1..=100_000).contains(&lines) {
        return Err(ApiError::bad_request("lines 应在 1 到 100000 之间"));
    }
    let one = entered(&portal, &actor, &id).await?;
    let (runtime, workload) = placed(&portal, &one).await?;
    let seat = portal.sockets().seat(actor.id, Kind::Work).ok_or_else(too_many)?;
    let sign_in = SignIn::of(&portal, &actor).await?;
    let query = LogQuery {
        tail: Some(lines),
        follow: query.follow.unwrap_or_default(),
        since: None,
        timestamps: query.timestamps.unwrap_or_default(),
    };
    let mut pieces = runtime.logs(&workload, query);
    let first = match timeout(BEGINNING, pieces.next()).await {
        Ok(Some(Err(error))) => return Err(clusters::not_entered(error)),
        Ok(Some(Ok(piece))) => stream::iter(Some(Ok(piece))).chain(pieces).boxed(),
        Ok(None) => stream::empty().boxed(),
        Err(_) => pieces,
    };
    let ended = async move {
        let _seat = seat;
        terminals::ended(portal, sign_in, Open::Log(id)).await
    };
    let bytes = first.map(|piece| piece.map(|piece| piece.bytes).map_err(io::Error::other));
    let body = Body::from_stream(bytes.take_until(Box::pin(ended)));
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, text)], body).into_response())
}

fn too_many() -> ApiError {
    ApiError::new(ErrorKind::TooManyRequests, "too_many_open", "打开的终端和日志太多，请先关闭一些")
}
