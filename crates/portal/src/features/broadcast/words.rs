//! The messages to pages. They only say that something changed; each page requests it again with its user's rights.

/// The server is about to stop, in the words of SPEC §4.
pub(crate) const RESTARTING: &str = "restarting lab";
pub(crate) const SETTINGS: &str = "settings changed";
pub(crate) const ANNOUNCEMENTS: &str = "announcements changed";
pub(crate) const VERSIONS: &str = "versions changed";
pub(crate) const WORKSHEETS: &str = "worksheets changed";
pub(crate) const FINDINGS: &str = "findings changed";
pub(crate) const NOTICES: &str = "notices changed";
pub(crate) const ALERTS: &str = "alerts changed";

/// All that can have changed.
pub(crate) const CHANGES: [&str; 7] = [SETTINGS, ANNOUNCEMENTS, VERSIONS, WORKSHEETS, FINDINGS, NOTICES, ALERTS];
