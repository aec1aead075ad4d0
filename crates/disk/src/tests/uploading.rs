//! uploading
