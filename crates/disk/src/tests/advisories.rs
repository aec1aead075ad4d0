//! advisories
