//! A user on an SSH connection.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use engine::{Command, Process};
use http_kit::{ApiError, ApiResult};
use kernel::Actor;
use ssh_gateway::{Entered, Guest, Offer, Purpose, Reason, Refusal, Standing};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{MissedTickBehavior, interval};
use tools::client::Session;

use super::lab::Proof;
use super::refusal;
use crate::Portal;
use crate::features::instances::{self, Doorway, Entry};
use crate::features::logs;
use crate::sockets::{Kind, Seat};

/// How often it is looked whether a connection may stay open.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// What is logged of an engine's complaint about our program.
const COMPLAINT_BYTES: u64 = 1024;

/// A user who signed in over SSH, on one connection.
#[derive(Debug)]
pub(super) struct SshGuest {
    portal: Portal,
    proof: Proof,
    address: String,
    /// `None` where the user has too many connections.
    seat: Option<Seat>,
}

#[async_trait]
impl Guest for SshGuest {
    async fn instances(&self) -> Result<Vec<Offer>, Refusal> {
        let actor = self.actor().await?;
        let own = instances::doorways(&self.portal, &actor).await.map_err(|error| refusal::by_portal(&error))?;
        Ok(own.into_iter().map(offer).collect())
    }

    async fn enter(&self, instance: &str) -> Result<Entered, Refusal> {
        if self.seat.is_none() {
            return Err(Refusal::new(Reason::TooMany, "您同时打开的 SSH 连接太多，请先关闭一些"));
        }
        let actor = self.actor().await?;
        let portal = &self.portal;
        let id = instances::id_of(portal, instance).await.map_err(|error| refusal::by_portal(&error))?;
        let id = id.ok_or_else(refusal::not_found)?;
        let name = instances::may_enter(portal, &actor, &id).await.map_err(|error| refusal::by_portal(&error))?;
        let running = instances::running_workload(portal, &id).await;
        let (runtime, workload) = running.map_err(|error| refusal::by_portal(&error))?;
        let found = runtime.examine(&workload).await.map_err(|error| refusal::by_engine(&error))?;
        if !found.tools {
            return Err(Refusal::new(
                Reason::WithoutTools,
                "这个实例是升级之前创建的，请先在网页上停止再启动一次，文件都会保留；启动后仍然不行，说明它的服务器是另一种架构",
            ));
        }
        let argv = vec![tools::PROGRAM.to_owned(), tools::SERVE.to_owned()];
        let command = Command { argv, working_dir: None, user: None, terminal: None };
        let process = runtime.run(&workload, &command).await.map_err(|error| refusal::by_engine(&error))?;
        let session = greet(process, &id).await?;
        Ok(Entered { id, name, session })
    }

    async fn note(&self, instance: &str, purpose: Purpose) -> Result<(), Refusal> {
        let actor = self.actor().await?;
        self.record(&actor, instance, purpose).await.map_err(|error| refusal::by_portal(&error))
    }

    async fn start(&self, instance: &str) -> Result<(), Refusal> {
        let actor = self.actor().await?;
        let started = self.begin(&actor, instance).await.map_err(|error| refusal::by_portal(&error))?;
        started.then_some(()).ok_or_else(refusal::not_found)
    }

    async fn ended(&self, instance: Option<&str>) -> Refusal {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            match self.still(instance).await {
                Ok(None) => {}
                Ok(Some(why)) => return why,
                // Unknown now; the next look decides.
                Err(error) => tracing::warn!(%error, "an SSH connection could not be checked"),
            }
        }
    }
}

impl SshGuest {
    pub(super) fn new(portal: &Portal, proof: Proof, actor: &Actor, from: SocketAddr) -> Self {
        let (address, seat) = (from.ip().to_canonical().to_string(), portal.sockets().seat(actor.id, Kind::Ssh));
        Self { portal: portal.clone(), proof, address, seat }
    }

    /// The client's address.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The user as they are now.
    async fn actor(&self) -> Result<Actor, Refusal> {
        let actor = self.proof.actor(&self.portal).await.map_err(|error| refusal::by_portal(&error))?;
        actor.ok_or_else(refusal::signed_out)
    }

    async fn record(&self, actor: &Actor, instance: &str, purpose: Purpose) -> ApiResult<()> {
        let portal = &self.portal;
        let target = instances::may_enter(portal, actor, instance).await?;
        let (address, detail) = (self.address.clone(), word(purpose).to_owned());
        let operation = logs::Operation { actor, address, action: "instance.ssh", target, detail };
        let tx = portal.db().begin().await?;
        logs::record(&tx, portal.now(), operation).await?;
        Ok(tx.commit().await?)
    }

    /// Whether there is such an instance.
    async fn begin(&self, actor: &Actor, instance: &str) -> ApiResult<bool> {
        let Some(id) = instances::id_of(&self.portal, instance).await? else { return Ok(false) };
        let address = self.address.parse::<IpAddr>().map_err(ApiError::internal)?;
        instances::start(&self.portal, actor, address, &id).await?;
        Ok(true)
    }

    /// Why the connection has to end, if it has.
    async fn still(&self, instance: Option<&str>) -> ApiResult<Option<Refusal>> {
        let Some(actor) = self.proof.actor(&self.portal).await? else { return Ok(Some(refusal::signed_out())) };
        let Some(instance) = instance else { return Ok(None) };
        Ok(match instances::entry(&self.portal, &actor, instance).await? {
            Entry::Running => None,
            Entry::Standing => Some(Refusal::new(Reason::NotRunning, "实例已停止")),
            Entry::Refused => Some(Refusal::new(Reason::Ended, "您不能再进入这个实例")),
        })
    }
}

fn offer(doorway: Doorway) -> Offer {
    let standing = match (doorway.enters, doorway.starts) {
        (true, _) => Standing::Running,
        (false, true) => Standing::Startable,
        (false, false) => Standing::Closed,
    };
    Offer { name: doorway.name, note: doorway.note, standing, state: doorway.state }
}

/// What an instance was entered for, for the operate log.
fn word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Shell => "终端",
        Purpose::Command => "运行命令",
        Purpose::Files => "传输文件",
        Purpose::Forward => "转发到实例的端口",
        Purpose::Listen => "实例的端口转发到本地",
    }
}

/// Greets the program that was started in an instance.
async fn greet(process: Process, instance: &str) -> Result<Session, Refusal> {
    let Process { stdin, stdout, stderr, .. } = process;
    if let Some(errors) = stderr {
        tokio::spawn(log_complaints(errors, instance.to_owned()));
    }
    Session::open(stdout, stdin).await.map_err(|fault| {
        tracing::warn!(instance.id = instance, %fault, "the program in an instance does not answer");
        Refusal::new(Reason::Unreachable, "实例没有应答，请稍后重试；一直这样请联系管理员")
    })
}

/// Logs the beginning of standard error and discards the rest, so that the program never blocks on it.
async fn log_complaints(mut errors: Box<dyn AsyncRead + Send + Unpin>, instance: String) {
    let mut said = Vec::new();
    let read = (&mut errors).take(COMPLAINT_BYTES).read_to_end(&mut said).await;
    if read.is_ok() && !said.is_empty() {
        let said = String::from_utf8_lossy(&said).into_owned();
        tracing::info!(instance.id = instance, said, "the program in an instance complains");
    }
    let _ = tokio::io::copy(&mut errors, &mut tokio::io::sink()).await;
}
