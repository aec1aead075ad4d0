//! Takes connections, and sees each of them through: signed in within a minute, ended with its right.

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use russh::server::{Config, Handle, run_stream};
use russh::{Disconnect, MethodKind, MethodSet, Preferred, SshId, compression, kex};
use rustix::net::sockopt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connection::Connection;
use crate::gate::{Gate, Gated};
use crate::handler::Handler;
use crate::strangers::Strangers;
use crate::{HostKey, Lab, Reason, Refusal, words};

/// How long a client may take to sign in.
const SIGN_IN: Duration = Duration::from_secs(60);
/// How long an unknown key or name is answered after, whatever it was.
const REFUSAL: Duration = Duration::from_millis(200);
/// A client with an agent offers key after key.
const TRIES: usize = 20;
/// How long channels may take to tell their programs' users why they end.
const FAREWELL: Duration = Duration::from_secs(2);
/// After a connection could not be taken, such as for lack of open files.
const PAUSE: Duration = Duration::from_millis(200);
/// A client that is gone is noticed after four of these without an answer of its system.
const SILENCE: Duration = Duration::from_secs(30);

const KEX: &[kex::Name] = &[
    kex::MLKEM768X25519_SHA256,
    kex::CURVE25519,
    kex::CURVE25519_PRE_RFC_8731,
    kex::DH_G16_SHA512,
    kex::DH_G14_SHA256,
    kex::EXTENSION_SUPPORT_AS_SERVER,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
];

/// Accepted algorithms of host keys and client keys; announced to clients.
const KEYS: &[Algorithm] = &[
    Algorithm::Ed25519,
    Algorithm::SkEd25519,
    Algorithm::SkEcdsaSha2NistP256,
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP384 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP521 },
    Algorithm::Rsa { hash: Some(HashAlg::Sha512) },
    Algorithm::Rsa { hash: Some(HashAlg::Sha256) },
];

const KEYS_ONLY: &[MethodKind] = &[MethodKind::PublicKey, MethodKind::KeyboardInteractive];
const WITH_PASSWORDS: &[MethodKind] = &[MethodKind::PublicKey, MethodKind::Password, MethodKind::KeyboardInteractive];

/// The gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    /// For labs that accept keys only, and for those that accept passwords, too.
    configs: [Arc<Config>; 2],
    lab: Arc<dyn Lab>,
    strangers: Strangers,
    stopping: CancellationToken,
    connections: TaskTracker,
}

impl Gateway {
    /// A gateway with this host key in front of this lab.
    #[must_use]
    pub fn new(key: &HostKey, lab: Arc<dyn Lab>) -> Self {
        let (stopping, connections) = (CancellationToken::new(), TaskTracker::new());
        let configs = [KEYS_ONLY, WITH_PASSWORDS].map(|methods| Arc::new(config(key, methods)));
        Self { configs, lab, strangers: Strangers::default(), stopping, connections }
    }

    /// Takes connections until [`Gateway::stop`].
    pub async fn serve(&self, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.stopping.cancelled() => return,
            };
            match accepted {
                Ok((stream, from)) => {
                    let gateway = self.clone();
                    self.connections.spawn(async move { gateway.attend(stream, from).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "an SSH connection could not be taken");
                    let _ = timeout(PAUSE, std::future::pending::<()>()).await;
                }
            }
        }
    }

    /// Takes no more connections, tells those that are open, and waits until they are closed.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.connections.close();
        self.connections.wait().await;
    }

    async fn attend(&self, stream: TcpStream, from: SocketAddr) {
        let at = match prepare(&stream) {
            Ok(at) => at,
            Err(error) => return tracing::debug!(%error, "an SSH connection was gone at once"),
        };
        let gate = Arc::new(Gate::default());
        let stranger = self.strangers.admit(from.ip(), Arc::clone(&gate));
        let connection = Arc::new(Connection::new(Arc::clone(&self.lab), from, at, Arc::clone(&gate)));
        let config = &self.configs[usize::from(self.lab.takes_passwords().await)];
        let handler = Handler::new(Arc::clone(&connection), config.methods.clone());
        let opening = run_stream(Arc::clone(config), Gated::new(stream, Arc::clone(&gate)), handler);
        let opened = tokio::select! {
            opened = timeout(SIGN_IN, opening) => opened,
            () = self.stopping.cancelled() => return,
        };
        let Ok(Ok(running)) = opened else { return };
        let handle = running.handle();
        let mut running = pin!(running);
        let mut stages = connection.stages();
        let signed_in = async { stages.wait_for(|stage| stage.signed_in).await.is_ok() };
        let admitted = tokio::select! {
            _ = &mut running => return,
            () = self.stopping.cancelled() => false,
            signed_in = timeout(SIGN_IN, signed_in) => signed_in == Ok(true),
        };
        drop(stranger);
        if admitted {
            tokio::select! {
                ended = &mut running => return log_end(ended),
                why = self.over(&connection) => bid_farewell(&connection, &handle, why).await,
            }
        }
        gate.break_off();
        let _ = running.await;
    }

    /// Why the connection has to end.
    async fn over(&self, connection: &Connection) -> Refusal {
        let Some(guest) = connection.guest() else { return Refusal::new(Reason::Ended, "登录已结束") };
        let mut stages = connection.stages();
        loop {
            let entered = stages.borrow_and_update().entered.clone();
            tokio::select! {
                why = guest.ended(entered.as_deref()) => return why,
                () = self.stopping.cancelled() => {
                    return Refusal::new(Reason::Stopping, "平台正在重启，请稍后重新连接；用 tmux 或 setsid 运行的程序不受影响");
                }
                // Another instance is looked after from now on.
                Ok(()) = stages.changed() => {}
            }
        }
    }
}

/// In words on every channel, and in ASCII for the client itself.
async fn bid_farewell(connection: &Connection, handle: &Handle, why: Refusal) {
    let short = words::in_ascii(why.reason).to_owned();
    connection.end(why);
    connection.tasks.close();
    let _ = timeout(FAREWELL, connection.tasks.wait()).await;
    let leaving = handle.disconnect(Disconnect::ByApplication, short, "en".to_owned());
    let _ = timeout(FAREWELL, leaving).await;
}

fn log_end(ended: Result<(), russh::Error>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "an SSH connection broke");
    }
}

/// Small packets go out at once, and a client that is gone is noticed; russh's own question would not reach a client
/// that is not read from ([`crate::gate`]). Returns where the client came in.
fn prepare(stream: &TcpStream) -> io::Result<SocketAddr> {
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, SILENCE)?;
    sockopt::set_tcp_keepintvl(stream, SILENCE)?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    stream.local_addr()
}

fn config(key: &HostKey, methods: &[MethodKind]) -> Config {
    Config {
        server_id: SshId::Standard(Cow::Borrowed("SSH-2.0-YunLab")),
        methods: MethodSet::from(methods),
        auth_rejection_time: REFUSAL,
        auth_rejection_time_initial: Some(Duration::ZERO),
        keys: vec![key.private()],
        // Data is not kept there (see the inbox).
        channel_buffer_size: 4,
        event_buffer_size: 32,
        preferred: Preferred {
            kex: Cow::Borrowed(KEX),
            key: Cow::Borrowed(KEYS),
            // Packed data can be a bomb, and is slower in a lab.
            compression: Cow::Borrowed(&[compression::NONE]),
            ..Preferred::DEFAULT
        },
        max_auth_attempts: TRIES,
        // People leave shells open over night.
        inactivity_timeout: None,
        keepalive_interval: None,
        ..Config::default()
    }
}
