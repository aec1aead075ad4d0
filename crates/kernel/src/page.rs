//! A page of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Rows on a page when nothing is asked for.
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
pub struct Page<T> {
    /// The rows asked for.
    pub items: Vec<T>,
    /// Rows in all pages together.
    pub total: i64,
}
