//! Sending one message, step by step. Errors never contain the URL's path or query, which hold a robot's key.

use std::io;
use std::time::Duration;

use http::header::{CONTENT_TYPE, USER_AGENT};
use kernel::{Timestamp, rules};
use reqwest::{Client, Response, redirect};
use url::{Host, Url};

use super::message::{self, Message};
use super::model::{Target, web_address};
use super::report::{Step, WebhookReport, WebhookStep};
use crate::features::notices::channels::Sender;
use crate::features::notices::channels::faults::{self, causes, tls_of};
use crate::reach::Reach;

const CONNECTED_WITHIN: Duration = Duration::from_secs(5);
/// From the first byte to the last, connecting included.
const DONE_WITHIN: Duration = Duration::from_secs(10);
/// The most bytes of an answer that are read; robots' answers are shorter.
const MOST_BYTES: usize = 16 * 1024;
/// The longest text of the server that is kept.
const LONGEST_FAULT: usize = 300;

type Outcome<T> = Result<T, WebhookStep>;

/// Sends it; how that went.
pub(crate) async fn send(target: &Target, from: &Sender, one: &Message, now: Timestamp, reach: Reach) -> WebhookReport {
    let mut steps = Vec::new();
    let end = deliver(target, from, one, now, reach, &mut steps).await;
    let end = end.map_err(|mut fault| {
        fault.message = rules::as_line(&fault.message, LONGEST_FAULT);
        fault
    });
    WebhookReport::new(steps, end)
}

async fn deliver(
    target: &Target,
    from: &Sender,
    one: &Message,
    now: Timestamp,
    reach: Reach,
    steps: &mut Vec<WebhookStep>,
) -> Outcome<()> {
    let url = web_address(target.address.expose()).map_err(|fault| WebhookStep::failed(Step::Resolve, fault))?;
    let secure = url.scheme() == "https";
    let place = place(&url);
    reach.check(url.host().as_ref()).map_err(|fault| WebhookStep::failed(Step::Resolve, fault))?;
    let mut client = Client::builder()
        .connect_timeout(CONNECTED_WITHIN)
        .timeout(DONE_WITHIN)
        .redirect(redirect::Policy::none())
        .no_proxy();
    if let Some(Host::Domain(host)) = url.host() {
        let addresses = reach.addresses(host, url.port_or_known_default().unwrap_or(443)).await;
        let addresses = addresses.map_err(|fault| WebhookStep::failed(Step::Resolve, fault))?;
        steps.push(WebhookStep::done(Step::Resolve, faults::resolved(host, &addresses)));
        client = client.resolve_to_addrs(host, &addresses);
    }
    let prepared = message::prepare(url, target, from, one, now);
    let client = client.build().map_err(|error| WebhookStep::failed(Step::Tls, words(&error)))?;
    let mut request = client
        .post(prepared.url)
        .header(CONTENT_TYPE, "application/json; charset=utf-8")
        .header(USER_AGENT, concat!("YunLab/", env!("CARGO_PKG_VERSION")));
    for (name, value) in prepared.headers {
        request = request.header(name, value);
    }
    let answer = request.body(prepared.body).send().await;
    let connected = WebhookStep::done(Step::Connect, format!("已连接 {place}"));
    let encrypted = secure.then(|| WebhookStep::done(Step::Tls, "TLS 已建立，证书可信"));
    let mut answer = answer.map_err(|error| {
        let fault = not_sent(&error, &place);
        if fault.1 > Reached::Nothing {
            steps.push(connected.clone());
        }
        if fault.1 > Reached::Host {
            steps.extend(encrypted.clone());
        }
        fault.0
    })?;
    steps.push(connected);
    steps.extend(encrypted);
    let status = answer.status();
    if status.is_redirection() {
        let said = format!("对方要求转到别的地址（状态 {}），通知不会跟去，请直接填写最后的地址", status.as_u16());
        return Err(WebhookStep::failed(Step::Status, said));
    }
    if !status.is_success() {
        return Err(WebhookStep::failed(Step::Status, format!("对方应答状态 {status}")));
    }
    steps.push(WebhookStep::done(Step::Status, format!("应答状态 {}", status.as_u16())));
    let said = body(&mut answer).await?;
    message::verdict(target.format, &said).map_err(|fault| WebhookStep::failed(Step::Answer, fault))?;
    steps.push(WebhookStep::done(Step::Answer, "对方已收下"));
    Ok(())
}

/// Host and port, for people.
fn place(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", url.host_str().unwrap_or_default())
}

/// How far a failed request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Nothing,
    Host,
    Server,
}

/// The report of a request without an answer.
fn not_sent(error: &reqwest::Error, place: &str) -> (WebhookStep, Reached) {
    let connect =
        |why: &str| (WebhookStep::failed(Step::Connect, format!("连接不上 {place}：{why}")), Reached::Nothing);
    if let Some(tls) = causes(error).find_map(tls_of) {
        return (WebhookStep::failed(Step::Tls, tls_words(tls)), Reached::Host);
    }
    if error.is_connect() {
        let kind = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        return match kind {
            _ if error.is_timeout() => connect("没有及时应答"),
            Some(io::ErrorKind::TimedOut) => connect("没有及时应答"),
            Some(io::ErrorKind::ConnectionRefused) => connect("连接被拒绝，那里没有服务在运行"),
            Some(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => connect("网络不通"),
            // The connection was open, but its data was not TLS.
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
                let said = "不能建立 TLS：连接被对方断开，端口可能不是 https 的";
                (WebhookStep::failed(Step::Tls, said), Reached::Host)
            }
            _ => connect(&words(error)),
        };
    }
    let said = if error.is_timeout() {
        format!("对方 {} 秒内没有应答", DONE_WITHIN.as_secs())
    } else {
        format!("对方没有应答：{}", words(error))
    };
    (WebhookStep::failed(Step::Status, said), Reached::Server)
}

fn tls_words(error: &rustls::Error) -> String {
    faults::certificate(error).unwrap_or_else(|| format!("不能建立 TLS，端口可能不是 https 的：{error}"))
}

/// The innermost cause, without addresses, which only the outermost holds.
fn words(error: &reqwest::Error) -> String {
    let cause = causes(error).skip(1).last().map(ToString::to_string);
    cause.unwrap_or_else(|| "请求没有完成".to_owned())
}

/// The answer's body, up to the limit.
async fn body(answer: &mut Response) -> Outcome<Vec<u8>> {
    let mut read = Vec::new();
    loop {
        let chunk = answer.chunk().await.map_err(|error| {
            let said =
                if error.is_timeout() { "对方的应答没有及时到齐" } else { "对方的应答中途断了" };
            WebhookStep::failed(Step::Answer, said)
        })?;
        let Some(chunk) = chunk else { return Ok(read) };
        read.extend_from_slice(&chunk[..chunk.len().min(MOST_BYTES - read.len())]);
        if read.len() == MOST_BYTES {
            return Ok(read);
        }
    }
}
