//! What a client asks, one message after the other. Nothing here waits for a program: what takes time is a task of its
//! own, so that no channel holds up another. Only ports to listen on are waited for, as russh wants the answer at once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use russh::keys::{Algorithm, HashAlg};
use russh::server::{self, Auth, ChannelOpenHandle, Handle, Msg, PublicKeyOffer, Response, Session, VerifiedPublicKey};
use russh::{Channel, ChannelId, ChannelOpenFailure, MethodKind, MethodSet, Pty, Sig};
use tokio::sync::{mpsc, watch};
use tools::wire::{Size, Terminal};

use crate::carry::{self, Kind, Orders, Program};
use crate::connection::{Connection, Listening};
use crate::forward::{self, Target};
use crate::pipe::Pipe;
use crate::{signals, words};

/// Variables that a client may set for a program, and their bytes.
const VARIABLES: usize = 128;
const VARIABLE_BYTES: usize = 64 << 10;
/// Signals that wait for a program.
const SIGNALS: usize = 16;

/// The handler of a connection.
pub(crate) struct Handler {
    connection: Arc<Connection>,
    /// The ways to sign in.
    methods: MethodSet,
    channels: HashMap<ChannelId, Asked>,
}

/// A channel for a program, and what was asked for it so far.
#[derive(Debug)]
struct Asked {
    /// Until its program is begun.
    pipe: Option<Pipe>,
    variables: Vec<(Vec<u8>, Vec<u8>)>,
    terminal: Option<Terminal>,
    agent: bool,
    /// Once its program was begun.
    steering: Option<Steering>,
}

#[derive(Debug)]
struct Steering {
    sizes: watch::Sender<Size>,
    signals: mpsc::Sender<u8>,
}

impl Handler {
    pub(crate) fn new(connection: Arc<Connection>, methods: MethodSet) -> Self {
        Self { connection, methods, channels: HashMap::new() }
    }

    async fn connect(&self, channel: Channel<Msg>, target: Target, reply: ChannelOpenHandle, handle: Handle) {
        if self.connection.is_full() {
            return reply.reject(ChannelOpenFailure::ResourceShortage).await;
        }
        tokio::spawn(forward::connect(Arc::clone(&self.connection), channel, handle, target, reply));
    }

    /// Begins a program; `false` if the channel has one, or is for something else.
    fn begin(&mut self, id: ChannelId, kind: Kind) -> bool {
        let Some(asked) = self.channels.get_mut(&id) else { return false };
        let Some(pipe) = asked.pipe.take() else { return false };
        let size = asked.terminal.as_ref().map(|terminal| terminal.size).unwrap_or_default();
        let (sizes, size) = watch::channel(size);
        let (signals, signal) = mpsc::channel(SIGNALS);
        asked.steering = Some(Steering { sizes, signals });
        let variables = std::mem::take(&mut asked.variables);
        let program = Program { kind, variables, terminal: asked.terminal.take(), agent: asked.agent };
        let orders = Orders { sizes: size, signals: signal };
        self.connection.tasks.spawn(carry::carry(pipe, program, orders));
        true
    }
}

impl Asked {
    fn new(pipe: Pipe) -> Self {
        Self { pipe: Some(pipe), variables: Vec::new(), terminal: None, agent: false, steering: None }
    }

    /// Whether its program has ended.
    fn is_over(&self) -> bool {
        self.steering.as_ref().is_some_and(|steering| steering.signals.is_closed())
    }

    fn takes_variable(&self, name: &str, value: &str) -> bool {
        let bytes: usize = self.variables.iter().map(|(name, value)| name.len() + value.len()).sum();
        let fits = self.variables.len() < VARIABLES && bytes + name.len() + value.len() <= VARIABLE_BYTES;
        fits && self.pipe.is_some() && !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.connection.close();
    }
}

impl server::Handler for Handler {
    type Error = russh::Error;

    async fn auth_publickey_offered(&mut self, user: &str, offer: PublicKeyOffer<'_>) -> Result<Auth, Self::Error> {
        // RSA with SHA-1.
        if matches!(offer.algorithm, Algorithm::Rsa { hash: None }) {
            return Ok(Auth::reject());
        }
        let connection = &self.connection;
        let login = connection.lab.login(user);
        let fingerprint = offer.public_key.fingerprint(HashAlg::Sha256).to_string();
        let known = connection.lab.knows_key(&login, &fingerprint, connection.from.ip()).await;
        Ok(if known { Auth::Accept } else { Auth::reject() })
    }

    async fn auth_publickey(&mut self, user: &str, key: VerifiedPublicKey<'_>) -> Result<Auth, Self::Error> {
        let connection = &self.connection;
        let login = connection.lab.login(user);
        let fingerprint = key.public_key.fingerprint(HashAlg::Sha256).to_string();
        match connection.lab.sign_in(&login, &fingerprint, connection.from).await {
            Some(guest) => {
                connection.admit(guest, login);
                Ok(Auth::Accept)
            }
            None => Ok(Auth::reject()),
        }
    }

    async fn auth_password(&mut self, user: &str, password: &str) -> Result<Auth, Self::Error> {
        let connection = &self.connection;
        let login = connection.lab.login(user);
        match connection.lab.sign_in_with_password(&login, password, connection.from).await {
            Some(guest) => {
                connection.admit(guest, login);
                Ok(Auth::Accept)
            }
            // The client may ask its user again.
            None => Ok(Auth::Reject { proceed_with_methods: Some(self.methods.clone()), partial_success: false }),
        }
    }

    /// Never succeeds. Its instructions are the only text that clients show to a user whose keys are all unknown.
    async fn auth_keyboard_interactive<'a>(
        &'a mut self,
        _user: &str,
        _submethods: &str,
        response: Option<Response<'a>>,
    ) -> Result<Auth, Self::Error> {
        if response.is_none() {
            let instructions = Cow::Borrowed(words::NO_KEY);
            return Ok(Auth::Partial { name: Cow::Borrowed(""), instructions, prompts: Cow::Borrowed(&[]) });
        }
        let mut methods = self.methods.clone();
        methods.remove(MethodKind::KeyboardInteractive);
        Ok(Auth::Reject { proceed_with_methods: Some(methods), partial_success: false })
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.channels.retain(|_, asked| !asked.is_over());
        if self.connection.is_full() {
            reply.reject(ChannelOpenFailure::ResourceShortage).await;
            return Ok(());
        }
        let pipe = self.connection.pipe(channel, session.handle());
        self.channels.insert(pipe.id(), Asked::new(pipe));
        reply.accept().await;
        Ok(())
    }

    async fn channel_open_direct_tcpip(
        &mut self,
        channel: Channel<Msg>,
        host_to_connect: &str,
        port_to_connect: u32,
        _originator_address: &str,
        _originator_port: u32,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.connect(channel, Target::Port(host_to_connect.to_owned(), port_to_connect), reply, session.handle()).await;
        Ok(())
    }

    async fn channel_open_direct_streamlocal(
        &mut self,
        channel: Channel<Msg>,
        socket_path: &str,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.connect(channel, Target::Socket(socket_path.to_owned()), reply, session.handle()).await;
        Ok(())
    }

    async fn channel_open_confirmation(
        &mut self,
        id: ChannelId,
        _max_packet_size: u32,
        _window_size: u32,
        _session: &mut Session,
    ) -> Result<(), Self::Error> {
        // Before its first data, which may follow at once.
        self.connection.new_inbox(id);
        Ok(())
    }

    async fn data(&mut self, channel: ChannelId, data: &[u8], _session: &mut Session) -> Result<(), Self::Error> {
        if let Some(inbox) = self.connection.inbox(channel) {
            inbox.push(data);
        }
        Ok(())
    }

    async fn channel_eof(&mut self, channel: ChannelId, _session: &mut Session) -> Result<(), Self::Error> {
        if let Some(inbox) = self.connection.inbox(channel) {
            inbox.end();
        }
        Ok(())
    }

    async fn channel_close(&mut self, channel: ChannelId, _session: &mut Session) -> Result<(), Self::Error> {
        self.channels.remove(&channel);
        if let Some(inbox) = self.connection.inbox(channel) {
            inbox.close();
            self.connection.forget(channel);
        }
        Ok(())
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        term: &str,
        col_width: u32,
        row_height: u32,
        pix_width: u32,
        pix_height: u32,
        modes: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        match self.channels.get_mut(&channel).filter(|asked| asked.pipe.is_some()) {
            Some(asked) => {
                // Numbers that russh does not know are 0 there.
                let modes = modes.iter().map(|(mode, value)| (mode_number(*mode), *value));
                let modes = modes.filter(|(mode, _)| *mode != 0).collect();
                let size = size(col_width, row_height, pix_width, pix_height);
                asked.terminal = Some(Terminal { term: term.as_bytes().to_vec(), size, modes });
                session.channel_success(channel)
            }
            None => session.channel_failure(channel),
        }
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        variable_name: &str,
        variable_value: &str,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        let fits = |asked: &&mut Asked| asked.takes_variable(variable_name, variable_value);
        match self.channels.get_mut(&channel).filter(fits) {
            Some(asked) => {
                asked.variables.push((variable_name.into(), variable_value.into()));
                session.channel_success(channel)
            }
            None => session.channel_failure(channel),
        }
    }

    async fn shell_request(&mut self, channel: ChannelId, session: &mut Session) -> Result<(), Self::Error> {
        answer(self.begin(channel, Kind::Shell), channel, session)
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        answer(self.begin(channel, Kind::Command(data.to_vec())), channel, session)
    }

    async fn subsystem_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        answer(name == "sftp" && self.begin(channel, Kind::Files), channel, session)
    }

    async fn agent_request(&mut self, channel: ChannelId, _session: &mut Session) -> Result<bool, Self::Error> {
        let asked = self.channels.get_mut(&channel).filter(|asked| asked.pipe.is_some());
        Ok(asked.map(|asked| asked.agent = true).is_some())
    }

    async fn tcpip_forward(
        &mut self,
        address: &str,
        port: &mut u32,
        session: &mut Session,
    ) -> Result<bool, Self::Error> {
        let listens = forward::listen_on_port(&self.connection, session.handle(), address, *port).await;
        if let Some(bound) = listens {
            *port = u32::from(bound);
        }
        Ok(listens.is_some())
    }

    async fn cancel_tcpip_forward(
        &mut self,
        address: &str,
        port: u32,
        _session: &mut Session,
    ) -> Result<bool, Self::Error> {
        Ok(self.connection.listens_no_more(&Listening::Port(address.to_owned(), port)))
    }

    async fn streamlocal_forward(&mut self, socket_path: &str, session: &mut Session) -> Result<bool, Self::Error> {
        Ok(forward::listen_on_socket(&self.connection, session.handle(), socket_path).await)
    }

    async fn cancel_streamlocal_forward(
        &mut self,
        socket_path: &str,
        _session: &mut Session,
    ) -> Result<bool, Self::Error> {
        Ok(self.connection.listens_no_more(&Listening::Socket(socket_path.to_owned())))
    }

    async fn window_change_request(
        &mut self,
        channel: ChannelId,
        col_width: u32,
        row_height: u32,
        pix_width: u32,
        pix_height: u32,
        _session: &mut Session,
    ) -> Result<(), Self::Error> {
        let size = size(col_width, row_height, pix_width, pix_height);
        if let Some(asked) = self.channels.get_mut(&channel) {
            match (&asked.steering, &mut asked.terminal) {
                (Some(steering), _) => {
                    steering.sizes.send_replace(size);
                }
                (None, Some(terminal)) => terminal.size = size,
                (None, None) => {}
            }
        }
        Ok(())
    }

    async fn signal(&mut self, channel: ChannelId, signal: Sig, _session: &mut Session) -> Result<(), Self::Error> {
        let steering = self.channels.get(&channel).and_then(|asked| asked.steering.as_ref());
        if let (Some(steering), Some(number)) = (steering, signals::number(&signal)) {
            // A client that sends them faster than they are delivered loses some, as the kernel does.
            let _ = steering.signals.try_send(number);
        }
        Ok(())
    }
}

fn answer(done: bool, channel: ChannelId, session: &mut Session) -> Result<(), russh::Error> {
    if done { session.channel_success(channel) } else { session.channel_failure(channel) }
}

fn size(columns: u32, rows: u32, width: u32, height: u32) -> Size {
    let fitting = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    Size { columns: fitting(columns), rows: fitting(rows), width: fitting(width), height: fitting(height) }
}

/// The number of a mode in RFC 4254 §8.
fn mode_number(mode: Pty) -> u8 {
    mode as u8
}
