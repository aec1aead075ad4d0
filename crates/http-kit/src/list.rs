//! The query parameters of every list.

use axum::extract::FromRequestParts;
use http::Uri;
use http::request::Parts;
use kernel::{MAX_PAGE_SIZE, Order, PageRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::{RefOr, Schema};

use crate::extract::query_of;
use crate::{ApiError, ApiResult};

/// `page`, `size`, `sort`, `order` and `q`.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    /// Page, from 1.
    #[param(minimum = 1)]
    pub page: Option<u32>,
    /// Rows on a page, 1 to 200, otherwise 20.
    #[param(minimum = 1, maximum = 200)]
    pub size: Option<u32>,
    /// Column to sort by.
    pub sort: Option<String>,
    /// Direction.
    #[param(inline)]
    pub order: Option<Order>,
    /// Words to look for.
    #[param(max_length = 200)]
    pub q: Option<String>,
}

impl ListQuery {
    /// The requested rows.
    ///
    /// # Errors
    /// 400 when `page` or `size` is out of bounds.
    pub fn rows(&self) -> ApiResult<PageRequest> {
        PageRequest::new(self.page, self.size)
            .ok_or_else(|| ApiError::bad_request(format!("page 从 1 开始，size 为 1 到 {MAX_PAGE_SIZE}")))
    }

    /// The SQL column behind `sort`, looked up in `columns` (name in the API, SQL expression); the first one by
    /// default.
    ///
    /// # Errors
    /// 400 when the list cannot be sorted by that.
    pub fn column(&self, columns: &[(&str, &'static str)]) -> ApiResult<&'static str> {
        let Some(wanted) = &self.sort else { return Ok(columns.first().map_or("1", |(_, sql)| sql)) };
        columns
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, sql)| *sql)
            .ok_or_else(|| ApiError::bad_request("不能按该列排序"))
    }

    /// The search text, trimmed and in lower case; `None` when it is empty.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let words = self.q.as_deref().unwrap_or_default().trim().to_lowercase();
        (!words.is_empty()).then_some(words)
    }
}

/// The filters of one list, and what it takes of [`ListQuery`].
pub trait ListFilter: DeserializeOwned + IntoParams {
    /// What `sort` may be, for the document; empty: neither `sort` nor `order` is taken.
    const SORTS: &'static str = "";
    /// Where `q` is looked for, for the document; empty: `q` is not taken.
    const WORDS: &'static str = "";
    /// The most characters of `q` that the document names.
    const MOST_WORDS: Option<usize> = None;
}

/// The query of a list that has no filters.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoFilter {}

impl IntoParams for NoFilter {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        Vec::new()
    }
}

impl ListFilter for NoFilter {}

/// A list's query: page, order and words, and its own filters. The two are parsed apart, because serde's flattening would
/// lose the number types in a query string.
#[derive(Clone, Debug, Default)]
pub struct ListParams<F> {
    /// Page, order and words.
    pub list: ListQuery,
    /// Its own filters.
    pub filter: F,
}

/// Whether a parameter is one of those that lists have in common, and this one takes it.
fn is_common<F: ListFilter>(name: &str) -> bool {
    match name {
        "page" | "size" => true,
        "sort" | "order" => !F::SORTS.is_empty(),
        "q" => !F::WORDS.is_empty(),
        _ => false,
    }
}

impl<S: Send + Sync, F: ListFilter> FromRequestParts<S> for ListParams<F> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> ApiResult<Self> {
        let query = parts.uri.query().unwrap_or_default();
        let name = |pair: &str| is_common::<F>(pair.split('=').next().unwrap_or_default());
        let (common, own): (Vec<&str>, Vec<&str>) = query.split('&').partition(|pair| name(pair));
        Ok(Self { list: part_of(&common)?, filter: part_of(&own)? })
    }
}

fn part_of<T: DeserializeOwned>(pairs: &[&str]) -> ApiResult<T> {
    let uri: Uri = format!("/?{}", pairs.join("&")).parse().map_err(|_| ApiError::bad_request("查询参数有误"))?;
    query_of(&uri)
}

impl<F: ListFilter> IntoParams for ListParams<F> {
    fn into_params(parameter_in: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let common = ListQuery::into_params(&parameter_in).into_iter();
        let common = common.filter(|parameter| is_common::<F>(&parameter.name)).map(|mut parameter| {
            parameter.description = match parameter.name.as_str() {
                "sort" => Some(F::SORTS.to_owned()),
                "q" => Some(F::WORDS.to_owned()),
                _ => None,
            };
            if let ("q", Some(RefOr::T(Schema::Object(text)))) = (parameter.name.as_str(), &mut parameter.schema) {
                text.max_length = F::MOST_WORDS;
            }
            parameter
        });
        common.chain(F::into_params(parameter_in)).collect()
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize, IntoParams)]
    #[into_params(parameter_in = Query)]
    #[serde(deny_unknown_fields)]
    struct OfGroup {
        /// Of this group.
        group: Option<i64>,
    }

    impl ListFilter for OfGroup {
        const SORTS: &'static str = "`name` or `id`.";
    }

    async fn parsed<F: ListFilter>(query: &str) -> ApiResult<ListParams<F>> {
        let (mut parts, ()) = Request::get(format!("/x?{query}")).body(()).unwrap().into_parts();
        ListParams::from_request_parts(&mut parts, &()).await
    }

    #[tokio::test]
    async fn common_parameters_and_filters_are_told_apart() {
        let params = parsed::<OfGroup>("page=2&group=7&sort=name&order=desc").await.unwrap();
        let ListQuery { page, size, sort, order, q } = params.list;
        assert_eq!((page, size, sort.as_deref(), q), (Some(2), None, Some("name"), None));
        assert_eq!(order, Some(Order::Desc));
        assert_eq!(params.filter, OfGroup { group: Some(7) });
        assert_eq!(parsed::<OfGroup>("").await.unwrap().filter, OfGroup::default());
    }

    #[tokio::test]
    async fn what_a_list_does_not_take_is_refused() {
        for query in ["q=x", "group=x", "page=x", "other=1", "page=1&page=2", "group=%00"] {
            assert!(parsed::<OfGroup>(query).await.is_err(), "{query}");
        }
        for query in ["sort=name", "order=asc", "q=x", "group=7"] {
            assert!(parsed::<NoFilter>(query).await.is_err(), "{query}");
        }
        assert!(parsed::<NoFilter>("page=1&size=5").await.is_ok());
    }

    #[test]
    fn the_document_has_what_a_list_takes() {
        let parameters = ListParams::<OfGroup>::into_params(|| None);
        let named: Vec<_> = parameters.iter().map(|one| (one.name.as_str(), one.description.as_deref())).collect();
        let sorts = Some("`name` or `id`.");
        assert_eq!(
            named,
            [("page", None), ("size", None), ("sort", sorts), ("order", None), ("group", Some("Of this group."))]
        );
        let parameters = ListParams::<NoFilter>::into_params(|| None);
        assert!(parameters.iter().map(|one| one.name.as_str()).eq(["page", "size"]));
    }
}
