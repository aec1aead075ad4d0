//! The settings of the watch: its signs and its action.

use std::collections::BTreeSet;

use http_kit::FieldProblem;
use kernel::rules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;

const MOST_ENTRIES: usize = 100;
const LONGEST: usize = 200;

/// The watch on instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WatchSettings {
    pub(crate) enabled: bool,
    /// When a program is found by its name or its command line.
    pub(crate) action: WatchAction,
    /// File names of programs, beside the known ones; without regard to case.
    pub(crate) names: Vec<String>,
    /// Parts of command lines, beside the known ones; without regard to case.
    pub(crate) strings: Vec<String>,
    /// Ports of pools on the Internet, beside the known ones.
    #[schema(value_type = Vec<u16>)]
    pub(crate) ports: BTreeSet<u16>,
    /// People whose instances are not looked at.
    pub(crate) allowed_users: Vec<String>,
    /// Images whose instances are not looked at, with or without a tag.
    pub(crate) allowed_images: Vec<String>,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WatchAction {
    /// Store the finding and notify administrators.
    Record,
    /// The instance is suspended as well.
    Pause,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            action: WatchAction::Record,
            names: Vec::new(),
            strings: Vec::new(),
            ports: BTreeSet::new(),
            allowed_users: Vec::new(),
            allowed_images: Vec::new(),
        }
    }
}

impl WatchSettings {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        // Shorter ones would match ordinary programs.
        for (name, entries, shortest) in [
            ("watch.names", &self.names, 3),
            ("watch.strings", &self.strings, 5),
            ("watch.allowedUsers", &self.allowed_users, 1),
            ("watch.allowedImages", &self.allowed_images, 1),
        ] {
            let fine = |entry: &String| rules::is_line(entry, LONGEST) && entry.trim().chars().count() >= shortest;
            check.that(entries.len() <= MOST_ENTRIES, name, "最多 100 项").that(
                entries.iter().all(fine),
                name,
                &format!("每项 {shortest} 到 {LONGEST} 个字，不能有控制字符"),
            );
        }
        check.that(self.ports.len() <= MOST_ENTRIES, "watch.ports", "最多 100 项").that(
            !self.ports.contains(&0),
            "watch.ports",
            "端口应为 1 到 65535 之间的整数",
        );
        check.faults()
    }

    /// Whether the instances of this person, or of this image, are left alone.
    pub(crate) fn allows(&self, username: &str, image: &str) -> bool {
        let is_image = |entry: &String| {
            let rest = image.strip_prefix(entry.trim());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']))
        };
        self.allowed_users.iter().any(|user| user.trim().eq_ignore_ascii_case(username))
            || self.allowed_images.iter().any(is_image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_allowed_with_any_tag_and_no_other_image_is() {
        let settings = WatchSettings {
            allowed_users: vec!["Ann".to_owned()],
            allowed_images: vec!["lab/chain ".to_owned()],
            ..WatchSettings::default()
        };
        assert!(settings.allows("ann", "any") && settings.allows("bob", "lab/chain:2"));
        assert!(settings.allows("bob", "lab/chain") && settings.allows("bob", "lab/chain@sha256:0a"));
        assert!(!settings.allows("anna", "lab/chain2:1") && !settings.allows("bob", "x/lab/chain:2"));
    }
}
