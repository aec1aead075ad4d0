//! Processes on one database: what they say to each other, and who of them goes first. Only
//! PostgreSQL is shared; on SQLite a process is alone, so it is always first and has nobody to talk to.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{DbErr, RuntimeErr};
use sqlx::postgres::PgListener;
use sqlx::{Connection, PgConnection, PgPool};

use crate::{Db, DbError, DbResult, Sql};

/// [`Lead::confirm`] must be called at least this often, or the database gives the place to another.
const SILENT_FOR: &str = "set idle_session_timeout = '30s'";
/// Who can't confirm within this time takes the place as lost, well before another may have it.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(10);

/// The first place among the processes on a database, theirs until it is released or dropped, or the
/// connection that holds it breaks.
#[derive(Debug)]
pub struct Lead(Option<PgConnection>);

/// What other processes on the database say, this one included.
#[derive(Debug)]
pub struct Listener(PgListener);

impl Db {
    /// Takes the first place in `topic`; `None` while another process has it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lead(&self, topic: &str) -> DbResult<Option<Lead>> {
        let Some(pool) = self.postgres() else { return Ok(Some(Lead(None))) };
        let mut connection = pool.acquire().await.map_err(failed)?;
        // Two numbers, so that no topic of `Tx::serialize`, which is one, is ever meant.
        let taken = sqlx::query_scalar("select pg_try_advisory_lock(hashtext('lead'), hashtext($1))")
            .bind(topic)
            .fetch_one(&mut *connection)
            .await
            .map_err(failed)?;
        Ok(if taken { Some(Lead::holding(connection.detach()).await?) } else { None })
    }

    /// Waits for the first place in `topic`.
    pub(crate) async fn turn(&self, topic: &str) -> DbResult<Lead> {
        let Some(pool) = self.postgres() else { return Ok(Lead(None)) };
        let mut connection = pool.acquire().await.map_err(failed)?.detach();
        sqlx::query("select pg_advisory_lock(hashtext('lead'), hashtext($1))")
            .bind(topic)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Lead(Some(connection)))
    }

    /// Says something on `channel`, in less than 8000 bytes.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn say(&self, channel: &str, text: &str) -> DbResult<()> {
        if self.is_postgres() {
            self.run("select pg_notify($1, $2)", vec![channel.into(), text.into()]).await?;
        }
        Ok(())
    }

    /// Listens to `channel` from now on; `None` on SQLite.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn listen(&self, channel: &str) -> DbResult<Option<Listener>> {
        let Some(pool) = self.postgres() else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await.map_err(failed)?;
        listener.listen(channel).await.map_err(failed)?;
        Ok(Some(Listener(listener)))
    }

    fn postgres(&self) -> Option<&PgPool> {
        self.is_postgres().then(|| self.writer().get_postgres_connection_pool())
    }
}

impl Lead {
    async fn holding(mut connection: PgConnection) -> DbResult<Self> {
        sqlx::query(SILENT_FOR).execute(&mut connection).await.map_err(failed)?;
        Ok(Self(Some(connection)))
    }

    /// Says that this process is there.
    ///
    /// # Errors
    /// When the place is lost.
    pub async fn confirm(&mut self) -> DbResult<()> {
        let Some(connection) = &mut self.0 else { return Ok(()) };
        let asked = tokio::time::timeout(CONFIRMED_WITHIN, connection.ping()).await;
        asked.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())).map_err(failed)
    }

    /// Leaves the place to another at once.
    ///
    /// # Errors
    /// When the database does not answer; then it notices by itself.
    pub async fn release(self) -> DbResult<()> {
        let Some(mut connection) = self.0 else { return Ok(()) };
        // Of a connection that was closed the database takes its time to notice.
        sqlx::query("select pg_advisory_unlock_all()").execute(&mut connection).await.map_err(failed)?;
        connection.close().await.map_err(failed)
    }
}

impl Listener {
    /// What is said next; `None` when something may have been missed, because the connection broke.
    ///
    /// # Errors
    /// When there is none any more.
    pub async fn next(&mut self) -> DbResult<Option<String>> {
        let said = self.0.try_recv().await.map_err(failed)?;
        Ok(said.map(|said| said.payload().to_owned()))
    }
}

fn failed(error: sqlx::Error) -> DbError {
    DbError::Other(DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error))))
}
