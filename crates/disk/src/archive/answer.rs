//! An archive as a download.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use disk_core::jail::Jail;
use disk_core::progress::Progress;
use http::{HeaderMap, HeaderValue, header};

use super::{Algorithm, Choice, write};
use crate::http::{Pipe, Reader};
use crate::raw::{CONTENT_POLICY, disposition};

/// Packs while the client reads. The length is not known beforehand, and a failure breaks the connection.
pub(crate) fn answer(jail: Arc<Jail>, choice: Choice, algorithm: Algorithm, reader: Reader) -> Response {
    let name = choice.file_name(algorithm);
    let body = Pipe::body(reader, move |pipe| write(&jail, &choice.sources, algorithm, &Progress::default(), pipe));
    let mut response = body.into_response();
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(algorithm.media_type()));
    headers.insert(header::CONTENT_DISPOSITION, disposition(&name, false));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}
