//! hard_names
