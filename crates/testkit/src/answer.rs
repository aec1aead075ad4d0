//! A response, with assertions.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON; null when it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Asserts the status; returns the JSON.
    ///
    /// # Panics
    /// With the response.
    #[track_caller]
    #[must_use]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self.json()
    }

    /// The same, for when only the status matters.
    ///
    /// # Panics
    /// With the answer.
    #[track_caller]
    pub fn is(&self, status: u16) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
    }

    /// Fails unless it was refused with this status and code; gives the message.
    ///
    /// # Panics
    /// With the answer.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> String {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{body:#}");
        body["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether the portal requires the password for this.
    #[must_use]
    pub fn wants_password(&self) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY && self.json()["code"] == "password_required"
    }

    /// Fails unless exactly these fields are at fault.
    ///
    /// # Panics
    /// With the answer.
    #[track_caller]
    pub fn faults(&self, names: &[&str]) {
        let body = self.expect(422);
        let found: Vec<&str> =
            body["fields"].as_array().into_iter().flatten().filter_map(|field| field["name"].as_str()).collect();
        assert_eq!(found, names, "{body:#}");
    }

    /// A header as text; empty when it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    }
}
