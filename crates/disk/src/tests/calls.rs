//! Calls of a test: over a connection on loopback, to the server loop of the program. Paths go out byte
//! for byte, as no library for everyday use sends them.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, BodyStream};
use http_kit::{App, ConnectionLimits, Port, Stop, TrustedProxies};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::Value;

/// A server on its own port. It ends with its client.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) address: SocketAddr,
    stop: Stop,
    /// Connections on which nothing is under way.
    idle: Mutex<Vec<(Instant, Connection)>>,
}

/// The server hangs up on connections that are idle for longer than some multiple of this.
const IDLE: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Connection {
    sender: SendRequest<Sent>,
    /// The same connection once more.
    stream: Arc<TcpStream>,
}

impl Served {
    pub(super) fn start(app: App) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), Stop::default());
        let serving = http_kit::serve(
            vec![Port { listener, tls: None }],
            stop.clone(),
            TrustedProxies::default(),
            ConnectionLimits::within(100_000),
            app,
        );
        tokio::spawn(async move { serving.await.unwrap() });
        Arc::new(Self { address, stop, idle: Mutex::default() })
    }

    /// An idle connection, or a new one.
    async fn connection(&self) -> Connection {
        while let Some((since, mut idle)) = self.take_idle() {
            if since.elapsed() < IDLE && idle.sender.ready().await.is_ok() {
                return idle;
            }
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        let same = Arc::new(stream.try_clone().unwrap());
        let stream = tokio::net::TcpStream::from_std(stream).unwrap();
        // So that writes are sent at once.
        stream.writable().await.unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        // The call on it sees the error that breaks it.
        tokio::spawn(async move { drop(connection.await) });
        Connection { sender, stream: same }
    }

    fn take_idle(&self) -> Option<(Instant, Connection)> {
        self.idle.lock().unwrap().pop()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.at_once();
    }
}

/// A body being sent. One that fails, or is shorter than announced, ends the request and leaves the connection open for
/// the response, as a client that fails does.
#[derive(Debug)]
struct Sent {
    body: Body,
    /// Remaining bytes of the announced length; `None` where the call itself announces none.
    left: Option<u64>,
    failed: bool,
    stream: Arc<TcpStream>,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.failed {
            // The server may have closed it already.
            let _ = self.stream.shutdown(Shutdown::Write);
            return Poll::Pending;
        }
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => {
                let sent = frame.data_ref().map_or(0, |data| data.len() as u64);
                self.left = self.left.map(|left| left.saturating_sub(sent));
                Poll::Ready(Some(Ok(frame)))
            }
            None if self.left.unwrap_or(0) == 0 => Poll::Ready(None),
            _ => {
                // Polled again after the previous chunk was sent.
                self.failed = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left.unwrap_or(0) == 0 && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(|| self.body.size_hint(), SizeHint::with_exact)
    }
}

/// A call of the disk by a person.
#[derive(Clone)]
pub(super) struct Call {
    served: Arc<Served>,
    headers: HeaderMap,
}

impl Call {
    pub(super) fn new(served: Arc<Served>) -> Self {
        Self { served, headers: HeaderMap::new() }
    }

    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    pub(super) async fn send(self, method: Method, path: &str, body: impl Into<Body>) -> Answer {
        let beginning = self.begin(method.clone(), path, body.into()).await;
        beginning.unwrap_or_else(|error| panic!("{method} {path}: {error:?}")).whole().await.unwrap()
    }

    async fn begin(self, method: Method, path: &str, body: Body) -> hyper::Result<Beginning> {
        let mut request = Request::builder().method(method).uri(format!("/disk{path}"));
        let headers = request.headers_mut().unwrap();
        headers.insert(header::HOST, self.served.address.to_string().parse().unwrap());
        headers.extend(self.headers);
        let mut connection = self.served.connection().await;
        let left = http_kit::drain::announced(headers);
        let body = Sent { body, left, failed: false, stream: Arc::clone(&connection.stream) };
        // A body that the server did not read closes the connection.
        let was_read = body.is_end_stream();
        let answer = connection.sender.send_request(request.body(body).unwrap()).await?;
        let (parts, body) = answer.into_parts();
        let lasting = was_read || parts.status.is_success();
        let answer = Answer { status: parts.status, headers: parts.headers, body: Vec::new() };
        Ok(Beginning { answer, body, connection: lasting.then_some((self.served, connection)) })
    }

    /// Whether the answer breaks off. Its head may be lost too if the body fails before anything of it is sent.
    pub(super) async fn breaks(self, path: &str) -> bool {
        let Ok(beginning) = self.begin(Method::GET, path, Body::empty()).await else { return true };
        assert_eq!(beginning.answer.status, StatusCode::OK);
        beginning.whole().await.is_err()
    }

    /// A `GET` whose response may be cut off: returns what was received.
    pub(super) async fn get_what_comes(self, path: &str) -> Answer {
        let Ok(Beginning { mut answer, body, .. }) = self.begin(Method::GET, path, Body::empty()).await else {
            // It broke before the response began: the answer that a proxy would give.
            return Answer { status: StatusCode::BAD_GATEWAY, headers: HeaderMap::new(), body: Vec::new() };
        };
        let mut frames = BodyStream::new(body);
        while let Some(Ok(frame)) = frames.next().await {
            answer.body.extend_from_slice(frame.data_ref().unwrap());
        }
        answer
    }

    /// A `POST` that runs beside others.
    pub(super) fn send_later(self, path: &str, body: String) -> tokio::task::JoinHandle<Answer> {
        let path = path.to_owned();
        tokio::spawn(async move { self.post(&path, body).await })
    }

    pub(super) async fn get(self, path: &str) -> Answer {
        self.send(Method::GET, path, Body::empty()).await
    }

    pub(super) async fn post(self, path: &str, body: impl Into<Body>) -> Answer {
        self.send(Method::POST, path, body).await
    }

    pub(super) async fn put(self, path: &str, body: impl Into<Body>) -> Answer {
        self.send(Method::PUT, path, body).await
    }

    pub(super) async fn delete(self, path: &str) -> Answer {
        self.send(Method::DELETE, path, Body::empty()).await
    }

    /// `PATCH` with a destination that is encoded here, once.
    pub(super) async fn change(self, action: &str, from: &str, to: &str, flags: &str) -> Answer {
        let to = percent_encoding::utf8_percent_encode(to, percent_encoding::NON_ALPHANUMERIC);
        let path = format!("/api/resources{from}?action={action}&destination={to}{flags}");
        self.send(Method::PATCH, &path, Body::empty()).await
    }

    pub(super) async fn rename(self, from: &str, to: &str) -> Answer {
        self.change("rename", from, to, "").await
    }
}

/// A response whose body has not been read.
struct Beginning {
    answer: Answer,
    body: Incoming,
    /// Where it can be used once more.
    connection: Option<(Arc<Served>, Connection)>,
}

impl Beginning {
    async fn whole(self) -> hyper::Result<Answer> {
        let body = self.body.collect().await?.to_bytes().to_vec();
        if let Some((served, connection)) = self.connection {
            served.idle.lock().unwrap().push((Instant::now(), connection));
        }
        Ok(Answer { body, ..self.answer })
    }
}

/// A complete response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The names in a listing.
    pub(super) fn names(&self) -> Vec<String> {
        let json = self.json();
        json["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The listed item of this name.
    pub(super) fn item(&self, name: &str) -> Value {
        let json = self.json();
        let items = json["items"].as_array().unwrap();
        items.iter().find(|item| item["name"] == name).unwrap_or_else(|| panic!("no {name} in {json}")).clone()
    }

    #[track_caller]
    pub(super) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", String::from_utf8_lossy(&self.body));
        self
    }
}
