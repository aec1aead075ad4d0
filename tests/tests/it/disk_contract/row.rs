//! A row of the table: the caller, the request, and the expected response.

use serde_json::Value;

/// The caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Nobody,
    /// An ordinary user.
    Ann,
    /// Another user, with a quota of 1 MiB.
    Bob,
    /// A user without any rights.
    Eve,
    Admin,
}

/// The position of a value that later rows need.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// In the JSON, by its pointer.
    Json(&'static str),
    Header(&'static str),
    /// The last part of an address in a header.
    EndOf(&'static str),
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    /// With earlier rows' values in place of `<name>`.
    Text(String),
    Bytes(Vec<u8>),
}

/// A request and its answer.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The operation's id in the document.
    pub(super) operation: &'static str,
    pub(super) who: Who,
    /// The values of the path's parameters, and the query.
    pub(super) tail: &'static str,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) body: Body,
    pub(super) status: u16,
    /// Headers of the response. A trailing `*` matches any rest.
    pub(super) answers: Vec<(&'static str, &'static str)>,
    /// Values in the response's JSON, by their pointers.
    pub(super) holds: Vec<(&'static str, Value)>,
    /// The whole body, if it is text.
    pub(super) text: Option<&'static str>,
    pub(super) keeps: Vec<(&'static str, At)>,
    /// How many times to repeat the request until the status is this.
    pub(super) tries: usize,
    /// Only where commands can be confined.
    pub(super) sandboxed: bool,
}

pub(super) fn row(operation: &'static str, who: Who, tail: &'static str) -> Row {
    Row {
        operation,
        who,
        tail,
        headers: Vec::new(),
        body: Body::Text(String::new()),
        status: 0,
        answers: Vec::new(),
        holds: Vec::new(),
        text: None,
        keeps: Vec::new(),
        tries: 1,
        sandboxed: false,
    }
}

impl Row {
    pub(super) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn sends(self, text: &str) -> Self {
        Self { body: Body::Text(text.to_owned()), ..self }
    }

    pub(super) fn sends_bytes(self, bytes: Vec<u8>) -> Self {
        Self { body: Body::Bytes(bytes), ..self }
    }

    #[expect(clippy::needless_pass_by_value, reason = "as json! gives it")]
    pub(super) fn json(self, body: Value) -> Self {
        self.with("content-type", "application/json").sends(&body.to_string())
    }

    /// More JSON than anything needs.
    pub(super) fn sends_too_much(self) -> Self {
        self.with("content-type", "application/json").sends_bytes(vec![b' '; 3 << 20])
    }

    pub(super) fn gives(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.answers.push((name, value));
        self
    }

    pub(super) fn holds(mut self, pointer: &'static str, value: impl Into<Value>) -> Self {
        self.holds.push((pointer, value.into()));
        self
    }

    pub(super) fn says(self, text: &'static str) -> Self {
        Self { text: Some(text), ..self }
    }

    pub(super) fn keeps(mut self, name: &'static str, at: At) -> Self {
        self.keeps.push((name, at));
        self
    }

    pub(super) fn within(self, tries: usize) -> Self {
        Self { tries, ..self }
    }

    pub(super) fn sandboxed(self) -> Self {
        Self { sandboxed: true, ..self }
    }

    pub(super) fn succeeds(&self) -> bool {
        self.status < 400
    }
}
