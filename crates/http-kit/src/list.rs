//! The query parameters of every list.

use kernel::{MAX_PAGE_SIZE, Order, PageRequest};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{ApiError, ApiResult};

/// `page`, `size`, `sort`, `order` and `q`. Flattening would lose the number types in a query string, so each list's own
/// query has these fields by name and passes them here ([`listed!`](crate::listed)).
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

/// Makes a [`ListQuery`] of a list's own query, which has its five fields by name.
#[macro_export]
macro_rules! listed {
    ($query:ty) => {
        impl From<&$query> for $crate::ListQuery {
            fn from(query: &$query) -> Self {
                Self {
                    page: query.page,
                    size: query.size,
                    sort: query.sort.clone(),
                    order: query.order,
                    q: query.q.clone(),
                }
            }
        }
    };
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
