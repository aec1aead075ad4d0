//! Tables as CSV files for spreadsheets.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use http_kit::{ApiError, ApiResult};

/// The most rows of a file; narrower filters give the others.
pub(crate) const MAX_ROWS: i64 = 100_000;

/// Without this mark spreadsheets take UTF-8 for the local encoding.
const BOM: &str = "\u{feff}";

/// A file of this name to be saved, with a line of titles.
pub(crate) fn answer(
    name: &str,
    head: &[&str],
    rows: impl Iterator<Item: IntoIterator<Item = String>>,
) -> ApiResult<Response> {
    let mut writer = csv::Writer::from_writer(BOM.as_bytes().to_vec());
    writer.write_record(head).map_err(ApiError::internal)?;
    for row in rows {
        writer.write_record(row.into_iter().map(harmless)).map_err(ApiError::internal)?;
    }
    let bytes = writer.into_inner().map_err(|error| ApiError::internal(error.to_string()))?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// Escapes a cell that a spreadsheet would run as a formula: some texts come from strangers.
fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}
