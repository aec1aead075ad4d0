//! The storage host's side: the portal as seen over the network.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use axum::body::Bytes;
use disk::{Account, Directory, FolderOwner, QuotaHolder};
use http::StatusCode;
use http_kit::{AuthError, Authenticate, Credential, SignIn, WrongTokens};
use kernel::dataset::{DatasetChore, DatasetLimits, DatasetReport, DiskUse};
use kernel::home::{HomeChore, HomeReport};
use kernel::token::{TicketClaims, Verified};
use kernel::{Actor, Clock, DiskChange, DiskEvent, GuardedClock, Person, Secret, StorageHostClock, Timestamp, UserId};
use moka::future::Cache;
use reqwest::Client;
use serde::de::DeserializeOwned;

use super::keys::Keys;
use super::wire::{PATH, Question, Session};

/// How long an answer is reused. With the time that a query may take, changes at the portal take effect here within ten
/// seconds, and without a portal nothing is answered after that.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Maximum duration of a query.
const ANSWERED_WITHIN: Duration = Duration::from_secs(4);
const CONNECTED_WITHIN: Duration = Duration::from_secs(2);
const MOST_ANSWERS: u64 = 100_000;

/// A portal at a URL. Concurrent requests with the same question share one query.
pub(crate) struct RemotePortal {
    http: Client,
    url: String,
    secret: Secret,
    host: String,
    keys: Keys,
    wrong_tokens: WrongTokens,
    answers: Cache<Question, Bytes>,
    clock: Arc<dyn Clock>,
}

impl RemotePortal {
    /// Makes a client for the portal at this URL, without a slash at the end. Sends nothing yet. `host` identifies this
    /// storage host, the same at every start.
    pub(crate) fn new(address: &str, secret: Secret, host: String, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let http = Client::builder()
            .timeout(ANSWERED_WITHIN)
            .connect_timeout(CONNECTED_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .context("making an HTTP client")?;
        Ok(Self {
            keys: Keys::new(http.clone(), address),
            wrong_tokens: WrongTokens::default(),
            url: format!("{address}{PATH}"),
            answers: Cache::builder().time_to_live(KEPT_FOR).max_capacity(MOST_ANSWERS).build(),
            http,
            secret,
            host,
            clock,
        })
    }

    async fn ask<T: DeserializeOwned>(&self, question: Question) -> anyhow::Result<T> {
        let answer = self.answers.try_get_with(question.clone(), self.send(&question)).await;
        parse(&answer.map_err(|error: Arc<anyhow::Error>| anyhow::anyhow!("{error:#}"))?)
    }

    /// Queries the portal's time. It may run on this very machine, but takes a wrong clock and an administrator's
    /// decision into account.
    ///
    /// # Errors
    /// When it does not answer.
    pub(super) async fn time(&self) -> anyhow::Result<Timestamp> {
        parse(&self.send(&Question::Time).await?)
    }

    /// Reports the state of this host's clock, so that the portal notifies administrators.
    ///
    /// # Errors
    /// When it does not answer.
    pub(super) async fn tell_clock(&self, clock: &GuardedClock) -> anyhow::Result<()> {
        let report = StorageHostClock {
            host: self.host.clone(),
            name: background::host_name(),
            wall: clock.wall(),
            now: clock.now(),
            held: clock.hold().is_some(),
        };
        parse(&self.send(&Question::HostClock { report }).await?)
    }

    /// Spends a ticket for a WebSocket, which it opens once, at any host.
    async fn spend(&self, ticket: TicketClaims) -> Result<(), AuthError> {
        let question = Question::SpendTicket { id: ticket.tid, expires: ticket.exp };
        let answer = self.send(&question).await.map_err(unavailable)?;
        if parse(&answer).map_err(unavailable)? { Ok(()) } else { Err(AuthError::Ended) }
    }

    async fn send(&self, question: &Question) -> anyhow::Result<Bytes> {
        let request = self.http.post(&self.url).bearer_auth(self.secret.expose()).json(question);
        let answer = request.send().await.context("asking the portal")?;
        match answer.status() {
            StatusCode::OK => answer.bytes().await.context("the portal's answer"),
            StatusCode::UNAUTHORIZED => anyhow::bail!("the portal has another portal_secret"),
            StatusCode::NOT_FOUND => anyhow::bail!("the portal has no portal_secret and so no storage hosts"),
            other => anyhow::bail!("the portal answered {other}"),
        }
    }
}

fn unavailable(error: anyhow::Error) -> AuthError {
    AuthError::unavailable(error)
}

fn parse<T: DeserializeOwned>(answer: &[u8]) -> anyhow::Result<T> {
    serde_json::from_slice(answer).context("an answer of the portal")
}

#[async_trait]
impl Authenticate for RemotePortal {
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError> {
        let now = self.clock.now();
        if let Some(digest) = credential.access_token_digest() {
            let session: Session = self.ask(Question::AccessToken { digest }).await.map_err(unavailable)?;
            return self.wrong_tokens.count(credential.client, session.actor(now));
        }
        let (session, ticket) = match self.keys.verify(credential.token, now).await.map_err(unavailable)?? {
            Verified::Login(claims) => (claims.jti, None),
            Verified::Ticket(ticket) if ticket.is_for(credential.method.as_str(), credential.path) => {
                (ticket.jti.clone(), Some(ticket))
            }
            Verified::Ticket(_) => return Err(AuthError::Ended),
        };
        let session: Session = self.ask(Question::Session { id: session }).await.map_err(unavailable)?;
        let actor = session.actor(now)?;
        if let Some(ticket) = ticket.filter(|_| credential.opens_socket) {
            self.spend(ticket).await?;
        }
        Ok(actor)
    }

    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError> {
        let question = Question::AppPassword { username: username.to_owned(), digest: digest.to_owned() };
        let session: Session = self.ask(question).await.map_err(unavailable)?;
        session.actor(self.clock.now())
    }

    async fn sign_in(&self, actor: &Actor) -> Result<SignIn, AuthError> {
        let question = Question::SignIn { session: actor.session.clone() };
        let id: Option<String> = self.ask(question).await.map_err(unavailable)?;
        Ok(SignIn { id: id.ok_or(AuthError::Ended)?, actor: actor.clone() })
    }

    async fn still(&self, sign_in: &SignIn) -> Result<Actor, AuthError> {
        let question = Question::SignedIn { sign_in: sign_in.id.clone() };
        let session: Session = self.ask(question).await.map_err(unavailable)?;
        session.actor(self.clock.now())
    }
}

#[async_trait]
impl Directory for RemotePortal {
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Arc<Person>>> {
        Ok(self.ask::<Option<Person>>(Question::Person { id }).await?.map(Arc::new))
    }

    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        parse(&self.send(&Question::LockPassword { id, locked }).await?)
    }

    async fn accounts(&self) -> anyhow::Result<Vec<Account>> {
        parse(&self.send(&Question::Accounts).await?)
    }

    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder> {
        self.ask(match owner {
            FolderOwner::User(username) => Question::HomeHolder { username: username.to_owned() },
            FolderOwner::Group(folder) => Question::GroupHolder { folder: folder.to_owned() },
            FolderOwner::Dataset(folder) => Question::DatasetHolder { folder: folder.to_owned() },
        })
        .await
    }

    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>> {
        parse(&self.send(&Question::QuotaHolders).await?)
    }

    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        parse(&self.send(&Question::DiskUses { uses: uses.to_vec() }).await?)
    }

    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()> {
        parse(&self.send(&Question::DatasetLimits { limits }).await?)
    }

    async fn record(&self, change: &DiskChange) -> anyhow::Result<()> {
        parse(&self.send(&Question::Record { change: change.clone() }).await?)
    }

    async fn record_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        parse(&self.send(&Question::RecordEvents { events: events.to_vec() }).await?)
    }

    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>> {
        parse(&self.send(&Question::DatasetChores { host: self.host.clone() }).await?)
    }

    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()> {
        parse(&self.send(&Question::DatasetReport { report: report.clone() }).await?)
    }

    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>> {
        parse(&self.send(&Question::HomeChores { host: self.host.clone() }).await?)
    }

    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()> {
        parse(&self.send(&Question::HomeReport { report: report.clone() }).await?)
    }
}
