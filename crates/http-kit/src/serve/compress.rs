//! Compression of JSON, NDJSON and XML answers by `Accept-Encoding`. Files are sent as stored, and the
//! pages are compressed at build time.

use std::convert::Infallible;
use std::future::ready;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Version, header};
use http_body_util::BodyExt as _;
use tower::{Service, service_fn};
use tower_http::compression::predicate::SizeAbove;
use tower_http::compression::{Compression, Predicate};

use crate::ApiError;

/// Shorter answers gain nothing.
const SHORTEST_BYTES: u64 = 1024;

const KINDS: [&str; 4] = ["application/json", "application/x-ndjson", "application/xml", "text/xml"];

/// Marks an answer that holds a secret next to text chosen by the requester: its compressed length would
/// leak the secret (BREACH).
#[derive(Clone, Copy, Debug)]
struct Uncompressed;

/// Middleware for routes whose answers hold a secret: excludes them from compression.
pub async fn uncompressed(mut response: Response) -> Response {
    response.extensions_mut().insert(Uncompressed);
    response
}

/// The content encodings a client accepts.
pub(super) struct Negotiation(Option<HeaderValue>);

impl Negotiation {
    /// Reads `Accept-Encoding`, and strips the suffixes of [`Negotiation::apply`] from conditional headers.
    pub(super) fn of<B>(request: &mut Request<B>) -> Self {
        let headers = request.headers_mut();
        for name in [header::IF_MATCH, header::IF_NONE_MATCH, header::IF_RANGE] {
            unmark_etags(headers, &name);
        }
        let wanted = headers.get(header::ACCEPT_ENCODING).filter(|value| accepts_compression(value.as_bytes()));
        Self(wanted.cloned())
    }

    /// Compresses the answer if its type allows it and the client accepts it.
    pub(super) fn apply(self, mut response: Response) -> Response {
        if !is_text.and(SizeAbove::new(SHORTEST_BYTES)).should_compress(&response) {
            return response;
        }
        match self.0 {
            Some(wanted) => compress(response, wanted),
            None => {
                response.headers_mut().append(header::VARY, HeaderValue::from(header::ACCEPT_ENCODING));
                response
            }
        }
    }
}

/// Compresses the answer with one of the wanted encodings. Not asynchronous, although the middleware is: an answer that
/// is there makes it ready at once, and its large future would be part of that of every request.
fn compress(response: Response, wanted: HeaderValue) -> Response {
    let mut question = Request::new(());
    question.headers_mut().insert(header::ACCEPT_ENCODING, wanted);
    // The encoders read on after the end, which streams such as dav-server's answer with a panic.
    let mut response = Some(response.map(|body| Body::new(body.fuse())));
    let answer = service_fn(|_| ready(Ok::<_, Infallible>(response.take().unwrap_or_default())));
    let compressed = Compression::new(answer).compress_when(is_text).call(question).now_or_never();
    let Some(Ok(compressed)) = compressed else {
        return ApiError::internal("the compression waits for an answer that is there").into_response();
    };
    let mut compressed = compressed.map(Body::new);
    mark_etag(compressed.headers_mut());
    compressed
}

fn is_text(status: StatusCode, _: Version, headers: &HeaderMap, extensions: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    // An answer with ranges or a disposition is a file.
    let is_file = [header::ACCEPT_RANGES, header::CONTENT_RANGE, header::CONTENT_DISPOSITION, header::CONTENT_ENCODING]
        .iter()
        .any(|name| headers.contains_key(name));
    KINDS.contains(&kind) && !is_file && status != StatusCode::NO_CONTENT && extensions.get::<Uncompressed>().is_none()
}

/// Whether the client accepts gzip, brotli or zstd. A header that refuses any coding (`q=0`) gets the
/// identity: honouring `identity;q=0` would turn every other answer into 406.
fn accepts_compression(wanted: &[u8]) -> bool {
    let wanted = wanted.to_ascii_lowercase();
    let has = |text: &[u8]| wanted.windows(text.len()).any(|part| part == text);
    (has(b"gzip") || has(b"br") || has(b"zstd")) && !has(b"q=0,") && !wanted.ends_with(b"q=0")
}

const SUFFIXES: [(&str, &str); 3] = [("gzip", "-gzip\""), ("br", "-br\""), ("zstd", "-zstd\"")];

/// Appends the encoding to a strong ETag, which identifies bytes (RFC 9110 §8.8.3.3).
fn mark_etag(headers: &mut HeaderMap) {
    let encoding = headers.get(header::CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
    let suffix = encoding.and_then(|encoding| SUFFIXES.iter().find(|(name, _)| *name == encoding));
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).and_then(|tag| tag.strip_suffix('"'));
    if let (Some((_, suffix)), Some(tag)) = (suffix, tag)
        && let Ok(tag) = HeaderValue::from_str(&format!("{tag}{suffix}"))
    {
        headers.insert(header::ETAG, tag);
    }
}

/// Undoes [`mark_etag`] in a conditional header.
fn unmark_etags(headers: &mut HeaderMap, name: &HeaderName) {
    let Some(tags) = headers.get(name).and_then(|value| value.to_str().ok()) else { return };
    if !SUFFIXES.iter().any(|(_, suffix)| tags.contains(suffix)) {
        return;
    }
    let own = SUFFIXES.iter().fold(tags.to_owned(), |text, (_, suffix)| text.replace(suffix, "\""));
    if let Ok(own) = HeaderValue::from_str(&own) {
        headers.insert(name.clone(), own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(accept: &str, response: Response) -> Response {
        let mut request = Request::builder().header(header::ACCEPT_ENCODING, accept).body(()).unwrap();
        Negotiation::of(&mut request).apply(response)
    }

    fn text(kind: &str) -> http::response::Builder {
        Response::builder().header(header::CONTENT_TYPE, kind)
    }

    fn long() -> Body {
        Body::from("long ".repeat(1000))
    }

    #[test]
    fn long_texts_are_compressed_when_asked() {
        for kind in ["application/json", "application/x-ndjson", "application/xml; charset=utf-8"] {
            for encoding in ["gzip", "br", "zstd"] {
                let response = answer(encoding, text(kind).header(header::ETAG, "\"a\"").body(long()).unwrap());
                assert_eq!(response.headers()[header::CONTENT_ENCODING], encoding, "{kind}");
                assert_eq!(response.headers()[header::VARY], "accept-encoding");
                assert_eq!(response.headers()[header::ETAG], format!("\"a-{encoding}\""));
                assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
            }
        }
    }

    #[tokio::test]
    async fn a_body_is_not_read_after_its_end() {
        use futures_util::stream;
        for encoding in ["gzip", "br", "zstd"] {
            let mut parts = [Some(Ok::<_, Infallible>("part")), None].into_iter();
            let body = Body::from_stream(stream::poll_fn(move |_| parts.next().expect("read after its end").into()));
            let response = answer(encoding, text("application/xml").body(body).unwrap());
            assert_eq!(response.headers()[header::CONTENT_ENCODING], encoding);
            assert!(!axum::body::to_bytes(response.into_body(), 1000).await.unwrap().is_empty());
        }
    }

    #[test]
    fn what_has_come_is_sent_while_more_is_awaited() {
        use futures_util::{StreamExt, stream};
        for encoding in ["gzip", "br", "zstd"] {
            let first = stream::iter([Ok::<_, Infallible>(b"{\"path\":\"a\"}\n".as_slice())]);
            let body = Body::from_stream(first.chain(stream::pending()));
            let response = answer(encoding, text("application/x-ndjson").body(body).unwrap());
            assert_eq!(response.headers()[header::CONTENT_ENCODING], encoding);
            let mut chunks = response.into_body().into_data_stream();
            let mut came = 0;
            // Encoders put their own header before the content.
            while came < 15 {
                let chunk = chunks.next().now_or_never().expect("nothing is held back");
                came += chunk.unwrap().unwrap().len();
            }
        }
    }

    #[tokio::test]
    async fn the_rest_stays_as_it_is() {
        for accept in ["", "identity", "deflate", "gzip;q=0", "*;q=0", "gzip, identity;q=0"] {
            let response = answer(accept, text("application/json").body(long()).unwrap());
            assert!(!response.headers().contains_key(header::CONTENT_ENCODING), "{accept}");
            assert_eq!(response.headers()[header::VARY], "accept-encoding", "{accept}");
            assert_eq!(response.status(), 200, "{accept}");
        }
        let file = text("application/json").header(header::ACCEPT_RANGES, "bytes").body(long()).unwrap();
        let secret = uncompressed(text("application/json").body(long()).unwrap()).await;
        let page = text("text/html").body(long()).unwrap();
        let short = text("application/json").body(Body::from("{}")).unwrap();
        for other in [file, secret, page, short] {
            let response = answer("gzip, br, zstd", other);
            assert!(!response.headers().contains_key(header::CONTENT_ENCODING), "{response:?}");
        }
    }

    #[test]
    fn tags_that_were_given_are_known_again() {
        let tags = "\"a-gzip\", W/\"b\", \"c-br\"";
        let mut request = Request::builder().header(header::IF_NONE_MATCH, tags).body(()).unwrap();
        Negotiation::of(&mut request);
        assert_eq!(request.headers()[header::IF_NONE_MATCH], "\"a\", W/\"b\", \"c\"");
    }
}
