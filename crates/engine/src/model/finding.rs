//! What a diagnosis of an engine and its machines finds: closed words and facts. The caller puts a finding into
//! sentences.

use std::collections::HashMap;
use std::fmt;

use serde_json::{Map, Value};

use crate::{DeviceNode, Error, Machine, Tenant, WorkloadId};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, such as `cgroup`.
    pub subject: &'static str,
    /// What was found, unique within the subject, such as `limits_missing`.
    pub code: &'static str,
    /// How good that is.
    pub verdict: Verdict,
    /// Names, versions and numbers, by their names.
    pub facts: Map<String, Value>,
    /// Why it could not be looked at, if that is what was found.
    pub error: Option<Error>,
}

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Passed,
    /// Works, but something is missing or unwise.
    Warning,
    /// Does not work, or is dangerous.
    Failed,
}

impl Finding {
    /// A finding without facts.
    #[must_use]
    pub fn new(subject: &'static str, code: &'static str, verdict: Verdict) -> Self {
        Self { subject, code, verdict, facts: Map::new(), error: None }
    }

    /// A thing that could not be looked at.
    #[must_use]
    pub fn unseen(subject: &'static str, error: Error) -> Self {
        Self { error: Some(error), ..Self::new(subject, "unseen", Verdict::Failed) }
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), fact.into());
        self
    }

    /// A fact that is a text; empty if it has none of this name.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.facts.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A fact that is a number; 0 if it has none of this name.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        self.facts.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A fact that is a list; empty if it has none of this name.
    #[must_use]
    pub fn list(&self, name: &str) -> &[Value] {
        self.facts.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// What the callers of an engine expect of its machine.
#[derive(Clone)]
pub struct Expected<'a> {
    /// Where the network disk is mounted; `None` for no network disk.
    pub storage: Option<&'a str>,
    /// A file that was written on the network disk just now, to be found on the machine; `None` where the caller
    /// can't write on it.
    pub proof: Option<Proof<'a>>,
    /// The first and the last of the machine's ports that containers may publish.
    pub ports: (u16, u16),
    /// Device nodes of declared cards.
    pub nodes: Vec<DeviceNode>,
    /// Whether NVIDIA cards are declared.
    pub nvidia: bool,
    /// Whose each workload is.
    pub tenants: &'a HashMap<WorkloadId, Tenant>,
    /// Its machine, on behalf of the caller.
    pub machine: &'a dyn Machine,
}

impl fmt::Debug for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected").field("storage", &self.storage).field("ports", &self.ports).finish_non_exhaustive()
    }
}

/// A file by which two folders are shown to be the same.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// Relative to the network disk's root.
    pub path: &'a str,
    /// All of it.
    pub content: &'a [u8],
}
