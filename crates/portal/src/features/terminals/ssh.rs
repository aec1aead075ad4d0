//! SSH terminals: to instances and servers that have no other door.

use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::ws::WebSocket;
use futures_util::StreamExt;
use futures_util::stream;
use kernel::{Actor, rules};
use russh::client::{self, Handle, Msg};
use russh::{ChannelMsg, ChannelReadHalf, ChannelWriteHalf};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::address::Address;
use super::bridge::{Control, Remote, carry, farewell, tell};
use super::frames::{Halt, broken, receive};
use super::host_key::{self, Handler};
use super::login::{self, Tried};
use super::model::{End, SshLogin, SshRequest, TerminalError, TerminalErrorReason, TerminalMessage, Window};
use super::store;
use super::watch::{self, Open};
use crate::Portal;
use crate::features::session::SignIn;
use crate::sockets::Seat;
use crate::unreached;

const CONNECTING: Duration = Duration::from_secs(10);
/// Checking a password may take a server with a directory behind it long.
const ANSWERING: Duration = Duration::from_secs(30);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
const TRIES: usize = 3;
/// Bytes that a server may send before the page has taken them.
const WINDOW_BYTES: u32 = 256 * 1024;
const PIECES: usize = 16;
/// No program ended with this.
const NO_CODE: i64 = i64::MIN;

/// A user's request for an SSH terminal.
pub(super) struct Call {
    pub(super) portal: Portal,
    pub(super) sign_in: SignIn,
    pub(super) seat: Option<Seat>,
    pub(super) actor: Actor,
    /// The person's own address, for the log.
    pub(super) from: String,
    pub(super) address: Address,
}

/// An SSH connection, hung up when dropped.
struct Ssh {
    handle: Handle<Handler>,
    _hang_up: HangUp,
}

impl Call {
    /// From the first frame to the last.
    pub(super) async fn serve(self, mut socket: WebSocket) {
        let open = self.portal.sockets().open().token();
        if let Some(end) = self.terminal(&mut socket).await {
            farewell(socket, end).await;
        }
        drop(open);
    }

    async fn terminal(&self, socket: &mut WebSocket) -> Option<End> {
        if self.seat.is_none() {
            return Some(End::failed(TerminalErrorReason::TooMany, "打开的终端和日志太多，请先关闭一些"));
        }
        let watch = watch::ended(self.portal.clone(), self.sign_in.clone(), Open::Ssh(self.address.clone()));
        tokio::pin!(watch);
        let opened = tokio::select! {
            end = &mut watch => return Some(end),
            opened = Box::pin(self.open(socket)) => opened,
        };
        match opened {
            Ok((_ssh, remote)) => carry(socket, remote, &mut watch).await,
            Err(Halt::Gone) => None,
            Err(Halt::End(end)) => Some(end),
        }
    }

    /// From the first login to the shell's first word.
    async fn open(&self, socket: &mut WebSocket) -> Result<(Ssh, Remote), Halt> {
        let first = next_login(socket).await?;
        let mut ssh = self.connect(socket).await?;
        let window = sign_in_to(socket, &mut ssh.handle, first).await?;
        let opening = async {
            let channel = ssh.handle.channel_open_session().await?;
            let (cols, rows) = (u32::from(window.cols), u32::from(window.rows));
            channel.request_pty(false, "xterm-256color", cols, rows, 0, 0, &[]).await?;
            channel.request_shell(false).await?;
            Ok::<_, russh::Error>(channel.split())
        };
        let (reader, writer) = in_time(opening).await?;
        tell(socket, &TerminalMessage::Ready).await.ok_or(Halt::Gone)?;
        Ok((ssh, remote(reader, writer)))
    }

    async fn connect(&self, socket: &mut WebSocket) -> Result<Ssh, Halt> {
        let (stream, hang_up) = timeout(CONNECTING, dial(&self.address))
            .await
            .map_err(|_| unreachable("连接超时"))?
            .map_err(|error| unreachable(&unreached::reason(&error)))?;
        let known = store::known(self.portal.db(), &self.address).await.map_err(|error| broken(&error))?;
        let config = client::Config {
            window_size: WINDOW_BYTES,
            channel_buffer_size: PIECES,
            preferred: host_key::preferred(known.as_ref()),
            keepalive_interval: Some(KEEPALIVE_EVERY),
            ..client::Config::default()
        };
        let (asking, mut asked) = mpsc::channel(1);
        let connecting = client::connect_stream(Arc::new(config), stream, Handler::new(asking));
        tokio::pin!(connecting);
        let question = tokio::select! {
            connected = in_time(&mut connecting) => {
                return Ok(Ssh { handle: connected?, _hang_up: hang_up });
            }
            Some(question) = asked.recv() => question,
        };
        // Without the handshake's timeout, because a user is answering.
        host_key::judge(self, socket, &question.key).await?;
        // If the handshake has failed meanwhile, it reports that itself.
        let _ = question.answer.send(true);
        Ok(Ssh { handle: in_time(connecting).await?, _hang_up: hang_up })
    }
}

/// Closes a connection in any state: `russh` would wait for ever for a server that falls silent before the sign-in.
struct HangUp(std::net::TcpStream);

impl Drop for HangUp {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

async fn dial(address: &Address) -> io::Result<(TcpStream, HangUp)> {
    let stream = TcpStream::connect((address.dialled(), address.port)).await?;
    // Each key press is its own packet, and a user waits for its echo.
    stream.set_nodelay(true)?;
    let stream = stream.into_std()?;
    let hang_up = HangUp(stream.try_clone()?);
    Ok((TcpStream::from_std(stream)?, hang_up))
}

/// Tries to sign in up to three times; returns the window of the successful try.
async fn sign_in_to(socket: &mut WebSocket, ssh: &mut Handle<Handler>, first: SshLogin) -> Result<Window, Halt> {
    let mut login = first;
    for tries in 1..=TRIES {
        let error = match in_time(login::attempt(ssh, &login)).await? {
            Tried::SignedIn => return Ok(login.window()),
            Tried::Refused if login.private_key.is_some() => {
                TerminalError::new(TerminalErrorReason::Authentication, "用户名或密钥错误")
            }
            Tried::Refused => TerminalError::new(TerminalErrorReason::Authentication, "用户名或密码错误"),
            Tried::UnreadableKey => TerminalError::new(
                TerminalErrorReason::PrivateKey,
                "私钥无法读取：请检查口令；支持 OpenSSH 格式和没有口令的 PEM 格式",
            ),
        };
        if tries == TRIES {
            return Err(Halt::End(End::Failed(error)));
        }
        tell(socket, &TerminalMessage::Error(error)).await.ok_or(Halt::Gone)?;
        login = next_login(socket).await?;
    }
    Err(Halt::Gone)
}

async fn next_login(socket: &mut WebSocket) -> Result<SshLogin, Halt> {
    loop {
        if let SshRequest::Login(login) = receive(socket).await? {
            let plain = !login.username.is_empty() && rules::is_line(&login.username, 64);
            if plain {
                return Ok(login);
            }
            let error =
                TerminalError::new(TerminalErrorReason::Authentication, "用户名为 1 到 64 个字，不能有控制字符");
            tell(socket, &TerminalMessage::Error(error)).await.ok_or(Halt::Gone)?;
        }
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, russh::Error>>) -> Result<T, Halt> {
    let answer = timeout(ANSWERING, answer).await.map_err(|_| unreachable("没有应答"))?;
    answer.map_err(|error| unreachable(&reason(&error)))
}

/// Why a conversation with an SSH server ended.
fn reason(error: &russh::Error) -> String {
    match error {
        russh::Error::IO(error) => unreached::reason(error),
        russh::Error::Disconnect | russh::Error::HUP | russh::Error::SendError => {
            "连接被对方断开，那里可能没有 SSH 服务".to_owned()
        }
        russh::Error::Version => "对方不是 SSH 服务".to_owned(),
        russh::Error::NoCommonAlgo { .. } => unreached::original("没有共同的加密算法", &error.to_string()),
        other => unreached::original("没有完成", &other.to_string()),
    }
}

fn unreachable(words: &str) -> Halt {
    Halt::End(End::failed(TerminalErrorReason::Unreachable, format!("SSH 服务器连接失败：{words}")))
}

fn remote(reader: ChannelReadHalf, writer: ChannelWriteHalf<Msg>) -> Remote {
    let code = Arc::new(AtomicI64::new(NO_CODE));
    let output = stream::unfold((reader, Arc::clone(&code)), |(mut reader, code)| async move {
        loop {
            match reader.wait().await? {
                ChannelMsg::Data { data } | ChannelMsg::ExtendedData { data, .. } => {
                    return Some((Ok::<_, io::Error>(data), (reader, code)));
                }
                ChannelMsg::ExitStatus { exit_status } => code.store(i64::from(exit_status), Ordering::Relaxed),
                // Like a shell's code for a signal, but without the signal's number, which SSH does not report.
                ChannelMsg::ExitSignal { .. } => code.store(128, Ordering::Relaxed),
                ChannelMsg::Close => return None,
                _ => {}
            }
        }
    });
    let input = Box::new(writer.make_writer());
    Remote { output: output.boxed(), input, control: Box::new(Shell { writer, code }) }
}

struct Shell {
    writer: ChannelWriteHalf<Msg>,
    code: Arc<AtomicI64>,
}

#[async_trait]
impl Control for Shell {
    async fn resize(&self, window: Window) {
        // A closed connection is reported by the output.
        let _ = self.writer.window_change(u32::from(window.cols), u32::from(window.rows), 0, 0).await;
    }

    async fn end(&self) -> End {
        match self.code.load(Ordering::Relaxed) {
            NO_CODE => End::failed(TerminalErrorReason::Unreachable, "SSH 连接已断开"),
            code => End::Exited(code),
        }
    }
}
