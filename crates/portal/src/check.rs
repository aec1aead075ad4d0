//! Collects all faults of a form, so that they are shown together.

use http_kit::{ApiError, ApiResult, FieldProblem};

/// Faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Check(Vec<FieldProblem>);

impl Check {
    /// Notes a fault unless `fine`, each once.
    pub(crate) fn that(&mut self, fine: bool, field: &str, message: &str) -> &mut Self {
        let known = |fault: &FieldProblem| (fault.name.as_str(), fault.message.as_str()) == (field, message);
        if !fine && !self.0.iter().any(known) {
            self.0.push(FieldProblem { name: field.to_owned(), message: message.to_owned() });
        }
        self
    }

    /// A number within bounds.
    pub(crate) fn within(&mut self, value: i64, low: i64, high: i64, field: &str) -> &mut Self {
        self.that((low..=high).contains(&value), field, &format!("应为 {low} 到 {high} 之间的整数"))
    }

    pub(crate) fn faults(self) -> Vec<FieldProblem> {
        self.0
    }

    /// 422 with all faults, if there are any.
    pub(crate) fn finish(self) -> ApiResult<()> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::invalid(self.0)) }
    }
}
