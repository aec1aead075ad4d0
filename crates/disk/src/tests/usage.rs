//! usage
