//! One connection to the SMTP server, for several mails, and its errors in words, which never contain the password.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use kernel::rules;
use lettre::Message;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, response::Response};
use tokio::time::timeout;

use super::model::{MailServer, Security};
use super::report::{MailStep, MailStepKind};
use crate::features::notices::channels::faults::{self, causes, tls_of};
use crate::reach::Reach;

const CONNECTED_WITHIN: Duration = Duration::from_secs(5);
/// The greeting and the handshake, connecting included.
const GREETED_WITHIN: Duration = Duration::from_secs(12);
const LOGGED_IN_WITHIN: Duration = Duration::from_secs(10);
/// From the sender's address to the last answer.
const SENT_WITHIN: Duration = Duration::from_secs(30);
const CLOSED_WITHIN: Duration = Duration::from_secs(2);
/// Addresses of a name that are tried.
const MOST_ADDRESSES: usize = 2;
/// The longest text of the server that is kept.
const LONGEST_FAULT: usize = 300;

/// What an error concerns, and so what else would fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Server,
    /// This mail alone; tried again.
    Message,
    /// This mail alone, for good.
    Refused,
}

/// Why a mail was not taken.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    step: MailStep,
    scope: Scope,
}

impl Fault {
    fn new(scope: Scope, kind: MailStepKind, message: &str) -> Self {
        Self { step: MailStep::failed(kind, rules::as_line(message, LONGEST_FAULT)), scope }
    }

    fn server(kind: MailStepKind, message: &str) -> Self {
        Self::new(Scope::Server, kind, message)
    }

    /// Of a mail that can't be built.
    pub(super) fn of_message(message: &str) -> Self {
        Self::new(Scope::Refused, MailStepKind::Accept, message)
    }

    pub(super) fn is_of_server(&self) -> bool {
        self.scope == Scope::Server
    }

    /// Whether another try would change nothing.
    pub(super) fn is_final(&self) -> bool {
        self.scope == Scope::Refused
    }

    pub(super) fn words(&self) -> &str {
        &self.step.message
    }

    pub(super) fn into_step(self) -> MailStep {
        self.step
    }
}

/// A connection that is opened for the first mail, and again after an error.
pub(super) struct Session<'a> {
    server: &'a MailServer,
    reach: Reach,
    connection: Option<AsyncSmtpConnection>,
}

impl<'a> Session<'a> {
    pub(super) fn new(server: &'a MailServer, reach: Reach) -> Self {
        Self { server, reach, connection: None }
    }

    /// Sends a mail to its one recipient. Appends the successful steps to `steps`.
    pub(super) async fn send(&mut self, mail: &Message, steps: &mut Vec<MailStep>) -> Result<(), Fault> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Box::pin(open(self.server, self.reach, steps)).await?,
        };
        let sent = timeout(SENT_WITHIN, hand_over(&mut connection, mail)).await;
        match sent {
            Err(_) => Err(Fault::server(MailStepKind::Accept, "对方没有及时收下邮件")),
            Ok(Err(fault)) => {
                // A session in the middle of a mail is not reused.
                let _ = timeout(CLOSED_WITHIN, connection.abort()).await;
                Err(fault)
            }
            Ok(Ok(answer)) => {
                steps.push(MailStep::done(MailStepKind::Accept, format!("对方已收下：{}", said(&answer))));
                self.connection = Some(connection);
                Ok(())
            }
        }
    }

    /// Takes leave of the server, where there is a connection.
    pub(super) async fn close(self) {
        if let Some(mut connection) = self.connection {
            let _ = timeout(CLOSED_WITHIN, connection.quit()).await;
        }
    }
}

async fn open(server: &MailServer, reach: Reach, steps: &mut Vec<MailStep>) -> Result<AsyncSmtpConnection, Fault> {
    let addresses = addresses(server, reach, steps).await?;
    let domain = server.from.rsplit('@').next().unwrap_or_default();
    let hello = ClientId::Domain(domain.to_owned());
    let place = format!("{}:{}", server.host, server.port);
    let at_once = if server.security == Security::Tls { Some(tls_parameters(server).await?) } else { None };
    let secured = at_once.is_some();
    let opening = AsyncSmtpConnection::connect_tokio1(&addresses[..], Some(CONNECTED_WITHIN), &hello, at_once, None);
    let connected = MailStep::done(MailStepKind::Connect, format!("已连接 {place}"));
    let encrypted = MailStep::done(MailStepKind::Tls, "TLS 已建立，证书可信");
    let mut connection = match timeout(GREETED_WITHIN, opening).await {
        Ok(Ok(connection)) => connection,
        Ok(Err(error)) => return Err(not_open(&error, &place, secured, connected, steps)),
        Err(_) if secured => {
            steps.push(connected);
            return Err(Fault::server(MailStepKind::Tls, "对方没有及时应答，端口可能不是 TLS 的"));
        }
        Err(_) => {
            let said = format!("已连接 {place}，但对方没有及时应答，端口可能不是邮件服务器的，或要求直接使用 TLS");
            return Err(Fault::server(MailStepKind::Connect, &said));
        }
    };
    steps.push(connected);
    if server.security == Security::Starttls {
        start_tls(&mut connection, server, &hello).await?;
    }
    if server.security != Security::None {
        steps.push(encrypted);
    }
    log_in(&mut connection, server, steps).await?;
    Ok(connection)
}

async fn addresses(server: &MailServer, reach: Reach, steps: &mut Vec<MailStep>) -> Result<Vec<SocketAddr>, Fault> {
    let found = reach.addresses(&server.host, server.port).await;
    let mut found = found.map_err(|fault| Fault::server(MailStepKind::Resolve, &fault))?;
    if server.host.parse::<IpAddr>().is_ok() {
        return Ok(found);
    }
    steps.push(MailStep::done(MailStepKind::Resolve, faults::resolved(&server.host, &found)));
    found.truncate(MOST_ADDRESSES);
    Ok(found)
}

/// Reads the system's certificates where the settings have none, which are files.
async fn tls_parameters(server: &MailServer) -> Result<TlsParameters, Fault> {
    let (host, ca) = (server.host.clone(), server.ca_certificate.clone());
    let build = move || {
        let mut builder = TlsParameters::builder(host);
        if !ca.is_empty() {
            let certificate = Certificate::from_pem(ca.as_bytes())?;
            builder = builder.certificate_store(CertificateStore::None).add_root_certificate(certificate);
        }
        builder.build_rustls()
    };
    let built = tokio::task::spawn_blocking(build).await;
    match built {
        Ok(Ok(parameters)) => Ok(parameters),
        Ok(Err(error)) => Err(Fault::server(MailStepKind::Tls, &format!("不能使用 TLS：{error}"))),
        Err(error) => Err(Fault::server(MailStepKind::Tls, &format!("不能使用 TLS：{error}"))),
    }
}

async fn start_tls(connection: &mut AsyncSmtpConnection, server: &MailServer, hello: &ClientId) -> Result<(), Fault> {
    if !connection.can_starttls() {
        return Err(Fault::server(MailStepKind::Tls, "对方不支持 STARTTLS，为安全起见不会用明文发送"));
    }
    let parameters = tls_parameters(server).await?;
    match timeout(GREETED_WITHIN, connection.starttls(parameters, hello)).await {
        Err(_) => Err(Fault::server(MailStepKind::Tls, "对方没有及时建立 TLS")),
        Ok(Err(error)) => Err(Fault::server(MailStepKind::Tls, &tls_words(&error))),
        Ok(Ok(())) => Ok(()),
    }
}

async fn log_in(
    connection: &mut AsyncSmtpConnection,
    server: &MailServer,
    steps: &mut Vec<MailStep>,
) -> Result<(), Fault> {
    if server.username.is_empty() {
        return Ok(());
    }
    let failed = |said: &str| Fault::server(MailStepKind::Login, said);
    let mechanisms = [Mechanism::Plain, Mechanism::Login];
    if connection.server_info().get_auth_mechanism(&mechanisms).is_none() {
        return Err(failed("对方在这样的连接上不接受用户名和密码，请检查加密方式和端口"));
    }
    let credentials = Credentials::new(server.username.clone(), server.password.expose().to_owned());
    match timeout(LOGGED_IN_WITHIN, connection.auth(&mechanisms, &credentials)).await {
        Err(_) => Err(failed("对方没有及时核对用户名和密码")),
        Ok(Err(error)) if error.is_permanent() => {
            Err(failed(&format!("用户名或密码不正确，或者账号没有打开 SMTP（很多邮箱要用授权码）：{}", words(&error))))
        }
        Ok(Err(error)) => Err(failed(&format!("登录没有完成：{}", words(&error)))),
        Ok(Ok(_)) => {
            steps.push(MailStep::done(MailStepKind::Login, format!("{} 已登录", server.username)));
            Ok(())
        }
    }
}

/// Command by command, because it matters which one is refused: the sender's address comes from the settings, the
/// recipient's concerns one user.
async fn hand_over(connection: &mut AsyncSmtpConnection, mail: &Message) -> Result<Response, Fault> {
    let envelope = mail.envelope();
    let refused = |error: &Error, what: &str, scope: Scope| {
        let scope = match error {
            error if error.is_permanent() => scope,
            error if error.is_transient() => Scope::Message,
            _ => Scope::Server,
        };
        Fault::new(scope, MailStepKind::Accept, &format!("{what}：{}", words(error)))
    };
    let from = Mail::new(envelope.from().cloned(), Vec::new());
    connection.command(from).await.map_err(|error| refused(&error, "对方不接受发件人地址", Scope::Server))?;
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        connection.command(to).await.map_err(|error| refused(&error, "对方不接受收件人", Scope::Refused))?;
    }
    connection.command(Data).await.map_err(|error| refused(&error, "对方不接受邮件", Scope::Refused))?;
    let sent = connection.message(&mail.formatted()).await;
    sent.map_err(|error| refused(&error, "对方没有收下邮件", Scope::Refused))
}

/// The report of a connection that failed before the server's greeting.
fn not_open(error: &Error, place: &str, secured: bool, connected: MailStep, steps: &mut Vec<MailStep>) -> Fault {
    let refused = |why: &str| Fault::server(MailStepKind::Connect, &format!("连接不上 {place}：{why}"));
    if causes(error).any(|cause| tls_of(cause).is_some()) {
        steps.push(connected);
        return Fault::server(MailStepKind::Tls, &tls_words(error));
    }
    let kind = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::TimedOut) => refused("没有及时应答"),
        Some(io::ErrorKind::ConnectionRefused) => refused("连接被拒绝，那里没有服务在运行"),
        Some(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => refused("网络不通"),
        // The connection was open, but its data was not TLS.
        Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) if secured => {
            steps.push(connected);
            Fault::server(MailStepKind::Tls, "不能建立 TLS：连接被对方断开，端口可能不是 TLS 的")
        }
        _ => refused(&words(error)),
    }
}

fn tls_words(error: &Error) -> String {
    match causes(error).find_map(tls_of) {
        Some(tls) => faults::certificate(tls)
            .map(|said| format!("{said}，或者在设置里填写它"))
            .unwrap_or_else(|| format!("不能建立 TLS，端口可能不是 TLS 的：{tls}")),
        None => format!("不能建立 TLS：{}", words(error)),
    }
}

/// The server's code and text, or another error.
fn words(error: &Error) -> String {
    let cause = causes(error).skip(1).last().map(ToString::to_string);
    match (error.status(), cause) {
        (Some(code), Some(said)) => format!("{code} {said}"),
        (Some(code), None) => code.to_string(),
        (None, Some(said)) => said,
        (None, None) => error.to_string(),
    }
}

fn said(answer: &Response) -> String {
    let line = answer.first_line().unwrap_or_default();
    rules::as_line(&format!("{} {line}", answer.code()), LONGEST_FAULT)
}
