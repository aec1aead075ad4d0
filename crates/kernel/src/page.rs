//! A page of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{Array, ArrayBuilder, Ref};

/// The default number of rows on a page.
pub const DEFAULT_PAGE_SIZE: u32 = 20;
/// Rows on a page at most.
pub const MAX_PAGE_SIZE: u32 = 200;

/// Which way a list is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Smallest first.
    #[default]
    Asc,
    /// Largest first.
    Desc,
}

impl Order {
    /// The SQL keyword.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Asc => "asc",
            Self::Desc => "desc",
        }
    }
}

/// Which rows are wanted, already within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    offset: i64,
    limit: i64,
}

impl PageRequest {
    /// `page` counts from 1. `None` when a number is out of bounds.
    #[must_use]
    pub fn new(page: Option<u32>, size: Option<u32>) -> Option<Self> {
        let (page, size) = (page.unwrap_or(1), size.unwrap_or(DEFAULT_PAGE_SIZE));
        let fine = page >= 1 && (1..=MAX_PAGE_SIZE).contains(&size);
        fine.then(|| Self { offset: i64::from(page - 1) * i64::from(size), limit: i64::from(size) })
    }

    /// The first `limit` rows, for exports.
    #[must_use]
    pub fn all(limit: i64) -> Self {
        Self { offset: 0, limit }
    }

    /// Rows to take.
    #[must_use]
    pub fn limit(self) -> i64 {
        self.limit
    }

    /// Rows to pass over.
    #[must_use]
    pub fn offset(self) -> i64 {
        self.offset
    }
}

/// A page of a list and how long the whole list is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(bound = "T: ToSchema")]
pub struct Page<T> {
    /// The rows asked for.
    #[schema(schema_with = rows::<T>)]
    pub items: Vec<T>,
    /// Rows in all pages together.
    pub total: i64,
}

impl<T> Page<T> {
    /// The whole list as a single page.
    #[must_use]
    pub fn whole(items: Vec<T>) -> Self {
        let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
        Self { items, total }
    }

    /// The rows that are wanted of a list in memory.
    #[must_use]
    pub fn cut(all: Vec<T>, rows: PageRequest) -> Self {
        let Self { items, total } = Self::whole(all);
        let wanted = items.into_iter().skip(usize::try_from(rows.offset).unwrap_or(usize::MAX));
        Self { items: wanted.take(usize::try_from(rows.limit).unwrap_or_default()).collect(), total }
    }
}

/// Refers to the row's schema. The derived one would inline it, which gives generated clients two types for the same
/// row.
fn rows<T: ToSchema>() -> Array {
    ArrayBuilder::new().items(Ref::from_schema_name(T::name())).description(Some("The rows asked for.")).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_list_in_memory_has_the_wanted_rows_and_tells_how_many_there_are() {
        let cut = |page, size| Page::cut(vec![1, 2, 3, 4, 5], PageRequest::new(Some(page), Some(size)).unwrap());
        assert_eq!(cut(1, 2), Page { items: vec![1, 2], total: 5 });
        assert_eq!(cut(3, 2), Page { items: vec![5], total: 5 });
        assert_eq!(cut(4, 2), Page { items: vec![], total: 5 });
        assert_eq!(cut(u32::MAX, 2), Page { items: vec![], total: 5 });
        assert_eq!(Page::whole(vec![1, 2]), Page { items: vec![1, 2], total: 2 });
    }
}
