//! Builds a `where` clause from optional conditions.

use sea_orm::Value;

/// Conditions joined by `and`, with their values.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Filter {
    /// Adds a condition in which each `?` stands for the value.
    pub fn add(&mut self, condition: &str, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.conditions.push(format!("({})", condition.replace('?', &format!("${}", self.values.len()))));
        self
    }

    /// The same, when there is a value.
    pub fn add_some(&mut self, condition: &str, value: Option<impl Into<Value>>) -> &mut Self {
        if let Some(value) = value {
            self.add(condition, value);
        }
        self
    }

    /// ` where …`, or empty without conditions.
    #[must_use]
    pub fn clause(&self) -> String {
        if self.conditions.is_empty() { String::new() } else { format!(" where {}", self.conditions.join(" and ")) }
    }

    /// The values so far.
    #[must_use]
    pub fn values(&self) -> Vec<Value> {
        self.values.clone()
    }

    /// ` limit … offset …` with its values after the present ones.
    #[must_use]
    pub fn limited(&self, limit: i64, offset: i64) -> (String, Vec<Value>) {
        let mut values = self.values();
        values.extend([limit.into(), offset.into()]);
        (format!(" limit ${} offset ${}", values.len() - 1, values.len()), values)
    }
}
