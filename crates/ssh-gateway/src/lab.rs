//! What the gateway asks of the lab: who may come in, and the way into an instance.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use tools::client::Session;

use crate::Login;

/// The lab behind the gateway.
#[async_trait]
pub trait Lab: Send + Sync + fmt::Debug {
    /// Reads the user name that a client gives.
    fn login(&self, name: &str) -> Login;

    /// Whether a sign-in with this key could succeed. Its private half is not proven yet, so this must change nothing and
    /// count as no use of the key. `fingerprint` is `SHA256:` and the digest.
    async fn knows_key(&self, login: &Login, fingerprint: &str, from: IpAddr) -> bool;

    /// Signs in the owner of a key whose private half was proven; `None` if no account that the login means has it.
    async fn sign_in(&self, login: &Login, fingerprint: &str, from: SocketAddr) -> Option<Arc<dyn Guest>>;

    /// Whether clients are asked for passwords, too.
    async fn takes_passwords(&self) -> bool;

    /// Signs in by a password; `None` if it is wrong, or passwords are not accepted.
    async fn sign_in_with_password(&self, login: &Login, password: &str, from: SocketAddr) -> Option<Arc<dyn Guest>>;
}

/// A user who signed in, on one connection. Dropped when the connection ends.
#[async_trait]
pub trait Guest: Send + Sync + fmt::Debug {
    /// The instances that the person may enter, with what each of them does.
    ///
    /// # Errors
    /// When the lab does not answer.
    async fn instances(&self) -> Result<Vec<Offer>, Refusal>;

    /// Opens a way into an instance, by its name or id.
    ///
    /// # Errors
    /// Why there is none.
    async fn enter(&self, instance: &str) -> Result<Entered, Refusal>;

    /// Notes what an instance is entered for, before that happens.
    ///
    /// # Errors
    /// When it can't be noted; then it does not happen.
    async fn note(&self, instance: &str, purpose: Purpose) -> Result<(), Refusal>;

    /// Asks for the start of a stopped instance.
    ///
    /// # Errors
    /// Why it can't be started.
    async fn start(&self, instance: &str) -> Result<(), Refusal>;

    /// Resolves when the connection has to end: the account, the key or the right to this instance is gone, or it stopped.
    async fn ended(&self, instance: Option<&str>) -> Refusal;
}

/// A way into an instance.
#[derive(Clone, Debug)]
pub struct Entered {
    /// Its id.
    pub id: String,
    /// Its name, which counts as `localhost` in forwards.
    pub name: String,
    /// The connection to the program in it.
    pub session: Session,
}

/// What an instance is entered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A shell.
    Shell,
    /// A command; what it is may be secret.
    Command,
    /// Files.
    Files,
    /// Connections to ports and sockets of the instance.
    Forward,
    /// Ports and sockets of the instance that lead to the client.
    Listen,
}

/// An instance in the list of those that a person may enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// What its owner wrote about it.
    pub note: String,
    /// Whether it can be entered.
    pub standing: Standing,
    /// Its state in words.
    pub state: String,
}

/// Whether an instance can be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It runs.
    Running,
    /// It can be started.
    Startable,
    /// Neither.
    Closed,
}

/// Why something is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no such instance, as far as this person may know.
    NotFound,
    /// It does not run.
    NotRunning,
    /// Its server does not answer.
    Unreachable,
    /// The program is not in it: it was made before, or its server is of another kind.
    WithoutTools,
    /// The person has too many connections.
    TooMany,
    /// The right to be here has ended.
    Ended,
    /// The portal stops.
    Stopping,
    /// Anything else.
    Other,
}

/// A refusal, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// In Chinese, with what to do about it.
    pub words: String,
}

impl Refusal {
    /// A refusal in these words.
    #[must_use]
    pub fn new(reason: Reason, words: impl Into<String>) -> Self {
        Self { reason, words: words.into() }
    }
}
