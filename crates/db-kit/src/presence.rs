//! Whether a PostgreSQL server answers. Without this, statements wait for the pool's or TCP's timeouts, which are far
//! longer than a load balancer or a person waits.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use sea_orm::DbErr;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection, PgPool};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::{DbError, DbResult};

/// Statements fail at most this and [`ANSWERS_WITHIN`] after the server went away: together well within a second, so that
/// the first callers also get their answer within one.
const ASKED_EVERY: Duration = Duration::from_millis(150);
/// Time for the answer to a ping. A busy server that is late does not count as away as long as it answers any statement
/// meanwhile.
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);

/// `cannot_connect_now`: the server starts, or it stops.
const NOT_NOW: &str = "57P03";

/// The server's state; it is pinged as long as this lives.
#[derive(Debug)]
pub struct Presence {
    away: watch::Sender<bool>,
    /// How many statements succeeded.
    answers: AtomicU64,
}

impl Presence {
    /// Of the server that this pool connects to.
    pub(crate) fn of(pool: &PgPool) -> Arc<Self> {
        let presence = Arc::new(Self { away: watch::Sender::new(false), answers: AtomicU64::new(0) });
        let options = pool.connect_options();
        tokio::spawn(ask(Arc::downgrade(&presence), options));
        presence
    }

    /// Runs a statement for as long as the server is reachable.
    ///
    /// # Errors
    /// [`DbError::Away`] at once while it is away, and when it goes away before the statement ends.
    async fn during<T>(&self, work: impl Future<Output = Result<T, DbErr>> + Send) -> DbResult<T> {
        let mut away = self.away.subscribe();
        tokio::select! {
            biased;
            _ = away.wait_for(|away| *away) => Err(DbError::Away),
            done = work => {
                if done.is_ok() {
                    self.answers.fetch_add(1, Ordering::Relaxed);
                }
                Ok(done?)
            }
        }
    }

    fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    fn note(&self, away: bool) {
        let changed = self.away.send_if_modified(|was| std::mem::replace(was, away) != away);
        match (changed, away) {
            (true, true) => tracing::error!("the database server does not answer"),
            (true, false) => tracing::info!("the database server answers again"),
            (false, _) => {}
        }
    }
}

/// Runs a statement; on a server that may be unreachable, only as long as it is reachable.
pub(crate) async fn during<T>(
    presence: Option<&Presence>,
    work: impl Future<Output = Result<T, DbErr>> + Send,
) -> DbResult<T> {
    match presence {
        Some(presence) => presence.during(work).await,
        None => Ok(work.await?),
    }
}

/// On a connection of its own, since those of the pool may all be in use.
async fn ask(presence: Weak<Presence>, options: Arc<PgConnectOptions>) {
    let mut connection = None;
    let mut ticks = interval(ASKED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Most processes that open the database have ended before they would need it.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let Some(presence) = presence.upgrade() else { return };
        let before = presence.answers();
        match timeout(ANSWERS_WITHIN, answers(&mut connection, &options)).await {
            Ok(there) => presence.note(!there),
            Err(_) => {
                connection = None;
                presence.note(presence.answers() == before);
            }
        }
    }
}

async fn answers(connection: &mut Option<PgConnection>, options: &PgConnectOptions) -> bool {
    if let Some(open) = connection {
        if open.ping().await.is_ok() {
            return true;
        }
        // Perhaps only this connection was closed.
        *connection = None;
    }
    match PgConnection::connect_with(options).await {
        Ok(open) => {
            *connection = Some(open);
            true
        }
        // A server that refuses, for example because it has too many connections, is reachable.
        Err(sqlx::Error::Database(refusal)) => refusal.code().is_none_or(|code| code != NOT_NOW),
        Err(_) => false,
    }
}
