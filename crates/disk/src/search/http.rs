//! The request.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use disk_core::jail::MAX_DEPTH;
use disk_core::reason::{Reason, Why};
use http::HeaderMap;
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::{Form, Hit, answer};
use super::found::{FoundFiles, Lists};
use super::names::Words;
use super::walk::{SearchRequest, Walk};
use super::{Query, Turns};
use crate::host::ReadParts;
use crate::http::{HttpResult, Member, Parameters, Target};

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// Words and "phrases in quotes", any one of which is in the name; `type:image`, `audio`, `video`, `pdf`, `text`,
    /// `archive` or an ending, any one of which the file has; `case:sensitive`. At most 1024 bytes and 32 words.
    #[serde(default)]
    #[param(required = false)]
    query: String,
    /// Levels of folders to look at, from 1; all of them without this.
    depth: Option<u32>,
}

/// 按名称搜索
///
/// Finds by name what the viewer sees below a folder, in no order. With `Accept: application/x-ndjson` each hit is a
/// line of its own; an empty line only says that the search goes on.
#[utoipa::path(
    get, path = "/api/search/{path}", tag = "search", operation_id = "search",
    params(("path" = String, Path, description = "a folder, may contain slashes"), SearchQuery),
    responses(
        (status = 200, description = "sent as it is found", content(
            (Vec<Hit> = "application/json"), (Hit = "application/x-ndjson"),
        )),
        (status = 400, description = "no folder, or too long a query"),
        (status = 404, description = "not there, or not in the viewer's view"),
    )
)]
pub(super) async fn search(
    State(parts): State<ReadParts>,
    State(turns): State<Turns>,
    member: Member,
    Target(path): Target,
    Parameters(asked): Parameters<SearchQuery>,
    headers: HeaderMap,
) -> HttpResult<Response> {
    let query = Query::parse(&asked.query)
        .map_err(|error| DiskError::bad_request(Why::told(Reason::SearchMalformed, error.to_string())))?;
    let depth = match asked.depth {
        Some(0) => return Err(DiskError::bad_request(Reason::DepthMalformed).into()),
        Some(levels) => usize::try_from(levels).unwrap_or(MAX_DEPTH),
        None => MAX_DEPTH,
    };
    let request = SearchRequest { query, form: Form::accepted_by(&headers, member.settings.filebrowser_pages), depth };
    let walk = blocking(move || Walk::start(parts, &member, &path, request)).await?;
    Ok(answer(walk, turns).await?)
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FindQuery {
    /// Words that are all in the name or the names of the folders above it, at least one in the name itself. At most
    /// 200 bytes; without words nothing is found, but the list of names is prepared.
    #[serde(default)]
    #[param(required = false)]
    q: String,
}

/// 在整个网盘里快速查找
///
/// Finds by name in everything that the viewer sees, while the user is typing: the best few, within a tenth of a
/// second. `searching` says whether folders are left that were not looked through by then.
#[utoipa::path(
    get, path = "/api/find", tag = "search", operation_id = "findFiles", params(FindQuery),
    responses((status = 200, body = FoundFiles), (status = 400, description = "too long a question"))
)]
pub(super) async fn find(
    State(parts): State<ReadParts>,
    State(turns): State<Turns>,
    State(lists): State<Lists>,
    member: Member,
    Parameters(asked): Parameters<FindQuery>,
) -> HttpResult<Json<FoundFiles>> {
    let words = Words::parse(&asked.q)
        .ok_or_else(|| DiskError::bad_request(Why::told(Reason::SearchMalformed, "query too long".to_owned())))?;
    let (id, kept) = (member.actor.id, lists.of(&member));
    // A person's calls go one after the other, and wait for each other without holding a turn.
    let mut list = kept.list().await;
    let turn = turns.take().await?;
    let (found, bytes) = blocking(move || {
        let found = list.find(&parts, &member, &words)?;
        drop(turn);
        Ok((found, list.bytes()))
    })
    .await?;
    lists.weigh_again(id, kept, bytes);
    Ok(Json(found))
}
